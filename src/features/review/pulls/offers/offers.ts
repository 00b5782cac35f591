import type { OfferTaker } from "../../../code/pushes/offers.ts"

/**
 * Makes pull requests of commits that were pushed to `refs/for/…`, or brings those that were made of the same topic up to date. Loaded with the
 * first of them.
 */
export const pullOffers: OfferTaker = {
  judge: async (offered) => (await import("./take.ts")).judge(offered),
  take: async (offered) => (await import("./take.ts")).take(offered),
}
