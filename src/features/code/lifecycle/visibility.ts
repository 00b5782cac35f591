import type { Owned, Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { isOrganizationOwner } from "../../people/teams/rules.ts"
import { recountStars } from "../repositories/counters-store.ts"
import { findParent, forksOf, setPrivate } from "../repositories/store.ts"
import { dropStars } from "../stars/store.ts"
import { unwatchLost } from "../watches/automatic-store.ts"

/** Visibility of a repository, and the consequences of changing it. */

/** Whether forks of a repository are private: if it is, or if its owner isn't public. */
export const forksArePrivate = ({
  repository,
  owner,
}: {
  readonly repository: Pick<Repository, "is_private">
  readonly owner: Pick<User, "visibility">
}): boolean => repository.is_private === 1 || owner.visibility === "private"

/**
 * Refuses `invalid` for `private` if the change isn't allowed: for a fork that would differ from its parent, against the site's settings,
 * or by a user who doesn't own the organisation if that is reserved to owners.
 */
export async function requireVisibilityChange(
  db: Handle,
  { config }: Services,
  doer: User,
  { repository, owner }: Owned,
  isPrivate: boolean,
): Promise<void> {
  const parent = repository.fork_of_id === null ? undefined : await findParent(db, repository.fork_of_id)
  if (parent && isPrivate !== forksArePrivate({ repository: parent, owner: parent }))
    throw refuse.invalid(
      "private",
      isPrivate ? "a fork is as public as what it was forked from" : "a fork is as private as what it was forked from",
    )
  if (doer.is_admin === 1) return
  if (config.repository.forcePrivate && !isPrivate) throw refuse.invalid("private", "cannot change private repository to public")
  const reserved = config.repository.visibilityByOwnersOnly && owner.kind === "organization"
  if (reserved && !(await isOrganizationOwner(db, owner.id, doer.id)))
    throw refuse.invalid("private", "only owners of the organization change the visibility of its repositories")
}

/**
 * Makes a repository private or public, with all its direct and indirect forks: a fork is never more visible than its parent. A repository that
 * becomes private loses all its stars, and those watches whose users can no longer see it; its events are hidden from public feeds until it becomes public again.
 */
export async function changeVisibility(
  tx: Transaction,
  { repository, owner }: Owned,
  { isPrivate, actor, now }: { readonly isPrivate: boolean; readonly actor: User; readonly now: Seconds },
): Promise<void> {
  const toHide: number[] = []
  const toShow: number[] = []
  let parents: readonly Node[] = [{ id: repository.id, is_private: flag(isPrivate), visibility: owner.visibility }]
  ;(isPrivate ? toHide : toShow).push(repository.id)
  while (parents.length > 0) {
    const hidden = new Map(parents.map((parent) => [parent.id, forksArePrivate({ repository: parent, owner: parent })]))
    const forks = await forksOf(tx, [...hidden.keys()])
    const changed = forks.filter((fork) => (fork.is_private === 1) !== hidden.get(fork.fork_of_id ?? 0))
    for (const fork of changed) (fork.is_private === 1 ? toShow : toHide).push(fork.id)
    parents = changed.map((fork) => ({ ...fork, is_private: flag(fork.is_private === 0) }))
  }
  await setPrivate(tx, toHide, true)
  await setPrivate(tx, toShow, false)
  if (toHide.length > 0) await recountStars(tx, { repositoryIds: toHide, userIds: await dropStars(tx, toHide) })
  await unwatchLost(tx, toHide)
  if (toHide.length > 0) publish(tx, { kind: "access.lost", repositoryIds: toHide })
  for (const id of toHide) publish(tx, { kind: "repository.madePrivate", repository: { id }, actor, at: now })
  for (const id of toShow) publish(tx, { kind: "repository.madePublic", repository: { id }, actor, at: now })
}

type Node = Pick<Repository, "id" | "is_private"> & Pick<User, "visibility">
