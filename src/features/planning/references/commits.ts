import type { Owned } from "../../../access/permission.ts"
import { mayBook } from "../../../access/policies/tracking.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { cutToWidth } from "../../../core/text/width.ts"
import { isBlocked } from "../dependencies/rules.ts"
import { lockForIssues, lockIssue } from "../issues/lock.ts"
import { type Reference, referencesIn } from "../issues/reference-text.ts"
import { mayAct, type Resolved, resolveReferences } from "../issues/references.ts"
import { findReferredCommits } from "../issues/references-store.ts"
import { setState } from "../issues/state.ts"
import { touchIssue } from "../issues/touch-store.ts"
import { MAX_SECONDS } from "../tracking/records.ts"
import { addTime } from "../tracking/rules.ts"
import { commitText } from "./commit-text.ts"

/** References to issues in the messages of pushed commits: the issues get a timeline entry, and are closed or reopened. */

/** A commit with what its message refers to. */
export interface ReferringCommit {
  readonly id: string
  readonly subject: string
  /** The branch that it was pushed to. */
  readonly branch: string
  readonly references: readonly Reference[]
}

const LONGEST_SUBJECT = 255

/** Those of the commits that refer to issues, in their order. `rootUrl` is the server's own URL. */
export const referringCommits = (
  rootUrl: string,
  branch: string,
  commits: readonly { readonly id: string; readonly message: string }[],
): readonly ReferringCommit[] =>
  commits.flatMap(({ id, message }) => {
    const references = referencesIn(rootUrl, message)
    return references.length === 0
      ? []
      : [{ id, branch, subject: cutToWidth(message.split("\n", 1)[0] ?? "", LONGEST_SUBJECT), references }]
  })

export interface PushedReferences extends Owned {
  readonly pusher: User
  /** Oldest first. */
  readonly commits: readonly ReferringCommit[]
  /** An issue that gets no entry for one of the commits. */
  readonly excluded?: { readonly issueId: number; readonly commitId: string | null | undefined } | undefined
  readonly now: Seconds
}

/**
 * Applies the references of pushed commits with the permissions of the pusher. Each issue gets one entry for each commit. An issue is
 * closed or reopened if the commit is on the default branch, or on the branch that the issue names, and the pusher is its author or may
 * write to issues. Issues that depend on open ones are not closed; archived repositories are skipped.
 */
export async function applyPushedReferences(tx: Transaction, services: Services, pushed: PushedReferences): Promise<void> {
  const { commits, pusher, excluded } = pushed
  if (commits.length === 0) return
  const resolved = await resolveReferences(
    tx,
    pushed,
    pusher,
    commits.flatMap((commit) => commit.references),
  )
  const targets = new Map(resolved.map((found) => [found.reference, found]))
  const issueIds = [...new Set(resolved.map(({ issue }) => issue.id))]
  if (issueIds.length === 0) return
  const told = new Set(
    (await findReferredCommits(tx, { issueIds, commitIds: commits.map(({ id }) => id) })).map((row) => `${row.issue_id} ${row.commit_id}`),
  )
  for (const commit of commits) {
    const acted = new Set<string>()
    for (const reference of commit.references) {
      const target = targets.get(reference)
      if (!target || target.repository.is_archived === 1) continue
      if (target.issue.id === excluded?.issueId && commit.id === excluded.commitId) continue
      const once = `${target.issue.id} ${commit.id}`
      if (!told.has(once)) await publishReference(tx, services, pushed, commit, target)
      told.add(once)
      const action = `${target.issue.id} ${reference.action}`
      if (!acted.has(action)) await changeState(tx, services, pushed, commit, target)
      acted.add(action)
    }
  }
}

async function publishReference(
  tx: Transaction,
  { site }: Services,
  pushed: PushedReferences,
  commit: ReferringCommit,
  { issue }: Resolved,
): Promise<void> {
  const { owner, repository, pusher, now } = pushed
  const url = `${site.rootUrl}/${owner.name}/${repository.name}/commit/${commit.id}`
  const html = commitText(url, commit.subject)
  await touchIssue(tx, issue, now)
  publish(tx, { kind: "issue.referencedByCommit", issue, actor: pusher, commitId: commit.id, html, at: now })
}

async function changeState(
  tx: Transaction,
  services: Services,
  pushed: PushedReferences,
  commit: ReferringCommit,
  target: Resolved,
): Promise<void> {
  const { pusher, now } = pushed
  const { action, spent } = target.reference
  if (action === "none" || !mayAct(target, pusher)) return
  const wanted = target.issue.ref === "" ? pushed.repository.default_branch : target.issue.ref.replace(/^refs\/heads\//, "")
  if (commit.branch !== wanted) return
  const repository = await lockForIssues(tx, target.repository.id)
  const issue = await lockIssue(tx, target.issue)
  const closed = action === "closes"
  if ((issue.is_closed === 1) === closed || (closed && (await isBlocked(tx, { issue, repository })))) return
  await setState(tx, services, { issue, repository, owner: target.owner, closed, actor: pusher, now, commitId: commit.id })
  if (closed && spent > 0 && spent <= MAX_SECONDS && (await mayBook(tx, { ...target, repository }, issue, pusher)))
    await addTime(tx, { issue, user: pusher, seconds: spent, spentAt: now, now })
}
