import { type Actor, deployKeyOf, isPublicOnly, isSiteAdministrator } from "../core/actor.ts"
import {
  all,
  any,
  type Condition,
  cases,
  is,
  isNot,
  type Known,
  not,
  ofOwner,
  type Relation,
  related,
  relatedInAnyUnit,
  same,
} from "./condition.ts"
import { Mode, type Unit } from "./modes.ts"

/**
 * Who may know of what, and how far they may go: the one description. `permission.ts` decides from it for rows at hand, `visibility.ts`
 * writes it into queries.
 */

// --- units -----------------------------------------------------------------------------------------------------------------------

/** Where a unit is switched on. Issues and wiki lead elsewhere where the repository names an address for them. */
export const UNIT_IS_ON: Readonly<Record<Unit, Condition>> = {
  "repo.code": is("repository.has_code", 1),
  "repo.issues": all(is("repository.has_issues", 1), is("repository.external_tracker_url", "")),
  "repo.pulls": is("repository.has_pull_requests", 1),
  "repo.releases": is("repository.has_releases", 1),
  "repo.wiki": all(is("repository.has_wiki", 1), is("repository.external_wiki_url", "")),
  "repo.ext_wiki": all(is("repository.has_wiki", 1), isNot("repository.external_wiki_url", "")),
  "repo.ext_issues": all(is("repository.has_issues", 1), isNot("repository.external_tracker_url", "")),
  "repo.projects": is("repository.has_projects", 1),
  "repo.packages": is("repository.has_packages", 1),
  "repo.actions": is("repository.has_actions", 1),
}

/** The unit that is asked for is switched on; where any will do, nothing need be. */
export const ASKED_UNIT_IS_ON: Condition = cases("asked.unit", { ...UNIT_IS_ON, "": true })

// --- what ties a caller to a repository or an account ----------------------------------------------------------------------------

export const MEMBERSHIP = {
  from: "organization_members",
  subject: { of: "owner", column: "organization_members.organization_id" },
  ofOrganizations: true,
  caller: "organization_members.user_id",
} as const satisfies Relation

export const COLLABORATION = {
  from: "collaborations",
  subject: { of: "repository", column: "collaborations.repository_id" },
  caller: "collaborations.user_id",
  whole: { column: "collaborations.mode" },
} as const satisfies Relation

/** Teams of administrators give all there is, all others what they say of single units. */
export const TEAM = {
  from: `team_repositories
    join team_members on team_members.team_id = team_repositories.team_id
    join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id`,
  subject: { of: "repository", column: "team_repositories.repository_id" },
  ofOrganizations: true,
  caller: "team_members.user_id",
  whole: { column: "teams.mode", least: Mode.admin, gives: Mode.owner },
  part: { unit: "team_units.unit", mode: "team_units.mode" },
} as const satisfies Relation

/** The offer of a transfer: to the caller, or to an organisation where the caller may create repositories. */
export const OFFER: Relation = {
  from: "repository_transfers",
  subject: { of: "repository", column: "repository_transfers.repository_id" },
  caller: (id) => `(repository_transfers.recipient_id = ${id} or exists (
    select 1 from team_members join teams on teams.id = team_members.team_id
    where team_members.organization_id = repository_transfers.recipient_id and team_members.user_id = ${id}
      and teams.can_create_repositories = 1))`,
}

const FOLLOWS_CALLER: Relation = {
  from: "follows",
  subject: { of: "owner", column: "follows.follower_id" },
  caller: "follows.followed_id",
}

const SHARES_TEAM: Relation = {
  from: "team_members as theirs join team_members as mine on mine.team_id = theirs.team_id",
  subject: { of: "owner", column: "theirs.user_id" },
  caller: "mine.user_id",
}

// --- repositories ----------------------------------------------------------------------------------------------------------------

const PUBLIC_OWNER = is("owner.visibility", "public")
const UNRESTRICTED = is("caller.is_restricted", 0)

/** Open to everybody, whether they have signed in or not. */
export const PUBLIC: Condition = all(is("repository.is_private", 0), ofOwner(PUBLIC_OWNER))

/** Open to the caller without a grant. A restricted person gets nothing for free but what belongs to public owners. */
const OPEN = all(
  is("repository.is_private", 0),
  ofOwner(any(PUBLIC_OWNER, all(UNRESTRICTED, any(is("owner.visibility", "limited"), related(MEMBERSHIP))))),
)

const OWNS = any(is("caller.is_admin", 1), same("repository.owner_id", "caller.id"))

/** A mode in the whole repository, or in one unit of it, for callers who meet the condition. */
export interface Rule {
  readonly when: Condition
  readonly mode: number
  readonly unit?: Unit
}

