import type { Selectable } from "kysely"
import { type Actor, isPublicOnly, isSiteAdministrator, type SignedIn, type User } from "../core/actor.ts"
import type { Handle } from "../core/database/database.ts"
import type { TeamsTable } from "../core/database/tables.ts"
import { Moved, refuse } from "../core/errors.ts"
import { type Access, pathNumber, type Request } from "../core/operation.ts"
import { Mode, type ModeName, type Unit } from "./modes.ts"
import { type Owned, type Permission, permissionOn, type Repository, reaches, unitMode } from "./permission.ts"
import {
  findMembership,
  findRepositoryById,
  findRepositoryByName,
  findRepositoryRedirect,
  findTeam,
  findTeamMember,
  findUserById,
  findUserByName,
  findUserRedirect,
} from "./store.ts"
import { organizationVisible, personVisible } from "./visibility.ts"

/** The policies as a table apart from the operations: each is a rule in words and the function that keeps it. */

export type Team = Selectable<TeamsTable>

/** What the caller is to an organisation. */
export interface Standing {
  readonly isMember: boolean
  readonly isOwner: boolean
  readonly mayCreateRepositories: boolean
}

export interface Me {
  /** The caller, who has signed in. */
  readonly me: User
  readonly actor: SignedIn
}

function signedInActor(actor: Actor): SignedIn {
  if (actor.kind === "anonymous") throw refuse.unauthenticated()
  return actor
}

/** The caller as somebody who has signed in; refuses `unauthenticated`. */
export const asMe = (actor: Actor): Me => {
  const signedIn = signedInActor(actor)
  return { me: signedIn.user, actor: signedIn }
}

// --- the site --------------------------------------------------------------------------------------------------------------------

export const anyone: Access<object> = { rule: { subject: "site", needs: "nothing", signIn: "optional" }, open: () => ({}) }

export const signedIn: Access<Me> = {
  rule: { subject: "site", needs: "signIn", signIn: "required" },
  open: ({ actor }) => asMe(actor),
}

export const siteAdministrator: Access<Me> = {
  rule: { subject: "site", needs: "siteAdministrator", signIn: "required" },
  open: ({ actor }) => {
    const found = asMe(actor)
    if (!isSiteAdministrator(actor)) throw refuse.forbidden("user should be the site admin")
    return found
  },
}

// --- people ----------------------------------------------------------------------------------------------------------------------

/** The user of the path's {username}, person or organisation; an older name leads to the newer. */
export async function locateUser(db: Handle, actor: Actor, name: string, parameter: string): Promise<User> {
  // PostgreSQL knows no such text; nobody is called so.
  if (name.includes("\0")) throw refuse.notFound()
  const lowerName = name.toLowerCase()
  const user = await findUserByName.first(db, { lowerName })
  if (user) return user
  const renamed = await findUserRedirect.first(db, { lowerName })
  // An older name must not tell a stranger more than the newer one would.
  if (renamed && (await userVisible(db, actor, renamed))) throw new Moved(307, { [parameter]: renamed.name })
  throw refuse.notFound()
}

/** Whether the caller may know of this person or organisation. */
export async function userVisible(db: Handle, actor: Actor, user: User): Promise<boolean> {
  if (user.kind === "person") return personVisible(actor, user)
  return organizationVisible(actor, user, user.visibility !== "public" && (await standingIn(db, actor, user)).isMember)
}

interface OnUser {
  /** Whom the path names. */
  readonly user: User
}

/** A user whom the caller may know of; nobody needs to have signed in. */
export const onVisibleUser: Access<OnUser> = {
  rule: { subject: "user", needs: "visible", signIn: "optional" },
  open: async ({ db, actor, path }) => {
    const user = await locateUser(db, actor, path.username ?? "", "username")
    if (!(await userVisible(db, actor, user))) throw refuse.notFound()
    return { user }
  },
}

/** Like `onVisibleUser`, for those who have signed in. */
export const onVisibleUserSignedIn: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "visible", signIn: "required" },
  open: async (request) => ({ ...asMe(request.actor), ...(await onVisibleUser.open(request)) }),
}

/**
 * Any user of the path, for those who have signed in: that a name is given to somebody is told to whoever tries to take it, and one must
 * be able to block a person who hides. Tokens limited to public things see only public users.
 */
