import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { compileRegex } from "../../../core/text/regex.ts"
import { removeVersions } from "./change.ts"
import { lockOwner } from "./publish.ts"
import { deleteRule, findNextOfType, findNextRule, noteChecked, putRule, type Rule } from "./rules-store.ts"
import { findAllVersions, type Version } from "./store.ts"

/** A rule as its owner gives it. */
export interface RuleOptions {
  readonly type: string
  readonly isEnabled: boolean
  /** So many of the newest versions of each package stay. */
  readonly keepCount: number
  /** Versions that stay: a regular expression for the whole version, in any letter case; "" for none. */
  readonly keepPattern: string
  /** Younger versions stay. */
  readonly removeDays: number
  /** Only these versions are removed: a regular expression likewise; "" for all. */
  readonly removePattern: string
}

const DAY = 86_400
const MOST = 1_000_000

/** Refuses `invalid` an expression that can't be compiled. */
function requirePattern(field: string, pattern: string): void {
  if (pattern !== "" && !matcherOf(pattern))
    throw refuse.invalid(field, "must be a regular expression without back-references and lookaround")
}

const matcherOf = (pattern: string) => compileRegex(`(?i)^(${pattern})$`)

/** Stores the owner's rule for a type, in the place of the one that it had. Refuses `invalid`. */
export async function saveRule({ database }: Pick<Services, "database">, owner: Pick<User, "id">, rule: RuleOptions): Promise<void> {
  requirePattern("keep_pattern", rule.keepPattern)
  requirePattern("remove_pattern", rule.removePattern)
  for (const [field, value] of [["keep_count", rule.keepCount] as const, ["remove_days", rule.removeDays] as const])
    if (!Number.isInteger(value) || value < 0 || value > MOST) throw refuse.invalid(field, t`must be a whole number from 0 to ${MOST}`)
  const values = {
    is_enabled: rule.isEnabled ? 1 : 0,
    keep_count: rule.keepCount,
    keep_pattern: rule.keepPattern,
    remove_days: rule.removeDays,
    remove_pattern: rule.removePattern,
    failure: "",
  } as const
  await database.write(async (tx) => {
    await lockOwner(tx, owner.id)
    await putRule(tx, { owner_id: owner.id, type: rule.type, ...values })
  })
}

/** Deletes the owner's rule for a type, and returns whether there was one. */
export const removeRule = ({ database }: Pick<Services, "database">, owner: Pick<User, "id">, type: string): Promise<boolean> =>
  database.write(async (tx) => (await deleteRule.changes(tx, { ownerId: owner.id, type })) > 0)

/** The versions that a rule removes of a package, given all of them from old to new. Throws for a pattern that can't be read. */
export function removedBy(rule: Rule, versions: readonly Version[], now: number): readonly Version[] {
  const read = (pattern: string) => {
    const matches = matcherOf(pattern)
    if (!matches) throw new TypeError(`the pattern ${JSON.stringify(pattern)} can't be read`)
    return matches
  }
  const keeps = rule.keep_pattern === "" ? undefined : read(rule.keep_pattern)
  const removes = rule.remove_pattern === "" ? undefined : read(rule.remove_pattern)
  const before = now - rule.remove_days * DAY
  return versions
    .slice(0, Math.max(0, versions.length - rule.keep_count))
    .filter(({ version, created_at }) => created_at < before && !keeps?.(version) && (removes?.(version) ?? true))
}

export interface Followed {
  readonly removed: number
  /** The owners whose rules could not be followed. */
  readonly failed: readonly string[]
}

/** Follows all rules that are switched on. One that fails is noted with the reason, and the others go on. */
export async function followRules(services: Services, signal: AbortSignal): Promise<Followed> {
  const { database, log, now } = services
  let removed = 0
  const failed: string[] = []
  for (let after = 0; !signal.aborted; ) {
    const rule = await findNextRule.first(database.read, { after })
    if (!rule) break
    after = rule.id
    const owner = await findUserById.first(database.read, { id: rule.owner_id })
    if (!owner) continue
    let failure = ""
    try {
      removed += await follow(services, owner, rule, signal)
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
      failed.push(`${owner.name}/${rule.type}`)
      log.error({ err: error, owner: owner.name, type: rule.type }, "a rule for cleaning up packages could not be followed")
    }
    await database.write((tx) => noteChecked.changes(tx, { id: rule.id, failure, at: now() }))
  }
  return { removed, failed }
}

/** One transaction for each package, so that other writers don't wait long. */
async function follow(services: Services, owner: User, rule: Rule, signal: AbortSignal): Promise<number> {
  const { database, now } = services
  // Before the first package: a broken rule removes nothing.
  removedBy(rule, [], now())
  let removed = 0
  for (let after = 0; !signal.aborted; ) {
    const of = await findNextOfType.first(database.read, { ownerId: owner.id, type: rule.type, after })
    if (!of) break
    after = of.id
    if (removedBy(rule, await findAllVersions(database.read, { packageId: of.id }), now()).length === 0) continue
    removed += await database.write(async (tx) => {
      const locked = await lockOwner(tx, owner.id)
      const versions = removedBy(rule, await findAllVersions(tx, { packageId: of.id }), now())
      await removeVersions(tx, services, { owner: locked, actor: locked }, of, versions)
      return versions.length
    })
  }
  return removed
}
