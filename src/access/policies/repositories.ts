import type { Actor, User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { Refusal, Renamed, refuse } from "../../core/errors.ts"
import type { Text } from "../../core/language/message.ts"
import { type Access, pathNumber, type Request } from "../../core/operation.ts"
import { Mode, type ModeName, type Unit } from "../modes.ts"
import { type Owned, type Permission, permissionOn, reaches, unitModeOrAdmin } from "../permission.ts"
import { findRepositoryById, findRepositoryByName, findRepositoryRedirect, findUserById } from "../store.ts"
import { locateUser } from "./people.ts"
import { asMe, type Me } from "./site.ts"

export interface OnRepository extends Owned {
  readonly permission: Permission
}

/**
 * The repository of an owner's name and its own. Older names redirect to the newer; a repository that the caller may not see is missing.
 * All servers use this look-up: API, pages, git over HTTP and SSH.
 */
export async function locateRepository(db: Handle, actor: Actor, ownerName: string, name: string): Promise<OnRepository> {
  const owner = await locateUser(db, actor, ownerName, "owner")
  const lowerName = name.toLowerCase()
  const repository = await findRepositoryByName.first(db, { ownerId: owner.id, lowerName })
  if (repository) return admitted(db, actor, { repository, owner })
  const moved = await findRepositoryRedirect.first(db, { ownerId: owner.id, lowerName })
  if (moved) {
    const target = await locateRepositoryById(db, actor, moved.repository_id)
    throw new Renamed(301, { owner: target.owner.name, repo: target.repository.name })
  }
  throw refuse.notFound()
}

/** Like `locateRepository`, by id. */
export async function locateRepositoryById(db: Handle, actor: Actor, id: number): Promise<OnRepository> {
  const found = await findReachable(db, actor, id)
  if (!found) throw refuse.notFound()
  return found
}

/** The repository of that id; undefined where there is none, or none that the caller may see. */
export async function findReachable(db: Handle, actor: Actor, id: number): Promise<OnRepository | undefined> {
  const repository = await findRepositoryById.first(db, { id })
  const owner = repository && (await findUserById.first(db, { id: repository.owner_id }))
  return repository && owner && reached(db, actor, { repository, owner })
}

async function reached(db: Handle, actor: Actor, owned: Owned): Promise<OnRepository | undefined> {
  const permission = await permissionOn(db, actor, owned)
  return reaches(permission) ? { ...owned, permission } : undefined
}

async function admitted(db: Handle, actor: Actor, owned: Owned): Promise<OnRepository> {
  const found = await reached(db, actor, owned)
  if (!found) throw refuse.notFound()
  return found
}

/** The repository of the path's {owner} and {repo}, as `locateRepository` finds it. */
export const locateFromPath = ({ db, actor, path }: Request): Promise<OnRepository> =>
  locateRepository(db, actor, path.owner ?? "", path.repo ?? "")

/** For callers who may see the repository: at least read in some unit. */
export const onRepository: Access<OnRepository> = {
  rule: { subject: "repository", needs: "reach", signIn: "optional" },
  open: locateFromPath,
}

/** Like `onRepository`, for those who have signed in. The repository is looked up first, so that the 401 reveals nothing. */
export const onRepositorySignedIn: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "reach", signIn: "required" },
  open: async (request) => {
    const found = await locateFromPath(request)
    return { ...asMe(request.actor), ...found }
  },
}

/** The repository of the path's {id}, for signed-in callers; others are refused before anything is looked up. */
export const onRepositoryById: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "reach", signIn: "required", asksFirst: true },
  open: async ({ db, actor, path }) => ({ ...asMe(actor), ...(await locateRepositoryById(db, actor, pathNumber(path.id))) }),
}

/** A repository in a path below /user; anonymous callers are refused before anything is looked up. */
export const mineOnRepository: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "reach", signIn: "required", asksFirst: true },
  open: async (request) => ({ ...asMe(request.actor), ...(await locateFromPath(request)) }),
}

/** The repository that another is to be generated from, for those who have signed in and may read its code. */
export const onTemplate: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "code:read", signIn: "required" },
  open: async ({ db, actor, path }) => {
    const found = await locateTemplate(db, actor, path.template_owner ?? "", path.template_repo ?? "")
    const me = asMe(actor)
    requireUnit(found, "repo.code", "read")
    return { ...me, ...found }
  },
}