/** What lets a caller in to repositories: the most of all that applies. */
interface Claims {
  /** What the repository must be, whatever else applies. */
  readonly within: Condition
  readonly rules: readonly Rule[]
  /** What rows of these give. */
  readonly grants: readonly Relation[]
  /** A row of this gives reading where nothing else lets the caller in. */
  readonly lastResort?: Relation
}

export interface Entitlement extends Claims {
  /** All that lets the caller read the unit that is asked for, as one condition; `within` is asked beside it. */
  readonly reading: Condition
}

function entitlement(claims: Claims): Entitlement {
  const { rules, grants, lastResort } = claims
  const ways = rules.map(({ when, unit }) => (unit === undefined ? when : all(any(is("asked.unit", ""), is("asked.unit", unit)), when)))
  // What gives the whole repository gives each unit of it; only what gives single units may have let the caller in to others alone.
  const elsewhere = grants.filter(({ part }) => part).map((grant) => not(relatedInAnyUnit(grant)))
  const last = lastResort ? [all(related(lastResort), any(is("asked.unit", ""), all(...elsewhere)))] : []
  return { ...claims, reading: any(...ways, ...grants.map(related), ...last) }
}

const CLAIMS_OF_PEOPLE: Claims = {
  within: true,
  rules: [
    { when: OWNS, mode: Mode.owner },
    { when: OPEN, mode: Mode.read },
  ],
  grants: [COLLABORATION, TEAM],
}

/** What people are entitled to as themselves. Offers don't count: who may look before taking over is not told what happens there. */
export const OF_PEOPLE = entitlement(CLAIMS_OF_PEOPLE)
const OF_CALLERS = entitlement({ ...CLAIMS_OF_PEOPLE, lastResort: OFFER })
const OF_PUBLIC_ONLY_TOKENS = entitlement({ ...CLAIMS_OF_PEOPLE, lastResort: OFFER, within: PUBLIC })
const OF_ANONYMOUS = entitlement({ within: true, rules: [{ when: PUBLIC, mode: Mode.read }], grants: [] })

/** A key gives the code of its own repository, whoever that belongs to, and not even what everybody sees of others. */
const ofDeployKey = (mode: number): Entitlement =>
  entitlement({ within: true, rules: [{ when: same("repository.id", "key.repository_id"), mode, unit: "repo.code" }], grants: [] })
const OF_READING_KEYS = ofDeployKey(Mode.read)
const OF_WRITING_KEYS = ofDeployKey(Mode.write)

/** What the caller is entitled to by the way they signed in. */
export function entitlementOf(actor: Actor): Entitlement {
  if (actor.kind === "anonymous") return OF_ANONYMOUS
  const key = deployKeyOf(actor)
  if (key) return key.isReadOnly ? OF_READING_KEYS : OF_WRITING_KEYS
  return isPublicOnly(actor) ? OF_PUBLIC_ONLY_TOKENS : OF_CALLERS
}

/** What rules ask of the caller. The key of a repository makes nobody an administrator of the site. */
export function knownOf(actor: Actor): Pick<Known, "caller" | "key"> {
  if (actor.kind === "anonymous") return {}
  const { id, is_restricted } = actor.user
  const caller = { id, is_restricted, is_admin: isSiteAdministrator(actor) ? 1 : 0 }
  const key = deployKeyOf(actor)
  return key ? { caller, key: { repository_id: key.repositoryId } } : { caller }
}

// --- accounts --------------------------------------------------------------------------------------------------------------------

const SELF = same("owner.id", "caller.id")
const ADMINISTERS_SITE = is("caller.is_admin", 1)
const LIMITED = is("owner.visibility", "limited")

/** Which accounts the caller may know of. */
export interface AccountRule {
  /** For those who haven't signed in, and tokens that are limited to what is public. */
  readonly narrow: Condition
  readonly full: Condition
}

const accountRule = (...full: readonly Condition[]): AccountRule => ({
  narrow: PUBLIC_OWNER,
  full: any(PUBLIC_OWNER, ADMINISTERS_SITE, ...full),
})

export const PERSON_IS_SHOWN = accountRule(SELF, all(UNRESTRICTED, LIMITED))

export const ORGANIZATION_IS_SHOWN = accountRule(all(UNRESTRICTED, LIMITED), related(MEMBERSHIP))

/** In lists of people, private ones show themselves to those whom they follow and to those with whom they share a team. */
export const ACCOUNT_IS_LISTED = accountRule(
  SELF,
  all(UNRESTRICTED, any(LIMITED, related(MEMBERSHIP), related(FOLLOWS_CALLER), related(SHARES_TEAM))),
)
