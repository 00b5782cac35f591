import { type Actor, chosenOf, deployKeyOf, hasPublicOnlyScope, isPublicOnly, isSiteAdministrator, jobOf } from "../core/actor.ts"
import {
  all,
  among,
  any,
  type Condition,
  cases,
  is,
  isNot,
  type Known,
  not,
  ofOwner,
  ofRepository,
  type Relation,
  related,
  relatedIn,
  same,
} from "./condition.ts"
import { Mode, UNITS, type Unit } from "./modes.ts"

/**
 * Who may see what, and with which mode: the one description. `permission.ts` decides from it for rows at hand, `visibility.ts`
 * writes it into queries.
 */

// --- units -----------------------------------------------------------------------------------------------------------------------

/** The condition that a unit is enabled. Issues and wiki are external if the repository has a URL for them. */
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

/** The requested unit is enabled; no condition if any unit will do. */
export const ASKED_UNIT_IS_ON: Condition = cases("asked.unit", { ...UNIT_IS_ON, "": true })

// --- how a caller is related to a repository or an account ----------------------------------------------------------------------------

export const MEMBERSHIP = {
  name: "membership",
  from: "organization_members",
  subject: { of: "owner", column: "organization_members.organization_id" },
  ofOrganizations: true,
  caller: "organization_members.user_id",
} as const satisfies Relation

export const COLLABORATION = {
  name: "collaboration",
  from: "collaborations",
  subject: { of: "repository", column: "collaborations.repository_id" },
  caller: "collaborations.user_id",
  whole: { column: "collaborations.mode" },
} as const satisfies Relation

/** Teams of administrators grant everything, all others the modes of their units. */
const GRANTED_BY_TEAM = {
  whole: { column: "teams.mode", least: Mode.admin, gives: Mode.owner },
  part: { unit: "team_units.unit", mode: "team_units.mode" },
} as const

export const TEAM = {
  name: "team",
  from: `team_repositories
    join team_members on team_members.team_id = team_repositories.team_id
    join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id`,
  subject: { of: "repository", column: "team_repositories.repository_id" },
  ofOrganizations: true,
  caller: "team_members.user_id",
  ...GRANTED_BY_TEAM,
} as const satisfies Relation

/** A team of an organization, for what belongs to the organization itself. */
export const TEAM_OF_OWNER = {
  name: "teamOfOwner",
  from: `team_members
    join teams on teams.id = team_members.team_id
    left join team_units on team_units.team_id = teams.id`,
  subject: { of: "owner", column: "team_members.organization_id" },
  ofOrganizations: true,
  caller: "team_members.user_id",
  ...GRANTED_BY_TEAM,
} as const satisfies Relation

/** The offer of a transfer: to the caller, or to an organisation where the caller may create repositories. */
export const OFFER: Relation = {
  name: "offer",
  from: "repository_transfers",
  subject: { of: "repository", column: "repository_transfers.repository_id" },
  caller: (id) => `(repository_transfers.recipient_id = ${id} or exists (
    select 1 from team_members join teams on teams.id = team_members.team_id
    where team_members.organization_id = repository_transfers.recipient_id and team_members.user_id = ${id}
      and teams.can_create_repositories = 1))`,
}

/** The caller is in a team of the organization that has everything. */
export const OWNERSHIP = {
  name: "ownership",
  from: "team_members as mine join teams as own on own.id = mine.team_id",
  subject: { of: "owner", column: "mine.organization_id" },
  ofOrganizations: true,
  caller: "mine.user_id",
  whole: { column: "own.mode", least: Mode.owner },
} as const satisfies Relation

export const IN_TEAM: Relation = {
  name: "inTeam",
  from: "team_members",
  subject: { of: "team", column: "team_members.team_id" },
  caller: "team_members.user_id",
}

/** The team at hand has the repository. */
const HAS_REPOSITORY: Relation = {
  name: "hasRepository",
  from: "team_repositories",
  subject: { of: "repository", column: "team_repositories.repository_id" },
  caller: () => "team_repositories.team_id = teams.id",
}

const FOLLOWS_CALLER: Relation = {
  name: "followsCaller",
  from: "follows",
  subject: { of: "owner", column: "follows.follower_id" },
  caller: "follows.followed_id",
}