export const onNamedUser: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "nothing", signIn: "required" },
  open: async ({ db, actor, path }) => {
    const found = asMe(actor)
    const user = await locateUser(db, actor, path["username"] ?? "", "username")
    if (isPublicOnly(actor) && user.visibility !== "public") throw refuse.notFound()
    return { ...found, user }
  },
}

/** The user of the path, for that user and for site administrators. */
export const onSelf: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "self", signIn: "required" },
  open: async (request) => {
    const found = await onVisibleUserSignedIn.open(request)
    if (found.user.id !== found.me.id && !isSiteAdministrator(found.actor)) throw refuse.forbidden()
    return found
  },
}

/** Any user of the path, for site administrators; the decision comes before the look-up. */
export const siteAdministratorOnUser: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "siteAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await siteAdministrator.open(request)
    return { ...found, user: await locateUser(request.db, request.actor, request.path.username ?? "", "username") }
  },
}

// --- organisations ---------------------------------------------------------------------------------------------------------------

/** What the caller is to the organisation. A site administrator stands as an owner, but is no member. */
export async function standingIn(db: Handle, actor: Actor, organization: User): Promise<Standing> {
  if (actor.kind === "anonymous") return { isMember: false, isOwner: false, mayCreateRepositories: false }
  const membership = await findMembership.first(db, { organizationId: organization.id, userId: actor.user.id })
  const owns = isSiteAdministrator(actor) || membership?.mode === Mode.owner
  return {
    isMember: membership !== undefined,
    isOwner: owns,
    mayCreateRepositories: owns || membership?.can_create_repositories === 1,
  }
}

interface OnOrganization {
  readonly organization: User
  /** What the caller is to it. */
  readonly standing: Standing
}

/** The organisation of the path's {org}; one that the caller may not know of is missing. */
async function locateOrganization({ db, actor, path }: Request): Promise<OnOrganization> {
  const organization = await locateUser(db, actor, path.org ?? "", "org")
  if (organization.kind !== "organization") throw refuse.notFound()
  const standing = await standingIn(db, actor, organization)
  if (!organizationVisible(actor, organization, standing.isMember)) throw refuse.notFound()
  return { organization, standing }
}

export const onOrganization: Access<OnOrganization> = {
  rule: { subject: "organization", needs: "visible", signIn: "optional" },
  open: locateOrganization,
}

const organizationPolicy = (needs: "visible" | "member" | "owner"): Access<OnOrganization & Me> => ({
  rule: { subject: "organization", needs, signIn: "required" },
  open: async (request) => {
    const me = asMe(request.actor)
    const found = await locateOrganization(request)
    if (needs === "member" && !found.standing.isMember && !found.standing.isOwner) throw refuse.forbidden("Must be an organization member")
    if (needs === "owner" && !found.standing.isOwner) throw refuse.forbidden("Must be an organization owner")
    return { ...me, ...found }
  },
})

export const onOrganizationSignedIn = organizationPolicy("visible")
export const onOrganizationAsMember = organizationPolicy("member")
export const onOrganizationAsOwner = organizationPolicy("owner")

/** Whoever may make repositories in the organisation. */
export const onOrganizationAsCreator: Access<OnOrganization & Me> = {
  rule: { subject: "organization", needs: "createRepositories", signIn: "required" },
  open: async (request) => {
    const found = await onOrganizationSignedIn.open(request)
    if (!found.standing.mayCreateRepositories) throw refuse.forbidden("User is not allowed to create repositories in this organization.")
    return found
  },
}

/**
 * The person of the path's {username} beside the organisation of its {org}, for that person, members of the organisation and site
 * administrators: what somebody is to an organisation shows that he belongs to it, which he may have concealed.
 */
export const onOrganizationPerson: Access<OnOrganization & OnUser & Me> = {
  rule: { subject: "organization", needs: "selfOrMember", signIn: "required" },
  open: async (request) => {
    const found = await onOrganizationSignedIn.open(request)
    const user = await locateUser(request.db, request.actor, request.path["username"] ?? "", "username")
    if (user.id !== found.me.id && !found.standing.isMember && !found.standing.isOwner)
      throw refuse.forbidden("Must be an organization member")
    return { ...found, user }
  },
}

// --- teams -----------------------------------------------------------------------------------------------------------------------

