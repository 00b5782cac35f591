import { findTeamMember, findUserById, findUserByName } from "../../../../access/store.ts"
import type { User } from "../../../../core/actor.ts"
import { flag } from "../../../../core/database/tables/index.ts"
import { Refusal, refuse } from "../../../../core/errors.ts"
import type { Services } from "../../../../core/services.ts"
import { addTeamMember, removeTeamMember } from "../../teams/membership.ts"
import { findTeamByName } from "../../teams/store.ts"
import { changePerson, type PersonChanges } from "../../users/rules.ts"
import { findLinkClosing, noteLinkClosing } from "./store.ts"

/** What the groups of a person at a provider or in a directory mean here. They are judged when the person signs in by it. */

export interface GroupRules {
  readonly requiredGroups?: readonly string[]
  readonly adminGroups?: readonly string[]
  readonly teams?: readonly string[]
  readonly leaveTeams?: boolean
}

export interface MappedTeam {
  readonly group: string
  readonly organization: string
  readonly team: string
}

/** The mapping of groups to teams, read from its lines. */
export const mappedTeams = ({ teams = [] }: GroupRules): readonly MappedTeam[] =>
  teams.flatMap((line) => {
    const [, group = "", organization = "", team = ""] = /^(.*\S)\s*=\s*([^\s/=]+)\/([^\s/=]+)\s*$/.exec(line) ?? []
    return group === "" ? [] : [{ group: group.trim(), organization, team }]
  })

/** All groups that rules name. */
const namesIn = (rules: GroupRules): readonly string[] => [
  ...new Set([...(rules.requiredGroups ?? []), ...(rules.adminGroups ?? []), ...mappedTeams(rules).map(({ group }) => group)]),
]

export const hasRules = (rules: GroupRules): boolean => namesIn(rules).length > 0

/** Of the groups that a source tells, those that its rules name, in their spelling. A directory's names are compared without case, as it does. */
export function groupsThatCount(rules: GroupRules, told: readonly string[], { ignoresCase = false } = {}): readonly string[] {
  const plain = (name: string) => (ignoresCase ? name.toLowerCase() : name)
  const held = new Set(told.map(plain))
  return namesIn(rules).filter((name) => held.has(plain(name)))
}

/** Refuses `forbidden` where the source requires a group and the person is in none of them. */
export function requireGroups({ requiredGroups = [] }: GroupRules, groups: readonly string[]): void {
  if (requiredGroups.length > 0 && !requiredGroups.some((name) => groups.includes(name)))
    throw refuse.forbidden("You are in none of the groups that may sign in here. Ask whoever manages them")
}

interface Judged {
  readonly provider: string
  readonly subject: string
  readonly groups: readonly string[]
}

/**
 * Applies the rules to a linked person who signs in, and gives them as they are then. Who has lost the required groups is closed with all their
 * sessions, and refused as `forbidden`; who was closed by this and is in one again is opened. An account that an administrator has closed since stays so.
 * What can't be done, as taking the last owner from a team, is logged, and the rest goes on.
 */
export async function settleGroups(services: Services, user: User, judged: Judged, rules: GroupRules): Promise<User> {
  const { database, log, now } = services
  const { provider, subject, groups } = judged
  const trying = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      log.warn({ provider, user: user.name, what, reason: error.message }, "a rule for groups could not be applied")
    }
  }
  const change = (changes: PersonChanges) =>
    database.write(async (tx) => {
      const { credentials_version, prohibit_login } = await changePerson(tx, user.id, changes, { now: now(), actor: undefined })
      const version = prohibit_login === 1 ? credentials_version : 0
      if (changes.prohibit_login !== undefined) await noteLinkClosing.changes(tx, { provider, subject, version })
    })
  try {
    requireGroups(rules, groups)
  } catch (error) {
    if (user.prohibit_login === 0) await trying("close the account", () => change({ prohibit_login: 1 }))
    throw error
  }
  const closing = user.prohibit_login === 1 ? await findLinkClosing.first(database.read, { provider, subject }) : undefined
  if (closing !== undefined && closing.closed_version === user.credentials_version) await change({ prohibit_login: 0 })
  const { adminGroups = [] } = rules
  const isAdmin = flag(adminGroups.some((name) => groups.includes(name)))
  if (adminGroups.length > 0 && user.is_admin !== isAdmin) await trying("administrator", () => change({ is_admin: isAdmin }))
  await settleTeams(services, user, judged, rules, trying)
  return (await findUserById.first(database.read, { id: user.id })) ?? user
}

async function settleTeams(
  { database, log }: Services,
  user: User,
  { provider, groups }: Judged,
  rules: GroupRules,
  trying: (what: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const wanted = new Map<string, boolean>()
  for (const { group, organization, team } of mappedTeams(rules)) {
    const path = `${organization}/${team}`.toLowerCase()
    wanted.set(path, wanted.get(path) === true || groups.includes(group))
  }
  for (const [path, isWanted] of wanted) {
    const team = await findMappedTeam({ database }, path)
    if (!team) {
      log.warn({ provider, team: path }, "groups are mapped to a team that is not there")
      continue
    }
    const isIn = (await findTeamMember.first(database.read, { teamId: team.id, userId: user.id })) !== undefined
    if (isWanted && !isIn) await trying(`join ${path}`, () => database.write((tx) => addTeamMember(tx, user, team.id, user)))
    if (!isWanted && isIn && rules.leaveTeams === true)
      await trying(`leave ${path}`, () => database.write((tx) => removeTeamMember(tx, user, team.id, user.id)))
  }
}

/** The team `organization/team`, in lower case. */
export async function findMappedTeam({ database }: Pick<Services, "database">, path: string) {
  const [organization = "", name = ""] = path.split("/")
  const owner = await findUserByName.first(database.read, { lowerName: organization })
  return owner?.kind === "organization" ? findTeamByName.first(database.read, { organizationId: owner.id, lowerName: name }) : undefined
}
