import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { Refusal, Renamed } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { admitCreation, createByPush } from "./creation.ts"

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

/** Makes the repository that somebody pushes to. Refuses like `admitCreation` and `createByPush`. */
export async function createForPush(services: Services, pusher: SignedIn, { owner, name }: Address): Promise<void> {
  const creation = await admitCreation(services, pusher, owner, name)
  await createByPush(services, pusher, creation).catch((error: unknown) => {
    // Two pushes may come for the first time at once; the second goes on with what the first has made.
    if (!(error instanceof Refusal && error.kind === "conflict")) throw error
  })
}
