import { Mode } from "../../../access/modes.ts"
import type { Owned } from "../../../access/permission.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { patternSet } from "../../../core/text/automaton.ts"
import type { Work } from "../../../core/work.ts"
import { peopleNamed, teamsNamed } from "./listing.ts"
import { isUsable, tagPattern } from "./names.ts"
import type { TagProtectionOption } from "./records.ts"
import {
  deleteTagRule,
  findTagProtections,
  findTeamsInTagRules,
  insertTagRule,
  isSameRule,
  putTagPattern,
  replaceAllowed,
  type TagProtection,
} from "./store.ts"

/** Tag protections: their check, creation, change and deletion. */

/** Whether a user may create, move and delete the tag of this name. Throws `TooMuchWork`. */
export type TagControl = (tag: string, work: Work) => Promise<boolean>

/**
 * Reads the tag protections of a repository, to be asked for any number of tags: one of those that match a tag must list the user. Whether they have write access at all is
 * checked elsewhere.
 */
export async function controlOfTags(db: Handle, repositoryId: number, user: Pick<User, "id">): Promise<TagControl> {
  const rules = await findTagProtections(db, repositoryId)
  const hasTeams = rules.some(({ allowed }) => allowed.teamIds.length > 0)
  const teams = new Set(hasTeams ? (await findTeamsInTagRules(db, { userId: user.id, repositoryId })).map(({ team_id }) => team_id) : [])
  const lists = rules.map(({ allowed }) => allowed.userIds.includes(user.id) || allowed.teamIds.some((id) => teams.has(id)))
  const patterns = patternSet(rules.map(({ name_pattern }) => tagPattern(name_pattern)))
  return async (tag, work) => {
    const matching = await patterns.matching(tag, work)
    return matching.length === 0 || matching.some((index) => lists[index])
  }
}

/**
 * Creates a tag protection. Refuses `badRequest` without a pattern or without users and teams, `forbidden` for a pattern that another rule has, as
 * clients expect, and `invalid` for an invalid pattern and unknown users or teams, and for more rules than are allowed.
 */
export async function createTagProtection(
  tx: Transaction,
  owned: Owned & Me,
  { name_pattern = "", whitelist_usernames: people = [], whitelist_teams: teams = [] }: TagProtectionOption,
  services: Pick<Services, "config" | "now">,
): Promise<TagProtection> {
  const repositoryId = owned.repository.id
  const now = services.now()
  const pattern = name_pattern.trim()
  if (pattern === "") throw refuse.badRequest("[name_pattern]: is required")
  if (people.length === 0 && teams.length === 0)
    throw refuse.badRequest("[whitelist_usernames]: one of whitelist_usernames and whitelist_teams is required")
  requirePattern(pattern)
  await lockRow(tx, "repositories", repositoryId)
  const others = await findTagProtections(tx, repositoryId)
  if (others.some((rule) => rule.name_pattern === pattern)) throw refuse.forbidden(EXISTS)
  const { rules } = services.config.limits
  if (others.length >= rules)
    throw refuse.invalid("name_pattern", t`can't be added: a repository has at most ${rules} rules for tags; a pattern stands for many`)
  const id = await insertTagRule(tx, { repository_id: repositoryId, name_pattern: pattern, created_at: now, updated_at: now })
  await writeAllowed(tx, owned, { id, allowed: { userIds: [], teamIds: [] } }, { whitelist_usernames: people, whitelist_teams: teams })
  publish(tx, { kind: "tagProtection.created", repositoryId, tagProtection: { id }, actor: owned.me, at: now })
  return findTagProtection(tx, repositoryId, id)
}

/** Changes the members of a tag protection that are sent. Refuses `notFound` for a missing one, and like `createTagProtection`. */
export async function editTagProtection(
  tx: Transaction,
  owned: Owned & Me,
  id: number,
  options: TagProtectionOption,
  now: Seconds,
): Promise<TagProtection> {
  const repositoryId = owned.repository.id
  await lockRow(tx, "repositories", repositoryId)
  const rule = await findTagProtection(tx, repositoryId, id)
  const pattern = options.name_pattern?.trim() ?? rule.name_pattern
  if (pattern === "") throw refuse.badRequest("[name_pattern]: is required")
  requirePattern(pattern)
  const others = (await findTagProtections(tx, repositoryId)).filter((other) => other.id !== id)
  if (others.some((other) => other.name_pattern === pattern)) throw refuse.forbidden(EXISTS)
  await putTagPattern(tx, id, pattern, now)
  await writeAllowed(tx, owned, rule, options)
  const edited = await findTagProtection(tx, repositoryId, id)
  if (!isSameRule(rule, edited))
    publish(tx, { kind: "tagProtection.edited", repositoryId, tagProtection: edited, actor: owned.me, at: now })
  return edited
}

/** Deletes a tag protection. Refuses `notFound` for a missing one. */
export async function deleteTagProtection(tx: Transaction, repositoryId: number, id: number, actor: User): Promise<void> {
  await lockRow(tx, "repositories", repositoryId)
  await findTagProtection(tx, repositoryId, id)
  await deleteTagRule(tx, id)
  publish(tx, { kind: "tagProtection.deleted", repositoryId, tagProtection: { id }, actor })
}

/** One tag protection of a repository. Refuses `notFound` for a missing one. */
export async function findTagProtection(db: Handle, repositoryId: number, id: number): Promise<TagProtection> {
  const found = (await findTagProtections(db, repositoryId)).find((rule) => rule.id === id)
  if (!found) throw refuse.notFound()
  return found
}

const EXISTS = t("Tag protection already exist")

function requirePattern(pattern: string): void {
  if (!isUsable(tagPattern(pattern)))
    throw refuse.invalid(
      "name_pattern",
      "must be a glob such as v*, or a regular expression between slashes, without looks around and back-references",
    )
}

async function writeAllowed(
  tx: Transaction,
  owned: Owned & Me,
  { id, allowed }: Pick<TagProtection, "id" | "allowed">,
  { whitelist_usernames: people, whitelist_teams: teams }: TagProtectionOption,
): Promise<void> {
  const userIds = people === undefined ? allowed.userIds : await peopleNamed(tx, owned, "whitelist_usernames", people, Mode.write)
  const teamIds = teams === undefined ? allowed.teamIds : await teamsNamed(tx, owned, "whitelist_teams", teams)
  await replaceAllowed(tx, id, { userIds, teamIds })
}