const SHARES_TEAM: Relation = {
  name: "sharesTeam",
  from: "team_members as theirs join team_members as mine on mine.team_id = theirs.team_id",
  subject: { of: "owner", column: "theirs.user_id" },
  caller: "mine.user_id",
}

// --- repositories ----------------------------------------------------------------------------------------------------------------

export const PUBLIC_OWNER = is("owner.visibility", "public")
const UNRESTRICTED = is("caller.is_restricted", 0)

/** A member, or collaborator, without the second factor that the organisation requires: all that they were granted there waits until they have one. */
export const IS_WITHHELD: Condition = all(is("caller.lacks_required_factor", 1), is("owner.requires_second_factor", 1))
const IS_GRANTED = not(IS_WITHHELD)
const BELONGS = all(related(MEMBERSHIP), IS_GRANTED)

/** Public, also for anonymous callers. */
export const PUBLIC: Condition = all(is("repository.is_private", 0), ofOwner(PUBLIC_OWNER))

/** Open to the caller without a grant. A restricted user may see only repositories of public owners without one. */
const OPEN = all(
  is("repository.is_private", 0),
  ofOwner(any(PUBLIC_OWNER, all(UNRESTRICTED, any(is("owner.visibility", "limited"), BELONGS)))),
)

/** The same as `PUBLIC` and `OPEN`, as far as the database has it in the row: for queries, which look at the owner of the others only. */
const STORED_PUBLIC = is("repository.openness", 0)
const STORED_OPEN = any(STORED_PUBLIC, all(UNRESTRICTED, is("repository.openness", 1)))

/** The account that has what is being deleted; no one reaches what is its own. See `src/features/code/lifecycle/remains.ts`. */
export const NOBODY_ID = -3

/** Whether a repository was deleted, and has rows and files for a while yet. */
export const isDeleted = ({ owner_id }: { readonly owner_id: number }): boolean => owner_id === NOBODY_ID

const OWNS = any(is("caller.is_admin", 1), same("repository.owner_id = caller.id"))

/** What is being deleted is private and granted to no one, so that only administrators of the site could see it. */
const IS_THERE = any(isNot("caller.is_admin", 1), isNot("repository.owner_id", NOBODY_ID))

/** What a rule is about, for those who ask why. */
export type RuleName = "owns" | "open" | "public" | "key" | "job" | "shared" | "shown"

/** A mode in the whole repository, or in one unit of it, for callers who meet the condition. */
export interface Rule {
  readonly name: RuleName
  readonly when: Condition
  readonly mode: number
  readonly unit?: Unit
}

/** What gives a caller access to repositories: the highest mode of all that apply. */
interface Claims {
  /** A condition that the repository must always meet. */
  readonly within: Condition
  readonly rules: readonly Rule[]
  /** The relations whose rows grant modes, and the condition on which they do. */
  readonly grants: readonly Relation[]
  readonly granted?: Condition
  /** The relation whose rows grant read if nothing else grants access. */
  readonly lastResort?: Relation
  /** What queries look at first: it is among the rules already. */
  readonly stored?: Condition
}

export interface Entitlement extends Claims {
  /** Everything that lets the caller read the requested unit, as one condition; `within` applies in addition. */
  readonly reading: Condition
}

function entitlement(claims: Claims): Entitlement {
  const { rules, grants, granted = true, lastResort } = claims
  const ways = rules.map(({ when, unit }) => (unit === undefined ? when : all(any(is("asked.unit", ""), is("asked.unit", unit)), when)))
  // A mode in the whole repository applies to each unit; relations that grant single units may grant others only.
  const elsewhere = grants.filter(({ part }) => part).map((grant) => not(all(relatedIn(grant, ""), granted)))
  const last = lastResort ? [all(related(lastResort), any(is("asked.unit", ""), all(...elsewhere)))] : []
  return { ...claims, reading: any(...ways, ...grants.map((grant) => all(related(grant), granted)), ...last) }
}

