import { type RawBuilder, type SqlBool, sql } from "kysely"
import { type Actor, isPublicOnly, isSiteAdministrator, type User } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import type { Access, Request } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import type { Repository } from "../permission.ts"
import { findTeamUnit } from "../store.ts"
import { readableRepositories } from "../visibility.ts"
import type { OrganizationRole } from "./organization-role.ts"
import { onOrganization } from "./organizations.ts"
import { onVisibleUser } from "./people.ts"
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
    if (isPublicOnly(actor) && found.me.visibility !== "public") throw refuse.forbidden("token scope is limited to public users")
    return { ...found, home: { owner: found.me, repository: null } }
  },
}

// --- an organisation's -----------------------------------------------------------------------------------------------------------

/** The caller's mode in the projects of an organisation itself: that of teams, and read if the organisation is public. */
async function organizationMode({ db, actor }: Request, organization: User, role: OrganizationRole): Promise<number> {
  if (role.isOwner) return Mode.owner
  const open = organization.visibility === "public" ? Mode.read : Mode.none
  if (actor.kind === "anonymous") return open
  const granted = await findTeamUnit.first(db, { organizationId: organization.id, userId: actor.user.id, unit: UNIT })
  return Math.max(open, granted?.mode ?? Mode.none)
}

async function locateInOrganization(request: Request): Promise<OnProjects & { readonly mode: number }> {
  const { organization, role } = await onOrganization.open(request)
  const mode = await organizationMode(request, organization, role)
  if (mode < Mode.read) throw refuse.notFound()
  return { home: { owner: organization, repository: null }, mode }
}

/** The projects of the path's {org}; if the caller may not read them, they are missing. */
export const onOrganizationProjects: Access<OnProjects> = {
  rule: { subject: "organization", needs: "projects:read", signIn: "optional" },
  open: locateInOrganization,
}

/** Like `onOrganizationProjects`, for callers who may write to them; for others they are missing. */
export const onOrganizationProjectsAsWriter: Access<OnProjects & Me> = {
  rule: { subject: "organization", needs: "projects:write", signIn: "required" },
  open: async (request) => {
    const { home, mode } = await locateInOrganization(request)
    const me = asMe(request.actor)
    if (mode < Mode.write) throw refuse.notFound()
    return { ...me, home }
  },
}

/** The projects of the path's {username}, person or organisation, for callers who may read them. */
export const onUserProjects: Access<OnProjects> = {
  rule: { subject: "user", needs: "projects:read", signIn: "optional" },
  open: async (request) => {
    const { user } = await onVisibleUser.open(request)
    if (user.kind === "person") return { home: { owner: user, repository: null } }
    return locateInOrganization({ ...request, path: { org: user.name } })
  },
}

// --- a repository's --------------------------------------------------------------------------------------------------------------

/** A repository's own projects. If they are disabled, or only its owner's are used, they are missing, also for administrators. */
async function locateInRepository(request: Request): Promise<OnProjects & OnRepository> {
  const found = await locateFromPath(request)
  requireUnit(found, UNIT, "read")
  if (found.repository.has_projects === 0 || found.repository.projects_mode === "owner") throw refuse.notFound()
  return { ...found, home: found }
}

export const onRepositoryProjects: Access<OnProjects> = {
  rule: { subject: "repository", needs: "projects:read", signIn: "optional" },
  open: locateInRepository,
}

export const onRepositoryProjectsAsWriter: Access<OnProjects & Me> = {
  rule: { subject: "repository", needs: "projects:write", signIn: "required" },
  open: async (request) => {
    const found = await locateInRepository(request)
    const me = asMe(request.actor)
    requireUnit(found, UNIT, "write")
    return { ...found, ...me }
  },
}

// --- in SQL ----------------------------------------------------------------------------------------------------------------------

/** Which rows of `projects` the caller may read: what the policies above decide, for projects in other lists. */
export function readableProjects(actor: Actor): RawBuilder<SqlBool> {
  return sql<SqlBool>`(case when projects.repository_id is null
    then exists (select 1 from users where users.id = projects.owner_id and ${readableOwners(actor)})
    else exists (select 1 from repositories where repositories.id = projects.repository_id and repositories.projects_mode <> 'owner'
      and ${readableRepositories(actor, UNIT)}) end)`
}

/** Which rows of `users` have projects that the caller may read. */
function readableOwners(actor: Actor): RawBuilder<SqlBool> {
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return sql<SqlBool>`users.visibility = 'public'`
  if (isSiteAdministrator(actor)) return sql<SqlBool>`1 = 1`
  const { id, is_restricted } = actor.user
  const people = is_restricted === 1 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(users.kind = 'person' and users.visibility = 'limited')`
  return sql<SqlBool>`(users.visibility = 'public' or users.id = ${id} or ${people} or exists (
    select 1 from team_members
    join teams on teams.id = team_members.team_id
    left join team_units on team_units.team_id = teams.id and team_units.unit = ${sql.lit(UNIT)}
    where team_members.organization_id = users.id and team_members.user_id = ${id}
      and (teams.mode >= ${sql.lit(Mode.admin)} or team_units.mode >= ${sql.lit(Mode.read)})))`
}
