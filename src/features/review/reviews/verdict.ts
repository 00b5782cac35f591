import type { Handle } from "../../../core/database/database.ts"
import type { Protection } from "../../code/protections/rules.ts"
import { findOfficial } from "./store.ts"

/** What the reviews of a pull request come to. Dismissed ones say nothing, and only those whose reviewers count are heard. */
export interface ReviewVerdict {
  readonly approvals: number
  /** Somebody asks for changes. */
  readonly rejected: boolean
  /** Somebody whose review would count was asked and has not answered. */
  readonly requestedOfficially: boolean
}

/** The verdict under the rule of the base branch, which may leave approvals of an older head out. One query. */
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
