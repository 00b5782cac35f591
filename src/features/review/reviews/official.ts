import type { Owned } from "../../../access/permission.ts"
import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { findProtection, isOfficialReviewer, officialReviewers } from "../../code/protections/rules.ts"
import { usersById } from "../../code/repositories/store.ts"
import type { Pull } from "../pulls/store.ts"
import { findLastVerdicts, findReviewsBy, type Review, setOfficial } from "./store.ts"

/** Whether a user's review counts for the rule of the base branch now; that of a deleted user doesn't. */
export async function countsFor(tx: Transaction, owned: Owned, pull: Pick<Pull, "base_branch">, reviewerId: number): Promise<boolean> {
  const reviewer = await findUserById.first(tx, { id: reviewerId })
  if (!reviewer) return false
  const protection = await findProtection(tx, owned.repository.id, pull.base_branch)
  return isOfficialReviewer(tx, protection, owned, reviewer)
}

/** Makes a reviewer's last verdict that was not dismissed official again, after a later one is gone. */
export async function restoreOfficial(tx: Transaction, owned: Owned, pull: Pull, { issue_id, reviewer_id }: Review): Promise<void> {
  const reviews = await findReviewsBy(tx, { issueId: issue_id, reviewerId: reviewer_id })
  const last = reviews.find(({ state, is_dismissed }) => (state === "APPROVED" || state === "REQUEST_CHANGES") && is_dismissed === 0)
  if (last && last.is_official === 0)
    await setOfficial(tx, { id: last.id, isOfficial: flag(await countsFor(tx, owned, pull, reviewer_id)) })
}

/** Decides again which reviews are official, after a pull request got another base: of each reviewer the last verdict, or the request after it. */
export async function refreshOfficial(tx: Transaction, owned: Owned, pull: Pick<Pull, "issue_id" | "base_branch">): Promise<void> {
  const lastVerdicts = await findLastVerdicts(tx, { issueId: pull.issue_id })
  if (lastVerdicts.length === 0) return
  const people = await usersById(
    tx,
    lastVerdicts.map(({ reviewer_id }) => reviewer_id),
  )
  const protection = await findProtection(tx, owned.repository.id, pull.base_branch)
  const official = await officialReviewers(tx, protection, owned, [...people.values()])
  for (const { id, reviewer_id, is_official } of lastVerdicts) {
    const isOfficial = flag(official.has(reviewer_id))
    if (isOfficial !== is_official) await setOfficial(tx, { id, isOfficial })
  }
}
