import { type RawBuilder, type SqlBool, sql } from "kysely"
import { type Actor, isPublicOnly, isSiteAdministrator, jobOf, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import type { Access, Request } from "../../core/operation.ts"
import { findOwnersTeamGrants } from "../grants.ts"
import { Mode } from "../modes.ts"
import { findRepositoryById } from "../store.ts"
import { readableRepositories } from "../visibility.ts"
import { roleIn } from "./organization-role.ts"
import { locateUser, userVisible } from "./people.ts"
import { asMe, type Me } from "./site.ts"

const UNIT = "repo.packages"

/** What a caller may do with the packages of a person or organisation. */
export interface PackageRights {
  readonly mode: number
  /** Whether the caller belongs to the owner, and so sees restricted packages. */
  readonly isInsider: boolean
}

const NOTHING: PackageRights = { mode: Mode.none, isInsider: false }
const EVERYTHING: PackageRights = { mode: Mode.owner, isInsider: true }

/**
 * A person has all rights on their own packages, and teams grant those on an organisation's by their packages unit. Others read the packages of an
 * owner whom they may see. The token of a job has what its permissions say for the owner of its repository. At most three queries.
 */
export async function packageRights(db: Handle, actor: Actor, owner: User): Promise<PackageRights> {
  const job = jobOf(actor)
  if (job && (await findRepositoryById.first(db, { id: job.repositoryId }))?.owner_id === owner.id) {
    const shown = (await userVisible(db, actor, owner)) ? Mode.read : Mode.none
    return { mode: Math.max(shown, job.units[UNIT] ?? Mode.none), isInsider: false }
  }
  if (!(await userVisible(db, actor, owner))) return NOTHING
  const readsOnly: PackageRights = { mode: Mode.read, isInsider: false }
  if (actor.kind === "anonymous") return readsOnly
  if (isSiteAdministrator(actor) || actor.user.id === owner.id) return EVERYTHING
  if (owner.kind !== "organization") return readsOnly
  const { isMember } = await roleIn(db, actor, owner)
  const grants = await findOwnersTeamGrants(db, { userId: actor.user.id, subjectIds: [owner.id] })
  if (grants.some(({ mode = Mode.none }) => mode >= Mode.admin)) return EVERYTHING
  const modes = grants.map(({ unit, unit_mode }) => (unit === UNIT ? (unit_mode ?? Mode.none) : Mode.none))
  return { mode: Math.max(Mode.read, ...modes), isInsider: isMember }
}

/**
 * Which rows of `packages` of that owner the caller may see. A package that is linked to a private repository is shown to those who may read the
 * repository's packages, a restricted one to those who belong to the owner; those who own the owner's packages see all, with a token that is
 * limited to what is public only that.
 */
export function visiblePackages(actor: Actor, { mode, isInsider }: PackageRights): RawBuilder<SqlBool> {
  const seesPublic = isPublicOnly(actor)
  if (mode >= Mode.owner && !seesPublic) return sql<SqlBool>`1 = 1`
  const open = isInsider && !seesPublic ? sql<SqlBool>`1 = 1` : sql<SqlBool>`packages.is_restricted = 0`
  return sql<SqlBool>`(${open} and (packages.repository_id is null or exists (select 1 from repositories
    where repositories.id = packages.repository_id and (repositories.is_private = 0 or ${readableRepositories(actor, UNIT)}))))`
}

export interface OnPackages {
  /** The owner of the packages. */
  readonly owner: User
  readonly rights: PackageRights
}

/** The packages of the account of that name; one that the caller may not see is missing, an older name leads to the newer. */
export async function locatePackages(db: Handle, actor: Actor, name: string): Promise<OnPackages> {
  const owner = await locateUser(db, actor, name, "owner")
  const rights = await packageRights(db, actor, owner)
  if (rights.mode < Mode.read) throw refuse.notFound()
  return { owner, rights }
}

/** Refuses `forbidden` unless the caller may change the owner's packages. */
export function requirePackageWriter({ owner, rights }: OnPackages): void {
  if (rights.mode < Mode.write) throw refuse.forbidden(`you may not write to the packages of ${owner.name}`)
}

/** Refuses `forbidden` the token of a job for a package that is not linked to the repository of the job. */
export function requireOfJob(actor: Actor, repositoryId: number | null): void {
  const job = jobOf(actor)
  if (job && job.repositoryId !== repositoryId)
    throw refuse.forbidden("the token of a job can only change packages that are linked to its repository")
}

const policy = (needs: "packages:read" | "packages:write"): Access<OnPackages & Me> => ({
  rule: { subject: "organization", needs, signIn: "required", asksFirst: true },
  open: async ({ db, actor, path }: Request) => {
    const me = asMe(actor)
    const found = await locatePackages(db, actor, path["owner"] ?? "")
    if (needs === "packages:write") requirePackageWriter(found)
    return { ...me, ...found }
  },
})

/** The packages of the path's {owner}, person or organisation. Clients expect that anonymous callers are refused, also where all is public. */
export const onPackages = policy("packages:read")
export const onPackagesAsWriter = policy("packages:write")

/** The packages of the path's {owner} for whoever may see the owner: pages show to everybody what is public. */
export const onVisiblePackages: Access<OnPackages> = {
  rule: { subject: "organization", needs: "packages:read", signIn: "optional" },
  open: ({ db, actor, path }) => locatePackages(db, actor, path["owner"] ?? ""),
}
