import { type Expression, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely"
import {
  type Actor,
  actorId,
  chosenOf,
  deployKeyOf,
  hasPublicOnlyScope,
  isPublicOnly,
  isSiteAdministrator,
  jobOf,
  type SignedIn,
  type User,
} from "../core/actor.ts"
import type { TeamsTable } from "../core/database/tables/people.ts"
import {
  all,
  any,
  type Condition,
  evaluate,
  fill,
  impliedBy,
  type Known,
  meets,
  type Rows,
  related,
  type Template,
  template,
  toSql,
  type Values,
} from "./condition.ts"
import { Mode, type Unit } from "./modes.ts"
import type { PackageRights } from "./permission.ts"
import {
  ACCOUNT_IS_LISTED,
  type AccountRule,
  ASKED_UNIT_IS_ON,
  COLLABORATION,
  type Entitlement,
  entitlementOf,
  IN_TEAM,
  knownOf,
  MEMBERSHIP,
  NOBODY_ID,
  OF_CALLERS,
  OF_PEOPLE,
  OFFER,
  OFFERED_AS_ASSIGNEE,
  ORGANIZATION_IS_SHOWN,
  OWNERSHIP,
  PERSON_IS_SHOWN,
  PUBLIC,
  packageIsShown,
  projectIsRead,
  projectsEntitlementOf,
  TEAM,
  TEAM_IS_RELATED,
  TEAM_IS_SHOWN,
} from "./rules.ts"

/** The rules in SQL, for the `where` of lists, counts and searches: a page and its total come from the same set. */

type Sql = RawBuilder<SqlBool>
export type Team = Selectable<TeamsTable>
/** A unit, or an expression for it that may differ between rows; '' is any unit. */
type AskedUnit = Unit | RawBuilder<string>

// --- repositories ----------------------------------------------------------------------------------------------------------------

/** Which rows of `repositories` the caller may see: what `permissionsOn` decides. */
export const visibleRepositories = (actor: Actor): Sql => ofCaller(actor, "")

/** Which rows of `repositories` the caller may read a unit of: issues of the list, pull requests of the list. */
export const readableRepositories = (actor: Actor, unit: AskedUnit): Sql => ofCaller(actor, unit)

/** Which rows are of no repository that was deleted and has rows for a while yet: for lists of those who see everything else. */
export const ofNoneDeleted = (column: `${string}.repository_id`): Sql =>
  sql<SqlBool>`${sql.ref(column)} not in (select id from repositories where owner_id = ${NOBODY_ID})`

/** How many repositories a caller may see, for the caller who need not be told apart by each: what is open is counted (`repository_totals`). */
export interface Reach {
  /** All of up to this openness. */
  readonly openness: 0 | 1 | 2
  /** Those among the others that the caller may have been granted, and perhaps some more. */
  readonly others?: Sql
  /** All but what meets this condition. */
  readonly except?: Sql
}

/** Undefined for callers who see single repositories. */
export function reachOf(actor: Actor): Reach | undefined {
  if (chosenOf(actor)) return undefined
  if (actor.kind === "anonymous" || (isPublicOnly(actor) && !jobOf(actor) && !deployKeyOf(actor))) return { openness: 0 }
  if (deployKeyOf(actor) ?? jobOf(actor)) return undefined
  if (isSiteAdministrator(actor)) return { openness: 2, except: sql<SqlBool>`repositories.owner_id = ${NOBODY_ID}` }
  const { id } = actor.user
  return {
    openness: actor.user.is_restricted === 1 ? 0 : 1,
    others: sql<SqlBool>`repositories.id in (
      select id from repositories where owner_id = ${id}
      union select repository_id from collaborations where user_id = ${id}
      union select repositories.id from organization_members join repositories on repositories.owner_id = organization_members.organization_id
        where organization_members.user_id = ${id}
      union select team_repositories.repository_id from team_members join team_repositories on team_repositories.team_id = team_members.team_id
        where team_members.user_id = ${id}
      union select repository_id from repository_transfers where recipient_id = ${id}
        or recipient_id in (select organization_id from team_members where user_id = ${id}))`,
  }
}

/** Which rows of `repositories` anyone may see, also without signing in. */
export const publicRepositories = (): Sql => fill(OPEN_TO_ALL, {})

const OPEN_TO_ALL = template(toSql(PUBLIC, {}))

/** What a condition depends on of a person who has signed in with all their rights, beside their id. */
export type CallerKind = Pick<User, "is_admin" | "is_restricted" | "lacks_required_factor">

/** `readableRepositories` for a prepared query: the id of the caller is one of its parameters. */
export function readableBy(caller: CallerKind, id: Expression<number>, unit: AskedUnit): Sql {
  const { known, value } = asked(unit)
  const made = remembered(OF_CALLERS, caller, known?.unit ?? "?", (kind) => reading(OF_CALLERS, { caller: kind, asked: known }))
  return fill(made, { "caller.id": id, "asked.unit": value })
}

/**
 * Whether the person of the row `users` may read a unit of the row `repositories`, whose owner is the row `owner`: what `permissionsOf`
 * decides.
 */
export function readableByUsers(unit: AskedUnit | ""): Sql {
  const { known, value } = asked(unit)
  return fill(template(toSql(reading(OF_PEOPLE, { asked: known }), { caller: "users", owner: "owner" })), { "asked.unit": value })
}

/** Repositories to which a user was granted access: as a collaborator, through a team, or by the offer of a transfer. */
export const grantedRepositories = (userId: number): Sql => fill(GRANTED, { "caller.id": userId })

const GRANTED = template(toSql(evaluate(any(related(COLLABORATION), related(TEAM), related(OFFER)), { asked: { unit: "" } }), {}))

/** Whether the person of the row `users` is offered as an assignee in a repository, apart from its owner. */
export const offeredAsAssignees = (repositoryId: unknown): Sql => fill(OFFERED, { "repository.id": repositoryId })

const OFFERED = template(toSql(OFFERED_AS_ASSIGNEE, { repository: "value", caller: "users" }))

function ofCaller(actor: Actor, unit: Unit | "" | RawBuilder<string>): Sql {
  const entitlement = entitlementOf(actor)
  const { known, value } = asked(unit)
  const made = remembered(entitlement, knownOf(actor).caller, known?.unit ?? "?", (kind) =>
    reading(entitlement, { caller: kind, asked: known }),
  )
  return fill(made, { ...valuesOf(actor), "asked.unit": value })
}

const valuesOf = (actor: Actor): Values => ({
  "caller.id": actorId(actor),
  "key.repository_id": (deployKeyOf(actor) ?? jobOf(actor))?.repositoryId,
  "key.owner_id": jobOf(actor)?.ownerId,
  "key.token_id": actor.kind === "user" && actor.credential.kind === "token" ? actor.credential.tokenId : undefined,
})

/** A unit by its name is part of the condition; an expression is put in. */
const asked = (
  unit: Unit | "" | RawBuilder<string>,
): { readonly known?: { readonly unit: string }; readonly value?: RawBuilder<string> } =>
  typeof unit === "string" ? { known: { unit } } : { value: unit }

/** The condition for reading the requested unit, without the parts that are known. What `within` implies is not checked twice. */
function reading(entitlement: Entitlement, known: Known, unitIsOn: Condition = ASKED_UNIT_IS_ON): Condition {
  const { within, stored = false } = entitlement
  return evaluate(all(unitIsOn, within, evaluate(any(stored, entitlement.reading), { ...known, ...impliedBy(within) })), known)
}

// --- accounts --------------------------------------------------------------------------------------------------------------------

/** Which organisations (rows of `users`) the caller may see. */
export const visibleOrganizations = (actor: Actor): Sql => accounts(actor, ORGANIZATION_IS_SHOWN)

/** Which people and organisations (rows of `users`) are shown to the caller in lists of people. */
export const listedUsers = (actor: Actor): Sql => accounts(actor, ACCOUNT_IS_LISTED)

/** Which teams (rows of `teams`) the caller may see: what `teamVisible` decides. */
export const visibleTeams = (actor: SignedIn): Sql => accounts(actor, TEAM_IS_SHOWN, {})

function accounts(actor: Actor, rule: AccountRule, rows: Rows = { owner: "users" }): Sql {
  const form = formFor(actor)
  const made = remembered(rule, knownOf(actor).caller, form, (caller) => evaluate(rule[form], { caller }), rows)
  return fill(made, valuesOf(actor))
}

/** Which form of a rule is that of the caller. */
export function formFor(actor: Actor): keyof AccountRule {
  if (chosenOf(actor)) return hasPublicOnlyScope(actor) ? "narrowChosen" : "chosen"
  return actor.kind === "anonymous" || isPublicOnly(actor) ? "narrow" : "full"
}

/** Whether the caller may see this person. For organisations use `organizationVisible`, which needs the membership. */
export const personVisible = (actor: Actor, user: User): boolean =>
  meets(PERSON_IS_SHOWN[formFor(actor)], { ...knownOf(actor), owner: user })

/** Whether the caller may see this organisation. */
export const organizationVisible = (actor: Actor, organization: User, isMember: boolean): boolean =>
  meets(ORGANIZATION_IS_SHOWN[formFor(actor)], {
    ...knownOf(actor),
    owner: organization,
    related: (relation) => relation === MEMBERSHIP && isMember,
  })

/** Whether the caller, who has this role in the organisation, may see this team of it. */
export const teamVisible = (
  actor: SignedIn,
  team: Team,
  organization: User,
  { isMember, isOwner, isWithheld }: { readonly isMember: boolean; readonly isOwner: boolean; readonly isWithheld: boolean },
  isTeamMember: boolean,
): boolean =>
  meets(TEAM_IS_SHOWN[formFor(actor)], {
    ...knownOf(actor),
    owner: organization,
    team,
    related: (relation) =>
      (relation === IN_TEAM && isTeamMember) ||
      (relation === OWNERSHIP && isOwner) ||
      (relation === MEMBERSHIP && (isMember || isWithheld)),
  })

/** Whether a team (a row of `teams`) can be asked for reviews in a repository (a row of `repositories`). */
export const relatedTeams = (): Sql => fill(RELATED, {})

const RELATED = template(toSql(TEAM_IS_RELATED, {}))

// --- projects and packages -------------------------------------------------------------------------------------------------------

/** Which rows of `projects` the caller may read: what `projectsMode` decides, and the permission on their repository. */
export function readableProjects(actor: Actor): Sql {
  const inAccounts = projectsEntitlementOf(actor)
  return inRepositories(actor, "repo.projects", "projects", (inRepository, known) =>
    projectIsRead(reading(inAccounts, known, true), inRepository),
  )
}

/** Which rows of `packages` the caller may see, of an owner in whose packages they have these rights. */
export function visiblePackages(actor: Actor, { mode, isInsider }: PackageRights): Sql {
  if (mode >= Mode.owner && isInsider) return fill(EVERYTHING, {})
  return inRepositories(actor, "repo.packages", `packages ${isInsider}`, (inRepository) => packageIsShown(isInsider, inRepository))
}

const EVERYTHING = template(toSql(true, {}))

/** A condition on rows that may belong to repositories: `condition` is given the one on which the caller may read the unit there. */
function inRepositories(actor: Actor, unit: Unit, question: string, condition: (inRepository: Condition, known: Known) => Condition): Sql {
  const entitlement = entitlementOf(actor)
  const made = remembered(entitlement, knownOf(actor).caller, question, (caller) => {
    const known = { caller, asked: { unit } }
    return evaluate(condition(reading(entitlement, known), known), known)
  })
  return fill(made, valuesOf(actor))
}

// --- who belongs to organisations --------------------------------------------------------------------------------------------------

/** The ids of the members of an organisation and of the collaborators of its repositories: all from whom something may be withheld (`IS_WITHHELD`). */
export const belongingTo = (organizationId: unknown) =>
  sql<number>`(select user_id from organization_members where organization_id = ${organizationId}
    union select collaborations.user_id from repositories join collaborations on collaborations.repository_id = repositories.id
      where repositories.owner_id = ${organizationId})`

/** The same of all organisations that require a second factor, or will. */
export const belongingToRequiring = () =>
  sql<number>`(select organization_members.user_id from users as organization
      join organization_members on organization_members.organization_id = organization.id
      where organization.kind = 'organization' and organization.second_factor_due_at > 0
    union select collaborations.user_id from users as organization
      join repositories on repositories.owner_id = organization.id
      join collaborations on collaborations.repository_id = repositories.id
      where organization.kind = 'organization' and organization.second_factor_due_at > 0)`

// --- made once -------------------------------------------------------------------------------------------------------------------

/** Templates by rule, and by the properties of caller and query that their text depends on. There are few. */
const templates = new WeakMap<object, Map<string, Template>>()

/** The template of a rule for callers like this one: those who differ only in their id. */
function remembered(
  rule: object,
  caller: Known["caller"],
  question: string,
  condition: (caller: Known["caller"]) => Condition,
  rows: Rows = {},
): Template {
  const ofRule = templates.get(rule) ?? new Map<string, Template>()
  templates.set(rule, ofRule)
  const { is_admin, is_restricted, lacks_required_factor } = caller ?? {}
  const kind = `${is_admin} ${is_restricted} ${lacks_required_factor} ${question}`
  const known = ofRule.get(kind)
  if (known) return known
  const made = template(toSql(condition({ is_admin, is_restricted, lacks_required_factor }), rows))
  ofRule.set(kind, made)
  return made
}