const CLAIMS_OF_PEOPLE: Claims = {
  within: IS_THERE,
  rules: [
    { name: "owns", when: OWNS, mode: Mode.owner },
    { name: "open", when: OPEN, mode: Mode.read },
  ],
  grants: [COLLABORATION, TEAM],
  granted: ofOwner(IS_GRANTED),
  stored: STORED_OPEN,
}

/** What people are entitled to as themselves. Offers of transfers don't count: their recipients get no notifications. */
export const OF_PEOPLE = entitlement(CLAIMS_OF_PEOPLE)
export const OF_CALLERS = entitlement({ ...CLAIMS_OF_PEOPLE, lastResort: OFFER })
const OF_PUBLIC_ONLY_TOKENS = entitlement({ ...CLAIMS_OF_PEOPLE, lastResort: OFFER, within: PUBLIC })

const isChosenOwner = (name: "owner.id" | "repository.owner_id"): Condition =>
  among(`${name} in key.owner_ids`, "select owner_id from access_token_owners where token_id = {key.token_id}")

/** A repository that the caller's token was limited to, by itself or by its owner. */
const CHOSEN = any(
  among("repository.id in key.repository_ids", "select repository_id from access_token_repositories where token_id = {key.token_id}"),
  isChosenOwner("repository.owner_id"),
)

/** A token that is limited gives what its owner has in what was chosen, and in all else what anyone may read. */
const OF_LIMITED_TOKENS: Claims = {
  within: IS_THERE,
  rules: [
    { name: "public", when: PUBLIC, mode: Mode.read },
    ...CLAIMS_OF_PEOPLE.rules.map((rule) => ({ ...rule, when: all(CHOSEN, rule.when) })),
  ],
  grants: CLAIMS_OF_PEOPLE.grants,
  granted: all(CHOSEN, ofOwner(IS_GRANTED)),
  stored: STORED_PUBLIC,
}
const OF_CHOSEN = entitlement(OF_LIMITED_TOKENS)
const OF_PUBLIC_AMONG_CHOSEN = entitlement({ ...OF_LIMITED_TOKENS, within: PUBLIC })

const OF_ANONYMOUS = entitlement({
  within: true,
  rules: [{ name: "public", when: PUBLIC, mode: Mode.read }],
  grants: [],
  stored: STORED_PUBLIC,
})

/** A deploy key gives access to the code and the wiki of its own repository, of any owner, and not to other repositories, not even public ones. */
function ofDeployKey(mode: number): Entitlement {
  const when = same("repository.id = key.repository_id")
  return entitlement({
    within: true,
    rules: (["repo.code", "repo.wiki"] as const).map((unit) => ({ name: "key" as const, when, mode, unit })),
    grants: [],
  })
}
const OF_READING_KEYS = ofDeployKey(Mode.read)
const OF_WRITING_KEYS = ofDeployKey(Mode.write)

const OF_JOBS = new Map<string, Entitlement>()

/** Lets jobs of the owner's other repositories read the code. */
const SHARED = all(is("repository.shares_workflows", 1), same("repository.owner_id = key.owner_id"))

/**
 * A job may do in its own repository what its token was given, and reads what is public. If it may read code, it reads that which is shared as well. The
 * same entitlement for the same modes.
 */
function ofJob(units: Readonly<Record<string, number>>): Entitlement {
  const own = same("repository.id = key.repository_id")
  const given = UNITS.flatMap((unit) => {
    const mode = units[unit] ?? Mode.none
    return mode > Mode.none ? [{ name: "job" as const, when: own, mode, unit }] : []
  })
  const name = given.map(({ unit, mode }) => `${unit} ${mode}`).join()
  const known = OF_JOBS.get(name)
  if (known) return known
  const shared =
    (units["repo.code"] ?? Mode.none) > Mode.none
      ? [{ name: "shared" as const, when: SHARED, mode: Mode.read, unit: "repo.code" as const }]
      : []
  const made = entitlement({
    within: true,
    rules: [{ name: "public", when: PUBLIC, mode: Mode.read }, ...given, ...shared],
    grants: [],
    stored: STORED_PUBLIC,
  })
  OF_JOBS.set(name, made)
  return made
}

