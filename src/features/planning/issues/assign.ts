import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { knownAmong } from "../../../access/policies/people.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { assignableAmong } from "./assignable.ts"
import { deleteAssignees, findAssignees, findUsersNamed, insertAssignees } from "./people-store.ts"
import { touchIssue } from "./touch-store.ts"

/** Who names users, in whose repository. They may write to its issues. */
interface Naming {
  readonly actor: Actor
  readonly owner: User
}

/** The accounts of these names, each once, in the order of the names. Refuses as `invalid` a name of no account that the caller knows. */
export async function usersNamed(db: Handle, { actor, owner }: Naming, names: readonly string[]): Promise<readonly User[]> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))]
  if (wanted.length === 0) return []
  const known = await knownAmong(db, actor, await findUsersNamed(db, { names: wanted }), owner)
  const found = new Map(known.map((user) => [user.lower_name, user]))
  return wanted.map((name) => {
    const user = found.get(name)
    if (!user) throw refuse.invalid("assignees", t`there is no user ${name}`)
    return user
  })
}

/** Makes the refusal of a user who can't be assigned to issues of a repository, which depends on the operation. */
export type RefuseAssignee = (user: User, repositoryName: string) => Refusal

/** Refuses users who can't be assigned to the repository's issues, and `forbidden` where one of them has blocked the actor. */
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

/** The refusal of an assignee as invalid input. */
export const invalidAssignee: RefuseAssignee = (user, repository) =>
  refuse.invalid("assignees", user.kind === "person" ? t`${user.name} has no access to ${repository}` : t`${user.name} is an organization`)

export interface Assignment extends Owned {
  readonly issue: Issue
  readonly actor: User
  /** The users to add, to remove, or to replace the others with. That the issue can be assigned to them must be checked before. */
  readonly users: readonly User[]
  readonly mode: "add" | "remove" | "replace"
  readonly now: Seconds
}

/** Changes the assignees of an issue. Nothing is written where nothing changes. The issue's row must be locked already. */
export async function assign(tx: Transaction, assignment: Assignment): Promise<void> {
  const { issue, actor, users, mode, now } = assignment
  if (users.length === 0 && mode !== "replace") return
  const assigned = await findAssignees(tx, { ids: [issue.id] })
  const has = (people: readonly { readonly id: number }[], id: number) => people.some((person) => person.id === id)
  const added = mode === "remove" ? [] : users.filter(({ id }) => !has(assigned, id))
  const removed = mode === "add" ? [] : assigned.filter(({ id }) => has(users, id) === (mode === "remove"))
  if (added.length + removed.length === 0) return
  if (removed.length > 0) {
    const ids = removed.map(({ id }) => id)
    await deleteAssignees(tx, { issueId: issue.id, userIds: ids })
  }
  const rows = added.map(({ id }) => ({ issue_id: issue.id, user_id: id }))
  for (const slice of slicesOf(rows)) await insertAssignees(tx, slice)
  await touchIssue(tx, issue, now)
  const { repository, owner } = assignment
  publish(tx, { kind: "issue.assigned", issue, repository, owner, actor, added, removed, at: now })
}
