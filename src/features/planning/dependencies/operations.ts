import { onDependencies, onDependent, onIssueToTie, requireDependent } from "../../../access/policies/dependencies.ts"
import { type OnIssue, onIssue } from "../../../access/policies/issues.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { presentIssue, presentIssues } from "../issues/present.ts"
import { Issue, IssueMeta } from "../issues/records.ts"
import { findIssueById } from "../issues/store.ts"
import { presentWithHidden } from "./present.ts"
import { addDependency, type IssuePair, locateNamed, removeDependency } from "./rules.ts"
import { findBlocked, findDependencies } from "./store.ts"

const shared = { tag: "issue", scope: ["issue"] } as const
// Existing clients expect 201 from all four, although their API documents say 200 for removals.
const CHANGED = { 201: Issue } as const
const REMOVED = { 200: Issue, 201: Issue } as const

interface Call extends OnIssue {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly me: User
  readonly body: IssueMeta
}

type Change = (tx: Transaction, pair: IssuePair, actor: User, now: number) => Promise<void>

/** Adds or removes a dependency between the issue of the path and that of the body, and returns the issue of the path afterwards. */
async function change(call: Call, change: Change, pairWith: (named: OnIssue) => IssuePair) {
  const { services, db, actor, me, body, owner, repository, issue } = call
  const pair = pairWith(await locateNamed(db, actor, body))
  return services.database.write(async (tx) => {
    await change(tx, pair, me, services.now())
    const row = await findIssueById.first(tx, { id: issue.id })
    if (!row) throw refuse.notFound()
    return created(await presentIssue(tx, services.site, actor, row, { repository, owner }))
  })
}

/** The path's issue depends on the body's. */
const asDependent =
  (call: Call) =>
  (named: OnIssue): IssuePair => ({ dependent: call.issue, dependency: named.issue })

/** The body's issue depends on the path's, so the body's issue is the one that is changed. */
const asDependency =
  (call: Call) =>
  (named: OnIssue): IssuePair => {
    requireDependent(named)
    return { dependent: named.issue, dependency: call.issue }
  }

export const dependencyOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueListIssueDependencies",
    route: "GET /repos/{owner}/{repo}/issues/{index}/dependencies",
    summary: "List the dependencies of an issue",
    description: "That of the same repository first. What the caller may not see is there, but not shown.",
    access: onDependencies,
    paged: true,
    answers: { 200: Type.Array(Issue) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, issue, page }) => {
      const { rows, total } = await findDependencies(db, issue, page)
      return listed(await presentWithHidden(db, services.site, actor, rows), total)
    },
  }),

  operation({
    ...shared,
    id: "issueCreateIssueDependencies",
    route: "POST /repos/{owner}/{repo}/issues/{index}/dependencies",
    summary: "Add a dependency to an issue",
    description: "It can't be closed before the other is. The other may be in any repository that the caller may read.",
    access: onDependent,
    archived: "refused",
    body: IssueMeta,
    answers: CHANGED,
    refuses: ["notFound", "conflict", "invalid"],
    handle: (call) => change(call, addDependency, asDependent(call)),
  }),

  operation({
    ...shared,
    id: "issueRemoveIssueDependencies",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/dependencies",
    summary: "Remove a dependency of an issue",
    access: onDependent,
    archived: "refused",
    body: IssueMeta,
    answers: REMOVED,
    refuses: ["notFound", "invalid"],
    handle: (call) => change(call, removeDependency, asDependent(call)),
  }),

  operation({
    ...shared,
    id: "issueListBlocks",
    route: "GET /repos/{owner}/{repo}/issues/{index}/blocks",
    summary: "List the issues that an issue blocks",
    description: "As far as the caller may see it; that of the same repository first.",
    access: onIssue,
    paged: true,
    answers: { 200: Type.Array(Issue) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, issue, page }) => {
      const { rows, total } = await findBlocked(db, actor, issue, page)
      return listed(await presentIssues(db, services.site, actor, rows), total)
    },
  }),

  operation({
    ...shared,
    id: "issueCreateIssueBlocking",
    route: "POST /repos/{owner}/{repo}/issues/{index}/blocks",
    summary: "Make an issue block another",
    description: "The caller must be allowed to write to the other.",
    access: onIssueToTie,
    archived: "refused",
    body: IssueMeta,
    answers: CHANGED,
    refuses: ["notFound", "conflict", "invalid"],
    handle: (call) => change(call, addDependency, asDependency(call)),
  }),

  operation({
    ...shared,
    id: "issueRemoveIssueBlocking",
    route: "DELETE /repos/{owner}/{repo}/issues/{index}/blocks",
    summary: "Remove an issue that this one blocks",
    access: onIssueToTie,
    archived: "refused",
    body: IssueMeta,
    answers: REMOVED,
    refuses: ["notFound", "invalid"],
    handle: (call) => change(call, removeDependency, asDependency(call)),
  }),
]
