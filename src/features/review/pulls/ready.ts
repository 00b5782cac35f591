import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { findPullByIssue } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { isUnfinished } from "../../planning/issues/draft.ts"

/** Asks the owners of the changed files to review a pull request that is no draft any more. */
export const requestOwners = jobKind({ kind: "pulls.requestOwners", payload: Type.Object({ pullId: int64(), actorId: int64() }) })

export interface Retitled extends Owned {
  /** With the new title. */
  readonly issue: Issue
  /** The title before. */
  readonly before: string
  readonly me: User
  readonly now: Seconds
}

/**
 * The effects of a new title: for a pull request that is no draft any more, notifies its participants and watchers, and asks the owners of the
 * changed files for a review.
 */
export async function followPullTitle(tx: Transaction, services: Services, retitled: Retitled): Promise<void> {
  const { issue, before, repository, owner, me, now } = retitled
  if (!isUnfinished(before) || isUnfinished(issue.title) || issue.is_closed === 1) return
  const pull = await findPullByIssue.first(tx, { issueId: issue.id })
  if (!pull) return
  publish(tx, { kind: "pull.ready", issue, repository, owner, actor: me, at: now })
  await services.jobs.enqueue(tx, requestOwners, { pullId: pull.id, actorId: me.id })
}