interface OnTeam extends OnOrganization, Me {
  readonly team: Team
  readonly isTeamMember: boolean
}

/** The team of the path's {id}. A team that does not exist is missing before anybody is asked to sign in. */
async function locateTeam({ db, actor, path }: Request): Promise<OnTeam> {
  const team = await findTeam.first(db, { id: pathNumber(path["id"]) })
  const organization = team && (await findUserById.first(db, { id: team.organization_id }))
  if (!team || !organization) throw refuse.notFound()
  if (isPublicOnly(actor) && organization.visibility !== "public") throw refuse.notFound()
  const me = asMe(actor)
  const standing = await standingIn(db, actor, organization)
  if (!organizationVisible(actor, organization, standing.isMember)) throw refuse.notFound()
  const isTeamMember = (await findTeamMember.first(db, { teamId: team.id, userId: me.me.id })) !== undefined
  return { ...me, team, organization, standing, isTeamMember }
}

/** A team that the caller may not read is forbidden to members of the organisation, who know that it has teams, and missing for others. */
function requireTeamReadable({ actor, team, organization, standing, isTeamMember }: OnTeam): void {
  if (teamReadable(actor, team, organization, standing, isTeamMember)) return
  throw standing.isMember ? refuse.forbidden("Must be a team member") : refuse.notFound()
}

/** A private team is for its members and the owners, a limited one for the organisation, a public one for whoever sees the organisation. */
export function teamReadable(actor: SignedIn, team: Team, organization: User, standing: Standing, isTeamMember: boolean): boolean {
  if (standing.isOwner || isTeamMember) return true
  if (team.visibility === "limited") return standing.isMember
  return team.visibility === "public" && organizationVisible(actor, organization, standing.isMember)
}

const teamPolicy = (needs: "read" | "organizationMember" | "privileged" | "owner"): Access<OnTeam> => ({
  rule: { subject: "team", needs, signIn: "required" },
  open: async (request) => {
    const found = await locateTeam(request)
    const { standing, isTeamMember } = found
    // Clients know a team that is not theirs to change as forbidden, whether they may read it or not.
    if (needs === "owner" && !standing.isOwner) throw refuse.forbidden("Must be an organization owner")
    requireTeamReadable(found)
    if (needs === "organizationMember" && !standing.isMember && !standing.isOwner) throw refuse.forbidden("Must be an organization member")
    if (needs === "privileged" && !isTeamMember && !standing.isOwner)
      throw standing.isMember ? refuse.forbidden("Must be a team member") : refuse.notFound()
    return found
  },
})

export const onTeam = teamPolicy("read")
export const onTeamAsOrganizationMember = teamPolicy("organizationMember")
export const onTeamPrivileged = teamPolicy("privileged")
export const onTeamAsOwner = teamPolicy("owner")

// --- repositories ----------------------------------------------------------------------------------------------------------------

export interface OnRepository extends Owned {
  readonly permission: Permission
}

/**
 * The repository of an owner's name and its own. Older names lead to the newer; what the caller may not know of is missing, whoever asks.
 * This is the one look-up of every way in: API, pages, git over HTTP and SSH.
 */
export async function locateRepository(db: Handle, actor: Actor, ownerName: string, name: string): Promise<OnRepository> {
  const owner = await locateUser(db, actor, ownerName, "owner")
  if (name.includes("\0")) throw refuse.notFound()
  const lowerName = name.toLowerCase()
  const repository = await findRepositoryByName.first(db, { ownerId: owner.id, lowerName })
  if (repository) return admitted(db, actor, { repository, owner })
  const moved = await findRepositoryRedirect.first(db, { ownerId: owner.id, lowerName })
  if (moved) {
    const target = await locateRepositoryById(db, actor, moved.repository_id)
    throw new Moved(301, { owner: target.owner.name, repo: target.repository.name })
  }
  throw refuse.notFound()
}

/** Like `locateRepository`, by id. */
export async function locateRepositoryById(db: Handle, actor: Actor, id: number): Promise<OnRepository> {
  const repository = await findRepositoryById.first(db, { id })
  const owner = repository && (await findUserById.first(db, { id: repository.owner_id }))
  if (!repository || !owner) throw refuse.notFound()
  return admitted(db, actor, { repository, owner })
}