/** What the caller is entitled to, by their credential. */
export function entitlementOf(actor: Actor): Entitlement {
  if (actor.kind === "anonymous") return OF_ANONYMOUS
  const key = deployKeyOf(actor)
  if (key) return key.isReadOnly ? OF_READING_KEYS : OF_WRITING_KEYS
  const job = jobOf(actor)
  if (job) return ofJob(job.units)
  if (chosenOf(actor)) return hasPublicOnlyScope(actor) ? OF_PUBLIC_AMONG_CHOSEN : OF_CHOSEN
  return isPublicOnly(actor) ? OF_PUBLIC_ONLY_TOKENS : OF_CALLERS
}

/** What rules know about the caller. A deploy key never has the rights of a site administrator. */
export function knownOf(actor: Actor): Pick<Known, "caller" | "key"> {
  if (actor.kind === "anonymous") return {}
  const { id, is_restricted, lacks_required_factor } = actor.user
  const caller = { id, is_restricted, lacks_required_factor, is_admin: isSiteAdministrator(actor) ? 1 : 0 }
  const chosen = chosenOf(actor)
  if (chosen) return { caller, key: { repository_ids: chosen.repositoryIds, owner_ids: chosen.ownerIds } }
  const key = deployKeyOf(actor) ?? jobOf(actor)
  return key ? { caller, key: { repository_id: key.repositoryId, owner_id: jobOf(actor)?.ownerId ?? 0 } } : { caller }
}

// --- accounts --------------------------------------------------------------------------------------------------------------------

const SELF = same("owner.id = caller.id")
const ADMINISTERS_SITE = is("caller.is_admin", 1)
const LIMITED = is("owner.visibility", "limited")

/** The account is the caller's own, or an organisation's that they own. */
export const OWNS_ACCOUNT = any(ADMINISTERS_SITE, SELF, all(IS_GRANTED, related(OWNERSHIP)))
export const BELONGS_TO_ACCOUNT = any(OWNS_ACCOUNT, BELONGS)

/** Which accounts the caller may see. */
export interface AccountRule {
  /** For anonymous callers, and tokens that are limited to what is public. */
  readonly narrow: Condition
  /** For tokens that are limited to what was chosen, and for those of these that are limited to what is public as well. */
  readonly chosen: Condition
  readonly narrowChosen: Condition
  readonly full: Condition
}

const CHOSEN_OWNER = isChosenOwner("owner.id")

function accountRule(...related: readonly Condition[]): AccountRule {
  const full = any(PUBLIC_OWNER, ADMINISTERS_SITE, ...related)
  return { narrow: PUBLIC_OWNER, chosen: any(PUBLIC_OWNER, all(CHOSEN_OWNER, full)), narrowChosen: PUBLIC_OWNER, full }
}

export const PERSON_IS_SHOWN = accountRule(SELF, all(UNRESTRICTED, LIMITED))

export const ORGANIZATION_IS_SHOWN = accountRule(all(UNRESTRICTED, LIMITED), related(MEMBERSHIP))

/** In lists of people, private users are visible to those whom they follow and to those with whom they share a team. */
export const ACCOUNT_IS_LISTED = accountRule(
  SELF,
  all(UNRESTRICTED, any(LIMITED, related(MEMBERSHIP), related(FOLLOWS_CALLER), related(SHARES_TEAM))),
)

// --- teams -----------------------------------------------------------------------------------------------------------------------

const teamIsShown = (organizationIsShown: Condition, granted: Condition = IS_GRANTED): Condition =>
  any(
    ADMINISTERS_SITE,
    all(related(IN_TEAM), ofOwner(granted, "team.organization_id")),
    ofOwner(
      any(
        all(granted, any(related(OWNERSHIP), all(is("team.visibility", "limited"), related(MEMBERSHIP)))),
        all(is("team.visibility", "public"), organizationIsShown),
      ),
      "team.organization_id",
    ),
  )

/**
 * A private team is for its members and the owners, a limited one for the organisation, a public one for all who may see the organisation. Only
 * for callers who have signed in.
 */
export const TEAM_IS_SHOWN: AccountRule = {
  narrow: teamIsShown(ORGANIZATION_IS_SHOWN.narrow),
  chosen: teamIsShown(ORGANIZATION_IS_SHOWN.chosen, all(CHOSEN_OWNER, IS_GRANTED)),
  narrowChosen: teamIsShown(ORGANIZATION_IS_SHOWN.narrow, all(CHOSEN_OWNER, IS_GRANTED)),
  full: teamIsShown(ORGANIZATION_IS_SHOWN.full),
}

