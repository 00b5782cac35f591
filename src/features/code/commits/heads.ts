import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionOn, unitMode } from "../../../access/permission.ts"
import { locateUser } from "../../../access/policies/people.ts"
import { locateRepository, type OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { ancestryOf, findFork } from "./store.ts"

/** Heads of comparisons and pull requests, which may be in a fork. */

/** A head as clients write it: `branch`, `owner:branch` or `owner/repository:branch`. Branches have no colon in their names. */
interface HeadName {
  readonly owner?: string
  readonly repository?: string
  readonly branch: string
}

export function readHead(text: string): HeadName {
  const colon = text.indexOf(":")
  if (colon === -1) return { branch: text }
  const [owner = "", repository] = text.slice(0, colon).split("/", 2)
  return { owner, branch: text.slice(colon + 1), ...(repository !== undefined && { repository }) }
}

/**
 * The repository of a head, for a base repository that the caller can read: the base itself, the named owner's fork of it (or what it
 * was forked from), or the one of that name. Refuses `notFound` for a repository whose code the caller may not read, and
 * `badRequest` for an owner without such a fork, and for a repository unrelated to the base.
 */
export async function locateHead(db: Handle, actor: Actor, base: OnRepository, { owner, repository }: HeadName): Promise<OnRepository> {
  if (owner === undefined || (owner.toLowerCase() === base.owner.lower_name && repository === undefined)) return base
  const found = repository === undefined ? await forkOf(db, actor, base, owner) : await named(db, actor, owner, repository)
  if (found.repository.id === base.repository.id) return base
  if (!(await areRelated(db, found, base))) throw refuse.badRequest(t`${owner}'s repository is no fork of ${base.repository.name}`)
  const { permission } = found
  if (permission.mode < Mode.admin && unitMode(permission, found.repository, "repo.code") < Mode.read) throw refuse.notFound()
  return found
}

/** Looks up a repository by names that may be old ones. */
async function named(db: Handle, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  try {
    return await locateRepository(db, actor, owner, name)
  } catch (error) {
    if (!(error instanceof Renamed)) throw error
    return named(db, actor, error.replace["owner"] ?? owner, error.replace["repo"] ?? name)
  }
}

async function forkOf(db: Handle, actor: Actor, base: OnRepository, ownerName: string): Promise<OnRepository> {
  const owner = await userNamed(db, actor, ownerName)
  const { id, fork_of_id } = base.repository
  const repository = await findFork.first(db, { ownerId: owner.id, baseId: id, parentId: fork_of_id ?? 0 })
  const none = refuse.badRequest(t`${ownerName} has no fork of ${base.repository.name}`)
  if (!repository) throw none
  const owned: Owned = { repository, owner }
  const permission = await permissionOn(db, actor, owned)
  // A hidden user is refused like a missing one.
  if (permission.mode < Mode.admin && unitMode(permission, repository, "repo.code") < Mode.read) throw none
  return { ...owned, permission }
}

async function userNamed(db: Handle, actor: Actor, name: string): Promise<User> {
  try {
    return await locateUser(db, actor, name, "owner")
  } catch (error) {
    if (!(error instanceof Renamed)) throw error
    return userNamed(db, actor, error.replace["owner"] ?? name)
  }
}

/** Whether both come from the same repository, through however many forks. */
async function areRelated(db: Handle, a: OnRepository, b: OnRepository): Promise<boolean> {
  if (a.repository.object_format !== b.repository.object_format) return false
  const lines = [await ancestryOf(db, a.repository), await ancestryOf(db, b.repository)]
  return lines[0]?.some((id) => lines[1]?.includes(id)) ?? false
}

/** The head that a path names, as `locateEnds` reads it; undefined if the caller can read no such repository. */
export async function headNamed(
  db: Handle,
  actor: Actor,
  base: OnRepository,
  text: string,
): Promise<{ readonly repositoryId: number; readonly branch: string } | undefined> {
  const name = readHead(text)
  try {
    return { repositoryId: (await locateHead(db, actor, base, name)).repository.id, branch: name.branch }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
