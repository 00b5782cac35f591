import { type Actor, isPublicOnlyIn, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import type { Access, Request } from "../../core/operation.ts"
import { meets } from "../condition.ts"
import { Mode } from "../modes.ts"
import { projectsMode, type Repository, unitModeOrAdmin } from "../permission.ts"
import { HAS_OWN_PROJECTS } from "../rules.ts"
import { locateUser } from "./people.ts"
import { locateFromPath, type OnRepository, requireUnit } from "./repositories.ts"
import { asMe, type Me } from "./site.ts"

/** The owner of projects: a person, an organisation, or a repository. */
export interface ProjectHome {
  readonly owner: User
  readonly repository: Repository | null
}

export interface OnProjects {
  readonly home: ProjectHome
}

const UNIT = "repo.projects"

// --- the caller's own ------------------------------------------------------------------------------------------------------------

/** The caller's own projects. They have the visibility of the account. */
export const onMyProjects: Access<OnProjects & Me> = {
  rule: { subject: "site", needs: "signIn", signIn: "required" },
  open: ({ actor }) => {
    const found = asMe(actor)
    if (isPublicOnlyIn(actor, found.me) && found.me.visibility !== "public")
      throw refuse.forbidden("token scope is limited to public users")
    return { ...found, home: { owner: found.me, repository: null } }
  },
}

// --- an organisation's -----------------------------------------------------------------------------------------------------------

async function locateInOrganization({ db, actor, path }: Request): Promise<OnProjects & { readonly mode: number }> {
  const owner = await locateUser(db, actor, path["org"] ?? "", "org")
  const mode = owner.kind === "organization" ? await projectsMode(db, actor, owner) : Mode.none
  if (mode < Mode.read) throw refuse.notFound()
  return { home: { owner, repository: null }, mode }
}

/** The projects of the path's {org}; if the caller may not read them, they are missing. */
export const onOrganizationProjects: Access<OnProjects> = {
  rule: { subject: "organization", needs: "projects:read", signIn: "optional" },
  open: locateInOrganization,
}

const organizationWriterPolicy = (needs: "projects:write" | "columns:write"): Access<OnProjects & Me> => ({
  rule: { subject: "organization", needs, signIn: "required" },
  open: async (request) => {
    const { home, mode } = await locateInOrganization(request)
    const me = asMe(request.actor)
    if (mode >= Mode.write) return { ...me, home }
    throw needs === "columns:write" ? refuse.forbidden("Must have write access to the organization's projects") : refuse.notFound()
  },
})

/** Like `onOrganizationProjects`, for callers who may write to them. Clients expect them to be missing for others who may read them. */
export const onOrganizationProjectsAsWriter = organizationWriterPolicy("projects:write")

/** For what is in the columns, and for the columns: callers who may only read the projects are forbidden. */
export const onOrganizationColumnsAsWriter = organizationWriterPolicy("columns:write")

/** The projects of the path's {username}, person or organisation, for callers who may read them. */
export const onUserProjects: Access<OnProjects> = {
  rule: { subject: "user", needs: "projects:read", signIn: "optional" },
  open: async ({ db, actor, path }) => {
    const owner = await locateUser(db, actor, path["username"] ?? "", "username")
    if ((await projectsMode(db, actor, owner)) < Mode.read) throw refuse.notFound()
    return { home: { owner, repository: null } }
  },
}

/** Like `onUserProjects`, for those who have signed in. */
export const onUserProjectsSignedIn: Access<OnProjects & Me> = {
  rule: { subject: "user", needs: "projects:read", signIn: "required", asksFirst: true },
  open: async (request) => ({ ...asMe(request.actor), ...(await onUserProjects.open(request)) }),
}

// --- a repository's --------------------------------------------------------------------------------------------------------------

/** A repository's own projects. If they are disabled, or only its owner's are used, they are missing, also for administrators. */
async function locateInRepository(request: Request): Promise<OnProjects & OnRepository> {
  const found = await locateFromPath(request)
  requireUnit(found, UNIT, "read")
  if (!meets(HAS_OWN_PROJECTS, { repository: found.repository })) throw refuse.notFound()
  return { ...found, home: found }
}

export const onRepositoryProjects: Access<OnProjects & OnRepository> = {
  rule: { subject: "repository", needs: "projects:read", signIn: "optional" },
  open: locateInRepository,
}

export const onRepositoryProjectsAsWriter: Access<OnProjects & OnRepository & Me> = {
  rule: { subject: "repository", needs: "projects:write", signIn: "required" },
  open: async (request) => {
    const found = await locateInRepository(request)
    const me = asMe(request.actor)
    requireUnit(found, UNIT, "write")
    return { ...found, ...me }
  },
}

// --- of issues -------------------------------------------------------------------------------------------------------------------

/** Whether the caller may write to the repository's own projects. */
export const writesProjectsIn = ({ permission, repository }: OnRepository): boolean =>
  unitModeOrAdmin(permission, repository, UNIT) >= Mode.write

/** Whether the caller may write to the projects of this person or organisation. */
export async function writesProjectsOf(db: Handle, actor: Actor, owner: User): Promise<boolean> {
  return (await projectsMode(db, actor, owner)) >= Mode.write
}