async function admitted(db: Handle, actor: Actor, owned: Owned): Promise<OnRepository> {
  const permission = await permissionOn(db, actor, owned)
  if (!reaches(permission)) throw refuse.notFound()
  return { ...owned, permission }
}

/** The repository of the path's {owner} and {repo}, as `locateRepository` finds it. */
export const locateFromPath = ({ db, actor, path }: Request): Promise<OnRepository> =>
  locateRepository(db, actor, path.owner ?? "", path.repo ?? "")

/** At least read on something: whoever may know of the repository. */
export const onRepository: Access<OnRepository> = {
  rule: { subject: "repository", needs: "reach", signIn: "optional" },
  open: locateFromPath,
}

/** Like `onRepository`, for those who have signed in. The repository is looked up first: a stranger learns nothing from the 401. */
export const onRepositorySignedIn: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "reach", signIn: "required" },
  open: async (request) => {
    const found = await locateFromPath(request)
    return { ...asMe(request.actor), ...found }
  },
}

/** The repository of the path's {id}, for those who have signed in; who hasn't is asked to before anything is looked up. */
export const onRepositoryById: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "reach", signIn: "required", asksFirst: true },
  open: async ({ db, actor, path }) => ({ ...asMe(actor), ...(await locateRepositoryById(db, actor, pathNumber(path.id))) }),
}

/** A repository that the path names below the caller's own things; who hasn't signed in is asked to before anything is looked up. */
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
    // The names stand under others in this path.
    if (!(error instanceof Moved)) throw error
    const names = Object.entries(error.replace).map(([key, value]) => [key === "owner" ? "template_owner" : "template_repo", value])
    throw new Moved(error.status, Object.fromEntries(names))
  }
}

type UnitWord = "code" | "issues" | "pulls" | "releases" | "wiki" | "projects" | "packages" | "actions"

/** At least `mode` in a unit. Administrators of the repository pass even where the unit is switched off. */
export const onRepositoryUnit = (unit: UnitWord, mode: Extract<ModeName, "read" | "write">): Access<OnRepository & Me> => ({
  rule: { subject: "repository", needs: `${unit}:${mode}`, signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    requireUnit(found, `repo.${unit}`, mode)
    return found
  },
})

/** Reading a unit, which nobody needs to have signed in for. */
export const onRepositoryUnitRead = (unit: UnitWord): Access<OnRepository> => ({
  rule: { subject: "repository", needs: `${unit}:read`, signIn: "optional" },
  open: async (request) => {
    const found = await locateFromPath(request)
    requireUnit(found, `repo.${unit}`, "read")
    return found
  },
})

/** Refuses unless the caller has at least `mode` in the unit, or administers the repository. */
export function requireUnit({ permission, repository }: OnRepository, unit: Unit, mode: Extract<ModeName, "read" | "write">): void {
  if (permission.mode >= Mode.admin || unitMode(permission, repository, unit) >= Mode[mode]) return
  throw refuse.forbidden(`user should have a permission to ${mode} to a repo`)
}

const repositoryPolicy = (needs: "administrator" | "owner", mode: number): Access<OnRepository & Me> => ({
  rule: { subject: "repository", needs, signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    if (found.permission.mode < mode)
      throw refuse.forbidden(`user should be ${needs === "owner" ? "the owner" : "an administrator"} of the repo`)
    return found
  },
})

export const onRepositoryAsAdministrator = repositoryPolicy("administrator", Mode.admin)
export const onRepositoryAsOwner = repositoryPolicy("owner", Mode.owner)

/** What is told of the person of the path's {collaborator}: to that person, and to administrators of the repository. */
export const onRepositoryOfPerson: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "selfOrAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    const isSelf = found.me.lower_name === (request.path["collaborator"] ?? "").toLowerCase()
    if (!isSelf && found.permission.mode < Mode.admin) throw refuse.forbidden("only administrators of the repo may ask what others may do")
    return found
  },
}

/** Like `onRepositoryAsAdministrator`; whoever hasn't signed in is forbidden like everybody else, as clients know it. */
export const onRepositoryAsAdministratorOnly: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "administrator", signIn: "optional" },
  open: async (request) => {
    const found = await locateFromPath(request)
    if (found.permission.mode < Mode.admin) throw refuse.forbidden("user should be an administrator of the repo")
    return { ...asMe(request.actor), ...found }
  },
}

export type { Permission, Repository }
