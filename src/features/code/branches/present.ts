import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import { mapInBatches } from "../../../core/batches.ts"
import type { Handle } from "../../../core/database/database.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { beginWork } from "../../../core/work.ts"
import { type Commit, objectId } from "../../../git/index.ts"
import { presentPayloadCommits, type UnsignedCommit } from "../commits/present.ts"
import { statusGlobs } from "../protections/required-checks.ts"
import { findProtections, findRuleSubject, merges, type Protection, pushes, type RuleSubject, ruleFinder } from "../protections/rules.ts"
import { maintainedBranches } from "../pushes/maintainer-edits.ts"
import type { Branch } from "./records.ts"
import type { BranchRow } from "./store.ts"

/** The part of a branch's row that is presented. */
export type BranchFields = Omit<BranchRow, "id" | "repository_id" | "pusher_id" | "updated_at">

/** A branch with its commit and the rule that it matches. */
export interface BranchView {
  readonly name: string
  readonly commit: Commit | UnsignedCommit
  readonly protection: Protection | undefined
}

/** Branches of one repository, in their order, and all rules of the repository: git is read only for commits that are signed or have very long messages. */
export async function viewBranches(
  services: Services,
  db: Handle,
  on: OnRepository,
  rows: readonly BranchFields[],
): Promise<{ readonly views: readonly BranchView[]; readonly protections: readonly Protection[] }> {
  if (rows.length === 0) return { views: [], protections: [] }
  const protections = await findProtections(db, on.repository.id)
  const work = beginWork({ what: t("find the rules of these branches"), steps: services.config.limits.workSteps })
  const ruleOf = ruleFinder(protections, work)
  const commits = new Map((await commitsOf(services, on, rows)).map((commit) => [commit.id, commit]))
  const views: BranchView[] = []
  for (const { name, commit_id } of rows) {
    const commit = commits.get(objectId(commit_id))
    if (commit) views.push({ name, commit, protection: await ruleOf(name) })
  }
  return { views, protections }
}

/** The same as records, with what the caller may do: a fixed number of queries. */
export async function presentBranches(
  services: Services,
  db: Handle,
  actor: Actor,
  on: OnRepository,
  rows: readonly BranchFields[],
): Promise<Branch[]> {
  if (rows.length === 0) return []
  const { views, protections } = await viewBranches(services, db, on, rows)
  const who = actor.kind === "user" ? await findRuleSubject(db, protections, on, actor.user) : undefined
  const maintained = who && !who.writes ? await maintainedBranches(db, actor, on) : new Set<string>()
  const commits = await presentPayloadCommits(services, db, on, [...new Set(views.map(({ commit }) => commit))])
  return views.flatMap(({ name, commit: { id }, protection }) => {
    const commit = commits.get(id)
    return commit ? [{ name, commit, ...protectionFields(protection, who, maintained.has(name)) }] : []
  })
}

export async function presentBranch(services: Services, db: Handle, actor: Actor, on: OnRepository, row: BranchFields): Promise<Branch> {
  const [branch] = await presentBranches(services, db, actor, on, [row])
  if (!branch) throw new TypeError("one branch makes one record")
  return branch
}

/** What a branch's rule requires, and what it allows the caller; undefined for anonymous callers. */
function protectionFields(
  protection: Protection | undefined,
  who: RuleSubject | undefined,
  isMaintained: boolean,
): Omit<Branch, "name" | "commit"> {
  return {
    protected: protection !== undefined,
    required_approvals: protection?.required_approvals ?? 0,
    enable_status_check: protection?.enable_status_check === 1,
    status_check_contexts: protection ? mutable(statusGlobs(protection)) : [],
    user_can_push: who !== undefined && (pushes(protection, who) || (isMaintained && !protection)),
    user_can_merge: who !== undefined && merges(protection, who),
    effective_branch_protection_name: protection && who?.administers ? protection.rule_name : "",
  }
}

const mutable = (globs: readonly string[] | null): string[] | null => globs && [...globs]

async function commitsOf(
  { git }: Services,
  { repository }: OnRepository,
  rows: readonly BranchFields[],
): Promise<readonly (Commit | UnsignedCommit)[]> {
  const distinct = [...new Map(rows.map((row) => [row.commit_id, row])).values()]
  const storage = git.at(repository.storage, repository.object_format)
  const read = await mapInBatches(
    distinct.filter(({ is_told }) => is_told === 0),
    ({ commit_id }) => git.objects.readCommit(storage, objectId(commit_id)),
  )
  return [...read, ...distinct.filter(({ is_told }) => is_told === 1).map(commitOf)]
}

/** The commit of a row that holds everything to be presented. */
const commitOf = (row: BranchFields): UnsignedCommit => ({
  id: objectId(row.commit_id),
  author: { name: row.author_name, email: row.author_email, when: row.authored_at, offset: row.author_offset },
  committer: { name: row.committer_name, email: row.committer_email, when: row.committed_at, offset: 0 },
  message: row.commit_message,
  signature: undefined,
})
