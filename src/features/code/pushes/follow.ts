import type { OnRepository } from "../../../access/policies/repositories.ts"
import { Renamed } from "../../../core/errors.ts"

/** A repository as somebody names it. */
export interface Address {
  readonly owner: string
  readonly name: string
}

/** A repository that was renamed in the middle of a fetch is followed this far. */
const MOVES = 5

/** Finds the repository under the names that it has now. Throws what `admit` throws. */
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

/** What is now meant by an address. */
export const movedTo = ({ owner, name }: Address, { replace }: Renamed): Address => ({
  owner: replace["owner"] ?? owner,
  name: replace["repo"] ?? name,
})
