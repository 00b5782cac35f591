import type { Handle } from "../../../core/database/database.ts"
import type { Protection } from "../../code/protections/rules.ts"
import { findOfficial } from "./store.ts"

/** The result of a pull request's reviews. Only official ones count that are not dismissed. */
export interface ReviewVerdict {
  readonly approvals: number
  /** Whether an official review requests changes. */
  readonly rejected: boolean
  /** Whether a request to an official reviewer is open. */
  readonly requestedOfficially: boolean
}

/** The verdict under the rule of the base branch, which may ignore approvals of an older head. One query. */
export async function reviewVerdict(
  db: Handle,
  issueId: number,
  protection: Pick<Protection, "ignore_stale_approvals"> | undefined,
): Promise<ReviewVerdict> {
  const reviews = await findOfficial(db, { issueId })
  const freshOnly = protection?.ignore_stale_approvals === 1
  return {
    approvals: reviews.filter(({ state, is_stale }) => state === "APPROVED" && !(freshOnly && is_stale === 1)).length,
    rejected: reviews.some(({ state }) => state === "REQUEST_CHANGES"),
    requestedOfficially: reviews.some(({ state }) => state === "REQUEST_REVIEW"),
  }
}
