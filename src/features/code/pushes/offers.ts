import { Mode } from "../../../access/modes.ts"
import { unitEnabled, unitMode } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { deployKeyOf, jobOf, type SignedIn } from "../../../core/actor.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { Services } from "../../../core/services.ts"
import type { Push, RefName, TakenOffers } from "../../../git/index.ts"

/**
 * Commits that are pushed to `refs/for/…`: no reference of that name is stored. They are offered to the repository by someone who need not be able
 * to write to it, and pull requests are made of them.
 */

const OFFERS = "refs/for/"

/** What tools ask a server for, by the name `ssh_info`, to learn that it takes offers. */
export const OFFERS_INFO = JSON.stringify({ type: "agit", version: 1 })

/** Whether what is pushed to a reference is an offer. */
export const isOffer = (ref: string): boolean => ref.startsWith(OFFERS)

/** What an offer names after `refs/for/`. */
export const offeredTo = (ref: string): string => ref.slice(OFFERS.length)

/** Offers to a repository that the pusher may read. */
export interface Offered extends Pick<Push, "commands" | "options"> {
  readonly services: Services
  readonly on: OnRepository & { readonly pusher: SignedIn }
}

/** What is made of offers. */
export interface OfferTaker {
  /** Why offers are refused, in words for the pusher. Asked before their objects are received, and again afterwards. */
  readonly judge: (offered: Offered) => Promise<ReadonlyMap<RefName, string>>
  /** Takes offers that were not refused, with their objects in the repository. */
  readonly take: (offered: Offered & Pick<Push, "atomic">) => Promise<TakenOffers>
}

/** What takes offers; registered in src/extensions.ts. */
export const offerTakers = extensionPoint<OfferTaker>("offers of commits")

const NO_PULLS = "this repository takes no pull requests"
const NO_CODE = "this repository is empty: there is no branch to offer commits to"
const NO_OFFER = "User permission denied for creating pull-request."

/** Why the pusher may not offer commits at all; undefined if they may. */
export function whyNoOffers({ repository, permission, pusher }: OnRepository & { readonly pusher: SignedIn }): string | undefined {
  if (repository.is_mirror === 1 || !unitEnabled(repository, "repo.pulls")) return NO_PULLS
  // A deploy key has no author to give; a job needs the right that it would need to open one otherwise.
  const needed = jobOf(pusher) ? Mode.write : Mode.read
  if (deployKeyOf(pusher) || unitMode(permission, repository, "repo.pulls") < needed) return NO_OFFER
  return repository.is_empty === 1 ? NO_CODE : undefined
}
