import { type Owned, permissionsOf } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { Services } from "../../../core/services.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { isBlocked } from "../../planning/dependencies/rules.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { mayAct } from "../../planning/issues/references.ts"
import { setState } from "../../planning/issues/state.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { findReferred } from "./store.ts"

/** Closes and reopens issues that a merged pull request refers to with a keyword. */

export interface Closing {
  /** The issue that the pull request is. */
  readonly pullIssue: Issue
  readonly merger: User
  readonly commitId: string
  readonly now: Seconds
}

/**
 * Closes and reopens the issues that the pull request's title, body and comments ask for. The last mention of each issue counts, if the merger or its
 * author may close it. Issues that depend on open ones stay open; archived repositories are left alone.
 */
export async function closeReferredIssues(
  tx: Transaction,
  services: Services,
  { pullIssue, merger, commitId, now }: Closing,
): Promise<void> {
  const rows = await findReferred(tx, { issueId: pullIssue.id })
  if (rows.length === 0) return
  const last = new Map(rows.map((row) => [row.issue_id, row]))
  const repositories = await withOwners(tx, await findRepositoriesByIds(tx, { ids: [...new Set(rows.map((row) => row.repository_id))] }))
  for (const { issue_id, author_id, ref_action, repository_id } of last.values()) {
    const home = repositories.find(({ repository }) => repository.id === repository_id)
    if (!home || home.repository.is_archived === 1) continue
    const target = await findIssueById.first(tx, { id: issue_id })
    const writer = author_id === merger.id ? merger : await findUserById.first(tx, { id: author_id })
    if (!target || !(await anyMayClose(tx, home, target, writer ? [merger, writer] : [merger]))) continue
    const repository = await lockForIssues(tx, repository_id)
    const issue = await lockIssue(tx, { id: issue_id, repository_id })
    const closed = ref_action === "closes"
    if ((issue.is_closed === 1) === closed || (closed && (await isBlocked(tx, { issue, repository })))) continue
    await setState(tx, services, { issue, repository, owner: home.owner, closed, actor: merger, now, commitId })
  }
}

async function anyMayClose(tx: Transaction, home: Owned, issue: Issue, people: readonly User[]): Promise<boolean> {
  const permissions = await permissionsOf(tx, home, people)
  return people.some((user) => {
    const permission = permissions.get(user.id)
    return permission !== undefined && mayAct({ ...home, permission, issue }, user)
  })
}
