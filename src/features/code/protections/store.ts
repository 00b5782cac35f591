import { isDeepStrictEqual } from "node:util"
import type { Selectable } from "kysely"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { BranchProtectionListsTable, BranchProtectionsTable, TagProtectionsTable } from "../../../core/database/tables/protections.ts"
import { branchMatcher, isPattern } from "./names.ts"

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

/** Returns a function that finds a branch's rule: the first that matches. */
export function ruleFinder(protections: readonly Protection[]): (branch: string) => Protection | undefined {
  const rules = protections.map((protection) => ({ protection, fits: branchMatcher(protection.rule_name) }))
  return (branch) => rules.find(({ fits }) => fits?.(branch))?.protection
}

/** The rule for a branch, which need not exist; undefined if none matches. */
export const findProtection = async (db: Handle, repositoryId: number, branch: string): Promise<Protection | undefined> =>
  ruleFinder(await findProtections(db, repositoryId))(branch)

/** The commits of a repository's branches, newest first. */
export const findBranchTips = query("protections.findBranchTips", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("branches")
    .select(["name", "commit_id"])
    .where("repository_id", "=", p.repositoryId)
    .orderBy("committed_at", "desc")
    .orderBy("name"),
)

/** Which of these teams a user belongs to. */
export const findTeamsAmong = query("protections.findTeamsAmong", (db, p: Params<{ userId: number; teamIds: readonly number[] }>) =>
  db.selectFrom("team_members").select("team_id").where("user_id", "=", p.userId).where("team_id", "in", p.teamIds),
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