async function locateTemplate(db: Handle, actor: Actor, owner: string, name: string): Promise<OnRepository> {
  try {
    return await locateRepository(db, actor, owner, name)
  } catch (error) {
    // The path parameters have other names here.
    if (!(error instanceof Renamed)) throw error
    const names = Object.entries(error.replace).map(([key, value]) => [key === "owner" ? "template_owner" : "template_repo", value])
    throw new Renamed(error.status, Object.fromEntries(names))
  }
}

/** Refuses `archived` where the repository can be read and not changed. */
export function requireUnarchived({ repository }: Pick<OnRepository, "repository">, reason?: Text): void {
  if (repository.is_archived === 1) throw refuse.archived(reason)
}

/**
 * Refuses `archived` if the operation changes what is read-only in an archived repository. Only policies that check this before other refusals
 * need to call it: `operation` checks it again once the caller has been authorised.
 */
export function refuseArchived({ archived }: Request, found: OnRepository, reason?: Text): void {
  if (archived === "refused") requireUnarchived(found, reason)
}

type UnitWord = "code" | "issues" | "pulls" | "releases" | "wiki" | "projects" | "packages" | "actions"

/** At least `mode` in a unit. Administrators of the repository pass even if the unit is disabled. */
export const onRepositoryUnit = (unit: UnitWord, mode: Extract<ModeName, "read" | "write">): Access<OnRepository & Me> => ({
  rule: { subject: "repository", needs: `${unit}:${mode}`, signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    requireUnit(found, `repo.${unit}`, mode)
    return found
  },
})

/** Reading a unit, also for anonymous callers. */
export const onRepositoryUnitRead = (unit: UnitWord): Access<OnRepository> => ({
  rule: { subject: "repository", needs: `${unit}:read`, signIn: "optional" },
  open: async (request) => {
    const found = await locateFromPath(request)
    requireUnit(found, `repo.${unit}`, "read")
    return found
  },
})

/** The same, where what may not be read is missing: for what others show or load without asking the reader. */
export const orMissing = <Found>({ rule, open }: Access<Found>): Access<Found> => ({
  rule,
  open: async (request) => {
    try {
      return await open(request)
    } catch (error) {
      throw error instanceof Refusal && error.kind === "forbidden" ? refuse.notFound() : error
    }
  },
})

/** Refuses unless the caller has at least `mode` in the unit, or administers the repository. */
export function requireUnit({ permission, repository }: OnRepository, unit: Unit, mode: Extract<ModeName, "read" | "write">): void {
  if (unitModeOrAdmin(permission, repository, unit) >= Mode[mode]) return
  throw refuse.forbidden(
    mode === "read" ? "user should have a permission to read to a repo" : "user should have a permission to write to a repo",
  )
}

/** The owner in whose name an administrator of the repository asks about people; undefined for other callers. See `userKnown`. */
export const administered = ({ permission, owner }: OnRepository): User | undefined => (permission.mode >= Mode.admin ? owner : undefined)

const repositoryPolicy = (needs: "administrator" | "owner", mode: number): Access<OnRepository & Me> => ({
  rule: { subject: "repository", needs, signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    if (found.permission.mode < mode)
      throw refuse.forbidden(needs === "owner" ? "user should be the owner of the repo" : "user should be an administrator of the repo")
    return found
  },
})

export const onRepositoryAsAdministrator = repositoryPolicy("administrator", Mode.admin)
export const onRepositoryAsOwner = repositoryPolicy("owner", Mode.owner)

/** Information about the person of the path's {collaborator}, for that person and administrators of the repository. */
export const onRepositoryOfPerson: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "selfOrAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    const isSelf = found.me.lower_name === (request.path["collaborator"] ?? "").toLowerCase()
    if (!isSelf && found.permission.mode < Mode.admin) throw refuse.forbidden("only administrators of the repo may ask what others may do")
    return found
  },
}

/** Like `onRepositoryAsAdministrator`; anonymous callers get the same `forbidden` as others, as clients expect. */
export const onRepositoryAsAdministratorOnly: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "administrator", signIn: "optional" },
  open: async (request) => {
    const found = await locateFromPath(request)
    if (found.permission.mode < Mode.admin) throw refuse.forbidden("user should be an administrator of the repo")
    return { ...asMe(request.actor), ...found }
  },
}
