import { Mode } from "../../../access/modes.ts"
import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { noteGrant } from "../../people/users/factors-store.ts"
import { lockUser } from "../../people/users/store.ts"
import { dropCollaboration, lockCollaboration, putCollaboration } from "./store.ts"

/**
 * Makes a user a collaborator, or changes a collaborator's mode. Refuses `invalid` for organisations, inactive accounts, and
 * the owner, who has every right already; `forbidden` if the user has blocked, or is blocked by, the owner or the caller; `notFound` for a
 * repository that the caller can no longer access.
 */
export async function putCollaborator(
  tx: Transaction,
  actor: SignedIn,
  repositoryId: number,
  { user, mode }: { readonly user: User; readonly mode: number },
  now: Seconds,
): Promise<void> {
  // Blocking locks the same row, so that no collaboration is added concurrently with a block.
  const person = await lockUser(tx, user.id)
  await lockRow(tx, "repositories", repositoryId)
  const { owner } = await locateRepositoryById(tx, actor, repositoryId)
  if (person.kind !== "person") throw refuse.invalid("collaborator", t`${person.name} is an organization; give its teams the repository`)
  if (person.id === owner.id) throw refuse.invalid("collaborator", t`${person.name} owns the repository`)
  if (person.is_active === 0) throw refuse.invalid("collaborator", t`the account of ${person.name} is not active`)
  await requireUnblocked(tx, person, [owner, actor.user])
  await requireUnblocked(tx, owner, [person])
  if (actor.user.id !== owner.id) await requireUnblocked(tx, actor.user, [person])
  const former = await lockCollaboration(tx, repositoryId, person.id)
  if (former?.mode === mode) return
  await putCollaboration(tx, { repository_id: repositoryId, user_id: person.id, mode, created_at: now })
  if (owner.kind === "organization") {
    await lockRow(tx, "users", owner.id)
    await noteGrant.changes(tx, { organizationId: owner.id, userId: person.id })
  }
  const event = { repository: { id: repositoryId }, user: person, actor: actor.user, at: now }
  if (former) publish(tx, { kind: "collaborator.changed", ...event, from: former.mode, to: mode })
  else publish(tx, { kind: "collaborator.added", ...event, mode })
}

/** Ends a collaboration, if there is one. A user who can no longer read the repository stops watching it. */
export async function removeCollaborator(tx: Transaction, actor: User, repositoryId: number, user: User): Promise<void> {
  if (!(await dropCollaboration(tx, repositoryId, user.id))) return
  publish(
    tx,
    { kind: "collaborator.removed", repository: { id: repositoryId }, user, actor },
    { kind: "access.lost", userIds: [user.id], repositoryIds: [repositoryId] },
  )
}

/** The creator of an organisation's repository, whom no team makes its administrator, administers it as a collaborator. */
export async function addCreator(tx: Transaction, repositoryId: number, creator: Pick<User, "id">, now: Seconds): Promise<void> {
  await putCollaboration(tx, { repository_id: repositoryId, user_id: creator.id, mode: Mode.admin, created_at: now })
  publish(tx, { kind: "collaborator.added", repository: { id: repositoryId }, user: creator, mode: Mode.admin, actor: creator, at: now })
}