/** The team can be asked for reviews in the repository: it is the owner's, and has the repository if that is private. */
export const TEAM_IS_RELATED: Condition = all(
  same("team.organization_id = repository.owner_id"),
  any(is("repository.is_private", 0), related(HAS_REPOSITORY)),
)

// --- projects and packages of accounts -------------------------------------------------------------------------------------------

const READS_OF_PUBLIC: Rule = { name: "public", when: PUBLIC_OWNER, mode: Mode.read }

/** What callers are entitled to in what belongs to accounts themselves: their own, what their teams grant, and what they read on these conditions. */
function inAccounts(...reading: readonly Condition[]): (actor: Actor) => Entitlement {
  const rules: readonly Rule[] = [
    { name: "owns", when: any(ADMINISTERS_SITE, SELF), mode: Mode.owner },
    READS_OF_PUBLIC,
    ...reading.map((when): Rule => ({ name: "shown", when, mode: Mode.read })),
  ]
  const claims: Claims = { within: true, rules, grants: [TEAM_OF_OWNER], granted: IS_GRANTED }
  const limited: Claims = {
    within: true,
    rules: [READS_OF_PUBLIC, ...rules.map((rule) => ({ ...rule, when: all(CHOSEN_OWNER, rule.when) }))],
    grants: [TEAM_OF_OWNER],
    granted: all(CHOSEN_OWNER, IS_GRANTED),
  }
  const ofAnonymous = entitlement({ within: true, rules: [READS_OF_PUBLIC], grants: [] })
  const [ofCallers, ofPublicOnlyTokens] = [entitlement(claims), entitlement({ ...claims, within: PUBLIC_OWNER })]
  const [ofChosen, ofPublicAmongChosen] = [entitlement(limited), entitlement({ ...limited, within: PUBLIC_OWNER })]
  return (actor) => {
    if (actor.kind === "anonymous") return ofAnonymous
    if (chosenOf(actor)) return hasPublicOnlyScope(actor) ? ofPublicAmongChosen : ofChosen
    return isPublicOnly(actor) ? ofPublicOnlyTokens : ofCallers
  }
}

/** Organizations show their projects to fewer people than themselves. */
export const projectsEntitlementOf = inAccounts(all(UNRESTRICTED, LIMITED, is("owner.kind", "person")))

/** Those who may see an account read its packages. */
export const packagesEntitlementOf = inAccounts(all(UNRESTRICTED, LIMITED), BELONGS)

const USES_OWN_PROJECTS = isNot("repository.projects_mode", "owner")
export const HAS_OWN_PROJECTS: Condition = all(UNIT_IS_ON["repo.projects"], USES_OWN_PROJECTS)

/** A project is read by those who read the projects of its account, or of its repository. */
export const projectIsRead = (inAccount: Condition, inRepository: Condition): Condition =>
  any(
    all(is("project.repository_id", null), ofOwner(inAccount, "project.owner_id")),
    ofRepository("project.repository_id", all(USES_OWN_PROJECTS, inRepository)),
  )

/**
 * Which packages are shown to those who may read the packages of its owner: one that is linked to a private repository to those who may read the packages
 * there, a restricted one to those who belong to the owner.
 */
export const packageIsShown = (isInsider: boolean, inRepository: Condition): Condition =>
  all(
    any(isInsider, is("package.is_restricted", 0)),
    any(is("package.repository_id", null), ofRepository("package.repository_id", any(is("repository.is_private", 0), inRepository))),
  )

// --- candidates for assignment ---------------------------------------------------------------------------------------------------

/** Who is offered as an assignee: collaborators who may write, and members of teams that see issues or pull requests. */
export const OFFERED_AS_ASSIGNEE = any(
  related({ ...COLLABORATION, whole: { ...COLLABORATION.whole, least: Mode.write } }),
  relatedIn(TEAM, "repo.issues"),
  relatedIn(TEAM, "repo.pulls"),
)
