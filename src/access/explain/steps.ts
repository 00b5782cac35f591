import { type Actor, actorId, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { type Text, Words } from "../../core/language/message.ts"
import { type Condition, type Known, meets, type Reason, type Relation, type RelationName, reasonsOf } from "../condition.ts"
import {
  findCollaborations,
  findMemberOrganizations,
  findOwnersTeamGrants,
  findTeamGrants,
  findTransferOffers,
  type Grant,
} from "../grants.ts"
import { Mode, modeName, type Unit } from "../modes.ts"
import { type Owned, permissionOn, reaches, unitEnabled, unitModeOrAdmin } from "../permission.ts"
import { roleIn } from "../policies/organization-role.ts"
import {
  COLLABORATION,
  entitlementOf,
  IN_TEAM,
  knownOf,
  MEMBERSHIP,
  OFFER,
  ORGANIZATION_IS_SHOWN,
  OWNERSHIP,
  PERSON_IS_SHOWN,
  TEAM,
  TEAM_IS_SHOWN,
  TEAM_OF_OWNER,
  UNIT_IS_ON,
} from "../rules.ts"
import { findMembership, findTeamMember } from "../store.ts"
import { formFor, type Team } from "../visibility.ts"
import { COLUMN_WORDS, COMPARED_WORDS, MODE_WORDS, PART_WORDS, RELATION_WORDS, TOLD_TO_FEW } from "../words.ts"

/**
 * Why a caller may see a repository, an account or a team, step by step: the rules of `rules.ts` in their order, each with what decided it. It is loaded
 * when somebody asks, and asks the database again; whether the caller may go on is decided by the policies alone.
 */

export interface Step {
  /** Its name for programs, such as `repository.team`. */
  readonly rule: string
  readonly holds: boolean
  readonly because: Text
}

/** Whom the steps are about, and who reads them. */
export interface About {
  readonly actor: Actor
  readonly who: Text
  /** Whether the reader may know what only the person, and administrators of the site, are told. */
  readonly isToldAll: boolean
}

/** Texts one after another; empty ones are left out. */
export const joined = (texts: readonly Text[], between = "; "): Text =>
  new Words((language) =>
    texts
      .map((text) => (typeof text === "string" ? text : text.in(language)))
      .filter((text) => text !== "")
      .join(between),
  )

function wordsOf({ part, holds, value }: Reason, { who, isToldAll }: About): Text {
  switch (part.kind) {
    case "is":
      return TOLD_TO_FEW.has(part.judged) && !isToldAll ? "" : COLUMN_WORDS[part.judged](value, who)
    case "same":
    case "among":
      return COMPARED_WORDS[part.compared][holds ? 0 : 1](who)
    case "related":
      return RELATION_WORDS[part.by.name][holds ? 0 : 1](who)
  }
}

function stepOf(rule: string, condition: Condition, known: Known, about: About): Step {
  const texts = reasonsOf(condition, known).map((reason) => wordsOf(reason, about))
  return { rule, holds: meets(condition, known), because: joined([...new Map(texts.map((text) => [String(text), text])).values()]) }
}

type Related = ReadonlyMap<RelationName, readonly Grant[]>

/** What a relation's rows grant, or that there are any where they grant nothing. */
const grants = ({ whole, part }: Relation, rows: readonly Grant[]): boolean =>
  whole?.least === undefined
    ? rows.length > 0
    : rows.some(({ mode = 0, unit_mode }) => mode >= (whole.least ?? 0) || (part !== undefined && (unit_mode ?? 0) > Mode.none))

const knownWith = (known: Known, related: Related): Known => ({
  ...known,
  related: (relation) => grants(relation, related.get(relation.name) ?? []),
})

/** Whether the caller reaches a repository, and what they may do in these units. */
export async function stepsOnRepository(db: Handle, about: About, owned: Owned, units: readonly Unit[]): Promise<readonly Step[]> {
  const { actor, who } = about
  const { repository, owner } = owned
  const { within, rules, grants: granting, granted = true, lastResort } = entitlementOf(actor)
  const ofRepository = { userId: actorId(actor), subjectIds: [repository.id] }
  const related: Related = new Map<RelationName, readonly Grant[]>(
    actor.kind === "anonymous"
      ? []
      : [
          [MEMBERSHIP.name, await findMemberOrganizations(db, { userId: actor.user.id, subjectIds: [owner.id] })],
          [COLLABORATION.name, await findCollaborations(db, ofRepository)],
          [TEAM.name, await findTeamGrants(db, ofRepository)],
          [OFFER.name, await findTransferOffers(db, ofRepository)],
        ],
  )
  const known = knownWith({ ...knownOf(actor), repository, owner }, related)
  const step = (rule: string, condition: Condition): Step => stepOf(`repository.${rule}`, condition, known, about)
  const isGranted = step("granted", granted)
  const ofGrants = granting
    .filter(({ ofOrganizations }) => ofOrganizations !== true || owner.kind === "organization")
    .map((by) => step(by.name, { kind: "related", by }))
  const permission = await permissionOn(db, actor, owned)
  const ofRules = [...new Map(rules.map((rule) => [rule.name, rule])).values()].map(({ name, when }) => step(name, when))
  const steps = [
    ...(meets(within, known) ? [] : [step("within", within)]),
    ...ofRules,
    ...ofGrants,
    ...(isGranted.holds ? [] : [isGranted]),
    ...(lastResort && !ofGrants.some(({ holds }) => holds) ? [step(lastResort.name, { kind: "related", by: lastResort })] : []),
  ].filter(({ because }) => String(because) !== "")
  const switches = units.map((unit) => step(`unit.${unit.slice(5)}`, UNIT_IS_ON[unit])).filter(({ holds }) => !holds)
  const mode = joined([who, MODE_WORDS[modeName(permission.mode)]], ": ")
  const ofUnits = units
    .filter((unit) => permission.mode < Mode.admin && unitEnabled(repository, unit) && permission.units.has(unit))
    .map((unit) => joined([PART_WORDS[unit], MODE_WORDS[modeName(unitModeOrAdmin(permission, repository, unit))]], ": "))
  return [...steps, { rule: "repository.mode", holds: reaches(permission), because: joined([mode, ...ofUnits]) }, ...switches]
}

/** Whether the caller sees an account, and their role in it where it is an organisation. */
export async function stepsOnAccount(db: Handle, about: About, account: User): Promise<readonly Step[]> {
  const { actor } = about
  const form = formFor(actor)
  if (account.kind === "person") return [stepOf("account.shown", PERSON_IS_SHOWN[form], { ...knownOf(actor), owner: account }, about)]
  const known = knownWith({ ...knownOf(actor), owner: account }, await relatedTo(db, actor, account))
  const { isMember, isOwner, isWithheld } = await roleIn(db, actor, account)
  return [
    stepOf("account.shown", ORGANIZATION_IS_SHOWN[form], known, about),
    { rule: "organization.member", holds: isMember, because: RELATION_WORDS.membership[isMember || isWithheld ? 0 : 1](about.who) },
    ...(isWithheld
      ? [{ rule: "organization.granted", holds: false, because: COLUMN_WORDS["owner.requires_second_factor"](1, about.who) }]
      : []),
    { rule: "organization.owner", holds: isOwner, because: RELATION_WORDS.ownership[isOwner ? 0 : 1](about.who) },
  ]
}

/** Whether the caller sees a team, beside what `stepsOnAccount` says of its organisation. */
export async function stepsOnTeam(db: Handle, about: About, team: Team, organization: User): Promise<readonly Step[]> {
  const { actor } = about
  const related = new Map(await relatedTo(db, actor, organization))
  const member = actor.kind === "user" ? await findTeamMember.first(db, { teamId: team.id, userId: actor.user.id }) : undefined
  related.set(IN_TEAM.name, member ? [{ id: team.id }] : [])
  const known = knownWith({ ...knownOf(actor), owner: organization, team }, related)
  return [stepOf("team.shown", TEAM_IS_SHOWN[formFor(actor)], known, about)]
}

async function relatedTo(db: Handle, actor: Actor, organization: User): Promise<Related> {
  if (actor.kind === "anonymous") return new Map()
  const of = { userId: actor.user.id, subjectIds: [organization.id] }
  const membership = await findMembership.first(db, { organizationId: organization.id, userId: actor.user.id })
  const teams = await findOwnersTeamGrants(db, of)
  return new Map<RelationName, readonly Grant[]>([
    [MEMBERSHIP.name, membership ? [{ id: organization.id }] : []],
    [OWNERSHIP.name, membership?.mode === Mode.owner ? [{ id: organization.id, mode: Mode.owner }] : []],
    [TEAM_OF_OWNER.name, teams],
  ])
}
