import type { OnRepository } from "../../../access/policies/repositories.ts"
import { Renamed } from "../../../core/errors.ts"

/** A repository's owner and name in a request. */
export interface Address {
  readonly owner: string
  readonly name: string
}

/** The most renames that are followed. */
const MOVES = 5

/** Finds the repository under its current names. Throws what `admit` throws. */
export async function follow<Found extends OnRepository>(first: Address, admit: (address: Address) => Promise<Found>): Promise<Found> {
  let address = first
  for (let moves = 0; ; moves++) {
    try {
      return await admit(address)
    } catch (error) {
      if (!(error instanceof Renamed) || moves === MOVES) throw error
      address = movedTo(address, error)
    }
  }
}

/** The address after a rename. */
export const movedTo = ({ owner, name }: Address, { replace }: Renamed): Address => ({
  owner: replace["owner"] ?? owner,
  name: replace["repo"] ?? name,
})
