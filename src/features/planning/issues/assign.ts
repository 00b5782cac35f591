import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { notify } from "../../events/notifications/rules.ts"
import { announceIssue } from "../../events/webhooks/events/issues.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { assignableAmong } from "./assignable.ts"
import { findAssignees } from "./store.ts"
import { addTimelineEntry } from "./timeline.ts"
import { touchIssue } from "./touch.ts"

const findUsersNamed = query("issues.findUsersNamed", (db, p: Params<{ names: readonly string[] }>) =>
  db.selectFrom("users").selectAll().where("lower_name", "in", p.names),
)

/** The accounts of these names, each once, in the order of the names. Refuses as `invalid` a name that nobody has. */
export async function usersNamed(db: Handle, names: readonly string[]): Promise<readonly User[]> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))]
  if (wanted.length === 0) return []
  const found = new Map((await findUsersNamed(db, { names: wanted })).map((user) => [user.lower_name, user]))
  return wanted.map((name) => {
    const user = found.get(name)
    if (!user) throw refuse.invalid("assignees", `there is nobody called ${name}`)
    return user
  })
}

/** Somebody who can't be given issues of a repository; which refusal that is depends on the operation. */
export type RefuseAssignee = (user: User, repositoryName: string) => Refusal

/** Refuses whom the repository's issues can't be given to, and `forbidden` where one of them has blocked the actor. */
export async function requireAssignable(
  db: Handle,
  owned: Owned,
  actor: User,
  users: readonly User[],
  refusal: RefuseAssignee,
): Promise<void> {
  if (users.length === 0) return
  const fit = await assignableAmong(db, owned, users)
  for (const user of users) if (!fit.has(user.id)) throw refusal(user, owned.repository.name)
  await requireUnblocked(db, actor, users)
}

/** The refusal of an assignee as an input that is not valid. */
export const invalidAssignee: RefuseAssignee = (user, repository) =>
  refuse.invalid("assignees", user.kind === "person" ? `${user.name} has no access to ${repository}` : `${user.name} is an organization`)

export interface Assignment extends Owned {
  readonly issue: Issue
  readonly actor: User
  /** Those to add, to take away, or to have in the end; whom the issue can be given to was asked before. */
  readonly users: readonly User[]
  readonly mode: "add" | "remove" | "replace"
  readonly now: Seconds
}

/** How many came and how many went. */
export interface Reassigned {
  readonly added: number
  readonly removed: number
}

const NOBODY: Reassigned = { added: 0, removed: 0 }

/**
 * Changes whom an issue is given to, with an entry of the timeline for each who comes or goes; whoever comes is told. Where nothing changes
 * nothing is written. The issue's row must be locked already.
 */
export async function assign(tx: Transaction, services: Services, assignment: Assignment): Promise<Reassigned> {
  const { issue, actor, users, mode, now } = assignment
  if (users.length === 0 && mode !== "replace") return NOBODY
  const assigned = await findAssignees(tx, { ids: [issue.id] })
  const has = (people: readonly { readonly id: number }[], id: number) => people.some((person) => person.id === id)
  const added = mode === "remove" ? [] : users.filter(({ id }) => !has(assigned, id))
  const removed = mode === "add" ? [] : assigned.filter(({ id }) => has(users, id) === (mode === "remove"))
  if (added.length + removed.length === 0) return NOBODY
  const entry = { issueId: issue.id, kind: "assignees", authorId: actor.id, now } as const
  if (removed.length > 0) {
    const ids = removed.map(({ id }) => id)
    await tx.deleteFrom("issue_assignees").where("issue_id", "=", issue.id).where(inList("issue_assignees.user_id", ids)).execute()
    for (const id of ids) await addTimelineEntry(tx, { ...entry, assignee_id: id, removed_assignee: 1 })
  }
  if (added.length > 0) {
    await tx
      .insertInto("issue_assignees")
      .values(added.map(({ id }) => ({ issue_id: issue.id, user_id: id })))
      .execute()
    for (const { id } of added) await addTimelineEntry(tx, { ...entry, assignee_id: id })
    const { repository, owner } = assignment
    await notify(tx, services, { kind: "assigned", issue, repository, owner, actor, users: added.map(({ id }) => id), now })
  }
  await touchIssue(tx, issue.id, now)
  return { added: added.length, removed: removed.length }
}

/** Like `assign`, for an issue that is there already: webhooks are told of each who comes or goes. */
export async function reassign(tx: Transaction, services: Services, assignment: Assignment): Promise<void> {
  const { added, removed } = await assign(tx, services, assignment)
  const news = (count: number, action: "assigned" | "unassigned") =>
    Array.from({ length: count }, () => ({ of: "assignee", action }) as const)
  await announceIssue(tx, services, assignment, ...news(removed, "unassigned"), ...news(added, "assigned"))
}
