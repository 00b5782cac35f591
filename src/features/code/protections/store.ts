import { isDeepStrictEqual } from "node:util"
import type { Insertable, Selectable, Updateable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import type { BranchProtectionListsTable, BranchProtectionsTable, TagProtectionsTable } from "../../../core/database/tables/protections.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"
import { t } from "../../../core/language/message.ts"
import { patternSet } from "../../../core/text/automaton.ts"
import { beginWork, type Work } from "../../../core/work.ts"
import { branchPattern, isPattern } from "./names.ts"

export type ListName = BranchProtectionListsTable["list"]
export const LIST_NAMES = ["push", "force_push", "merge", "approvals", "bypass"] as const satisfies readonly ListName[]

/** The users and teams on a rule's list. */
export interface Listed {
  readonly userIds: readonly number[]
  readonly teamIds: readonly number[]
}

/** A branch protection, with its lists. */
export interface Protection extends Selectable<BranchProtectionsTable> {
  readonly lists: Readonly<Record<ListName, Listed>>
}

/** A tag protection, with those who may create, move and delete the tags. */
export interface TagProtection extends Selectable<TagProtectionsTable> {
  readonly allowed: Listed
}

const findRules = query("protections.findRules", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("branch_protections").selectAll().where("repository_id", "=", p.repositoryId).orderBy("priority").orderBy("id"),
)

const findListed = query("protections.findListed", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("branch_protection_lists as listed")
    .innerJoin("branch_protections as rule", "rule.id", "listed.protection_id")
    .selectAll("listed")
    .where("rule.repository_id", "=", p.repositoryId)
    .orderBy("listed.user_id")
    .orderBy("listed.team_id"),
)

interface Entry {
  readonly user_id: number | null
  readonly team_id: number | null
}

const listed = (entries: readonly Entry[]): Listed => ({
  userIds: entries.flatMap(({ user_id }) => user_id ?? []),
  teamIds: entries.flatMap(({ team_id }) => team_id ?? []),
})

/** The rules of a repository in the order of evaluation: by priority, then plain names first, then the oldest. */
export async function findProtections(db: Handle, repositoryId: number): Promise<readonly Protection[]> {
  const rules = await findRules(db, { repositoryId })
  if (rules.length === 0) return []
  const entries = Map.groupBy(await findListed(db, { repositoryId }), ({ protection_id }) => protection_id)
  return rules
    .map((rule) => {
      const of = (list: ListName) => listed((entries.get(rule.id) ?? []).filter((entry) => entry.list === list))
      const lists = {
        push: of("push"),
        force_push: of("force_push"),
        merge: of("merge"),
        approvals: of("approvals"),
        bypass: of("bypass"),
      }
      return { ...rule, lists }
    })
    .toSorted((a, b) => a.priority - b.priority || Number(isPattern(a.rule_name)) - Number(isPattern(b.rule_name)) || a.id - b.id)
}

/** Whether a rule is the same as before an edit, but for the time of the edit. */
export const isSameRule = <Rule extends { readonly updated_at: number }>(before: Rule, after: Rule): boolean =>
  isDeepStrictEqual({ ...before, updated_at: 0 }, { ...after, updated_at: 0 })

/** Finds the rules of branches. */
export type RuleFinder = (branch: string) => Promise<Protection | undefined>

/**
 * Prepares a function that finds a branch's rule: the first whose name is the branch's, ignoring case, or a pattern that matches it. Throws `TooMuchWork`, and is not to be used
 * in a transaction unless the work is for that.
 */
export function ruleFinder(protections: readonly Protection[], work: Work): RuleFinder {
  if (protections.length === 0) return async () => undefined
  const names = protections.map(({ rule_name }) => rule_name)
  const patterns = patternSet(names.map((name) => (isPattern(name) ? branchPattern(name) : undefined)))
  const plain = new Map<string, number>()
  for (const [index, name] of names.entries()) if (!isPattern(name) && !plain.has(name.toLowerCase())) plain.set(name.toLowerCase(), index)
  return async (branch) => {
    const [matching = Number.POSITIVE_INFINITY] = await patterns.matching(branch, work)
    return protections[Math.min(plain.get(branch.toLowerCase()) ?? Number.POSITIVE_INFINITY, matching)]
  }
}

/** The most steps to find the rule of one branch: some 50 ms. */
const STEPS_OF_ONE = 5_000_000

/** The rule for a branch, which need not exist; undefined if none matches. Also in transactions. Throws `TooMuchWork` for rules without number and sense. */
export async function findProtection(db: Handle, repositoryId: number, branch: string): Promise<Protection | undefined> {
  const protections = await findProtections(db, repositoryId)
  const work = beginWork({ what: t("find the rule of a branch among all rules for branches"), steps: STEPS_OF_ONE, isWithoutTurns: true })
  return ruleFinder(protections, work)(branch)
}

/** The commits of a repository's branches, newest first. */
export const findBranchTips = query("protections.findBranchTips", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("branches")
    .select(["name", "commit_id"])
    .where("repository_id", "=", p.repositoryId)
    .orderBy("committed_at", "desc")
    .orderBy("name"),
)

/** Which of the teams in the rules for branches of a repository a user belongs to. */
export const findTeamsInRules = query("protections.findTeamsInRules", (db, p: Params<{ userId: number; repositoryId: number }>) =>
  db
    .selectFrom("team_members as member")
    .innerJoin("branch_protection_lists as listed", "listed.team_id", "member.team_id")
    .innerJoin("branch_protections as rule", "rule.id", "listed.protection_id")
    .select("member.team_id")
    .distinct()
    .where("member.user_id", "=", p.userId)
    .where("rule.repository_id", "=", p.repositoryId),
)

/** Which of these users belong to one of these teams. */
export const findMembersOfTeams = query(
  "protections.findMembersOfTeams",
  (db, p: Params<{ userIds: readonly number[]; teamIds: readonly number[] }>) =>
    db.selectFrom("team_members").select("user_id").distinct().where("team_id", "in", p.teamIds).where("user_id", "in", p.userIds),
)

// --- tags -------------------------------------------------------------------------------------------------------------------------

const findTagRules = query("protections.findTagRules", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("tag_protections").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id"),
)

const findTagListed = query("protections.findTagListed", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("tag_protection_lists as listed")
    .innerJoin("tag_protections as rule", "rule.id", "listed.protection_id")
    .selectAll("listed")
    .where("rule.repository_id", "=", p.repositoryId)
    .orderBy("listed.user_id")
    .orderBy("listed.team_id"),
)

/** The tag protections of a repository, oldest first. */
export async function findTagProtections(db: Handle, repositoryId: number): Promise<readonly TagProtection[]> {
  const rules = await findTagRules(db, { repositoryId })
  if (rules.length === 0) return []
  const entries = Map.groupBy(await findTagListed(db, { repositoryId }), ({ protection_id }) => protection_id)
  return rules.map((rule) => ({ ...rule, allowed: listed(entries.get(rule.id) ?? []) }))
}

/** Which of the teams in the rules for tags of a repository a user belongs to. */
export const findTeamsInTagRules = query("protections.findTeamsInTagRules", (db, p: Params<{ userId: number; repositoryId: number }>) =>
  db
    .selectFrom("team_members as member")
    .innerJoin("tag_protection_lists as listed", "listed.team_id", "member.team_id")
    .innerJoin("tag_protections as rule", "rule.id", "listed.protection_id")
    .select("member.team_id")
    .distinct()
    .where("member.user_id", "=", p.userId)
    .where("rule.repository_id", "=", p.repositoryId),
)

/** Renames the rule of a renamed branch. */
export const renameRule = query("protections.rename", (db, p: Params<{ repositoryId: number; from: string; to: string; now: Seconds }>) =>
  db
    .updateTable("branch_protections")
    .set({ rule_name: p.to, updated_at: p.now })
    .where("repository_id", "=", p.repositoryId)
    .where("rule_name", "=", p.from),
)

// --- changes ----------------------------------------------------------------------------------------------------------------------

/** Stores rules for branches; returns their ids by their names. */
export async function insertRules(
  tx: Transaction,
  rules: readonly Insertable<BranchProtectionsTable>[],
): Promise<ReadonlyMap<string, number>> {
  const made = await tx.insertInto("branch_protections").values(rules).returning(["id", "rule_name"]).execute()
  return new Map(made.map(({ id, rule_name }) => [rule_name, id]))
}

/** Stores a rule for branches and returns its id. */
export async function insertRule(tx: Transaction, rule: Insertable<BranchProtectionsTable>): Promise<number> {
  const { id } = await tx.insertInto("branch_protections").values(rule).returning("id").executeTakeFirstOrThrow()
  return id
}

/** Changes these columns of a rule for branches. */
export async function updateRule(tx: Transaction, id: number, changes: Updateable<BranchProtectionsTable>): Promise<void> {
  await tx.updateTable("branch_protections").set(changes).where("id", "=", id).execute()
}

export async function deleteRule(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom("branch_protections").where("id", "=", id).execute()
}

/** Whom a list of a rule names. */
type OnList = Insertable<BranchProtectionListsTable>

/** Puts users and teams on the lists of rules. */
export async function insertOnLists(tx: Transaction, rows: readonly OnList[]): Promise<void> {
  for (const slice of slicesOf(rows)) await tx.insertInto("branch_protection_lists").values(slice).execute()
}

/** Replaces one list of a rule. */
export async function replaceList(
  tx: Transaction,
  protectionId: number,
  list: OnList["list"],
  { userIds, teamIds }: Listed,
): Promise<void> {
  await tx.deleteFrom("branch_protection_lists").where("protection_id", "=", protectionId).where("list", "=", list).execute()
  await insertOnLists(tx, [
    ...userIds.map((user_id) => ({ protection_id: protectionId, list, user_id, team_id: null })),
    ...teamIds.map((team_id) => ({ protection_id: protectionId, list, user_id: null, team_id })),
  ])
}

/** Stores a rule for tags and returns its id. */
export async function insertTagRule(tx: Transaction, row: Insertable<TagProtectionsTable>): Promise<number> {
  const { id } = await tx.insertInto("tag_protections").values(row).returning("id").executeTakeFirstOrThrow()
  return id
}

/** Gives a rule for tags another pattern. */
export async function putTagPattern(tx: Transaction, id: number, pattern: string, now: Seconds): Promise<void> {
  await tx.updateTable("tag_protections").set({ name_pattern: pattern, updated_at: now }).where("id", "=", id).execute()
}

export async function deleteTagRule(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom("tag_protections").where("id", "=", id).execute()
}

/** Replaces those whom a rule for tags allows. */
export async function replaceAllowed(tx: Transaction, id: number, { userIds, teamIds }: Listed): Promise<void> {
  await tx.deleteFrom("tag_protection_lists").where("protection_id", "=", id).execute()
  const rows = [
    ...userIds.map((user_id) => ({ protection_id: id, user_id, team_id: null })),
    ...teamIds.map((team_id) => ({ protection_id: id, user_id: null, team_id })),
  ]
  for (const slice of slicesOf(rows)) await tx.insertInto("tag_protection_lists").values(slice).execute()
}
