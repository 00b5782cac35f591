import { sql } from "kysely"
import type { Repository as RepositoryRow } from "../../access/permission.ts"
import { findUserById } from "../../access/store.ts"
import type { Transaction } from "../../core/database/database.ts"
import { type Params, query } from "../../core/database/query.ts"
import { flag } from "../../core/database/tables.ts"
import type { Services } from "../../core/services.ts"
import { branchOf, branchRef, isGitError, type ObjectId, type RefName, type Repository, tagOf } from "../../git/index.ts"
import { type ActivityKind, hideActivities, recordActivity, showActivities } from "../activity/rules.ts"
import { type ReferringCommit, referencesInPushedCommits } from "../references/commits.ts"
import { watchAutomatically } from "../teams/watches.ts"
import { chooseDefault, defaultBranchNow, readTips, type Tip, tipsUnchanged, writeBranches } from "./branches.ts"
import { readReferringCommits } from "./commits.ts"
import { branchContent, deletedTagContent, type Place, tagContent } from "./content.ts"
import { removeEntry, takeEntry } from "./entries.ts"
import { type RepositoryOptions, readOptions } from "./options.ts"

/** What follows from references that have moved: everything that is derived from them becomes true in one transaction. */

/** A reference that has moved; null stands for "not there". */
export interface RefChange {
  readonly ref: RefName
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
}

/** A push whose references have moved. */
export interface Settling {
  readonly repositoryId: number
  readonly pusherId: number
  /** Its journal entry. */
  readonly entryId: number
  readonly changes: readonly RefChange[]
  readonly options: readonly string[]
  /** Bytes that the object store grew by; undefined where it must be measured. */
  readonly addedBytes: number | undefined
}

/** References of one push that the feed tells of; nobody reads the ten thousand rows that pushing a mirror would make. */
const TOLD_REFS = 100

interface Told {
  readonly kind: ActivityKind
  readonly refName: string
  readonly content: string
}

const findRepository = query("transport.findRepository", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("repositories")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .selectAll("repositories")
    .select("owner.name as owner_name")
    .where("repositories.id", "=", p.id),
)

/** Marks the repository as changed, which also keeps other pushes to it out until the transaction ends. */
const touchRepository = query("transport.touchRepository", (db, p: Params<{ id: number; now: number }>) =>
  db.updateTable("repositories").set({ updated_at: p.now }).where("id", "=", p.id).returningAll(),
)

const settleRepository = query(
  "transport.settleRepository",
  (db, p: Params<{ id: number; defaultBranch: string; base: number; added: number }>) =>
    db
      .updateTable("repositories")
      .set((eb) => ({
        default_branch: p.defaultBranch,
        is_empty: sql<0 | 1>`case when branches_count = 0 then 1 else 0 end`,
        // Added to what is stored unless it was measured: other pushes may have grown it meanwhile.
        git_size: sql<number>`git_size * ${p.base} + ${p.added}`,
        updated_at: eb.ref("updated_at"),
      }))
      .where("id", "=", p.id)
      .returningAll(),
)

/**
 * Makes everything that follows from a push true: branch rows and their count, default branch, empty flag, size, update time, feed, watch,
 * what push options ask for, and git's HEAD. Does nothing when the journal entry was taken by another. Gives lines for the pusher.
 */
export async function settlePush(services: Services, settling: Settling): Promise<readonly string[]> {
  const { database, git, now } = services
  const found = await findRepository.first(database.read, { id: settling.repositoryId })
  if (!found) {
    await database.write((tx) => removeEntry(tx, settling.entryId))
    return []
  }
  const repository = git.at(found.storage, found.object_format)
  const told = await tellings(services, found, repository, settling.changes)
  const referring = await readReferringCommits(services, found, repository, settling.changes)
  const size = settling.addedBytes === undefined ? await git.repositories.size(repository) : undefined
  let tips = await readTips(git, repository, branchNames(settling.changes))
  const settled = await database.write((tx) => settle(tx, services, { settling, tips, told, referring, size }))
  // Two pushes to one branch may be written down in the other order; whoever writes last looks again, so that the last row is the true one.
  while (settled && !(await tipsUnchanged(git, repository, tips))) {
    tips = await readTips(git, repository, branchNames(settling.changes))
    await database.write((tx) => writeBranches(tx, { repositoryId: found.id, tips, pusherId: settling.pusherId, now: now() }))
  }
  if (!settled?.headMoves) return settled?.lines ?? []
  await alignHead(services, found.id)
  await database.write((tx) => removeEntry(tx, settling.entryId))
  return settled.lines
}

interface Prepared {
  readonly settling: Settling
  readonly tips: readonly Tip[]
  readonly told: readonly Told[]
  readonly referring: readonly ReferringCommit[]
  readonly size: number | undefined
}

interface Settled {
  readonly lines: readonly string[]
  readonly headMoves: boolean
}

async function settle(
  tx: Transaction,
  services: Services,
  { settling, tips, told, referring, size }: Prepared,
): Promise<Settled | undefined> {
  const { config, now } = services
  const { repositoryId, pusherId, entryId, changes, addedBytes } = settling
  const before = await touchRepository.first(tx, { id: repositoryId, now: now() })
  if (!before || !(await takeEntry(tx, entryId, repositoryId))) return undefined
  const owner = await findUserById.first(tx, { id: before.owner_id })
  const pusher = await findUserById.first(tx, { id: pusherId })

  await writeBranches(tx, { repositoryId, tips, pusherId, now: now() })
  const wasEmpty = before.is_empty === 1
  const defaultBranch = await defaultBranchNow(tx, repositoryId, { stored: before.default_branch, wasEmpty, created: created(changes) })
  const growth = size === undefined ? { base: 1, added: addedBytes ?? 0 } : { base: 0, added: size }
  const settled = (await settleRepository.first(tx, { id: repositoryId, defaultBranch, ...growth })) ?? before

  const options = readOptions(settling.options)
  const after = wasEmpty ? await applyOptions(tx, settled, options, config.repository.forcePrivate) : settled
  if (owner && pusher) {
    for (const event of told) await recordActivity(tx, { ...event, actor: pusher, repository: after, owner, now: now() })
    await referencesInPushedCommits(tx, services, { repository: after, owner, pusher, commits: referring, now: now() })
    if (config.users.autoWatchOnPush) await watchAutomatically(tx, pusher.id, repositoryId, now())
  }
  // An entry that is left makes the job look at HEAD again, should this process end before it has done so.
  const headMoves = wasEmpty || defaultBranch !== before.default_branch
  if (!headMoves) await removeEntry(tx, entryId)
  const ignored = !wasEmpty && Object.keys(options).length > 0
  return { headMoves, lines: ignored ? ["The push options repo.private and repo.template count only while a repository is empty."] : [] }
}

const branchNames = (changes: readonly RefChange[]): readonly string[] => changes.flatMap(({ ref }) => branchOf(ref) ?? [])

const created = (changes: readonly RefChange[]): readonly string[] => branchNames(changes.filter(({ oldId }) => oldId === null))

// --- the feed --------------------------------------------------------------------------------------------------------------------

/** What the feed tells of these changes. Reads git. */
async function tellings(
  { git }: Services,
  row: RepositoryRow & { readonly owner_name: string },
  repository: Repository,
  changes: readonly RefChange[],
): Promise<readonly Told[]> {
  const arrived = created(changes)
  const choice = { stored: row.default_branch, wasEmpty: row.is_empty === 1, created: arrived }
  const defaultBranch = choice.wasEmpty ? chooseDefault(choice, (name) => arrived.includes(name)) : row.default_branch
  const place: Place = { git, repository, fullName: `${row.owner_name}/${row.name}`, defaultBranch }
  const told: Told[] = []
  for (const change of changes.slice(0, TOLD_REFS)) told.push(...(await tellingsOf(place, change)))
  return told
}

async function tellingsOf(place: Place, { ref, oldId, newId }: RefChange): Promise<readonly Told[]> {
  const branch = branchOf(ref)
  if (branch !== undefined) {
    if (newId === null) return [{ kind: "delete_branch", refName: ref, content: "" }]
    const pushed: Told = { kind: "commit_repo", refName: ref, content: await branchContent(place, branch, oldId, newId) }
    // Existing clients know a new branch by the row without content before the one with its commits.
    return oldId === null ? [{ ...pushed, content: "" }, pushed] : [pushed]
  }
  if (tagOf(ref) === undefined) return []
  if (newId === null) return [{ kind: "delete_tag", refName: ref, content: deletedTagContent }]
  return [{ kind: "push_tag", refName: ref, content: await tagContent(place, newId) }]
}

// --- the rest --------------------------------------------------------------------------------------------------------------------

async function applyOptions(
  tx: Transaction,
  repository: RepositoryRow,
  { isPrivate, isTemplate }: RepositoryOptions,
  forcePrivate: boolean,
): Promise<RepositoryRow> {
  const wanted = {
    is_private: flag(forcePrivate || (isPrivate ?? repository.is_private === 1)),
    is_template: flag(isTemplate ?? repository.is_template === 1),
  }
  if (wanted.is_private === repository.is_private && wanted.is_template === repository.is_template) return repository
  await tx.updateTable("repositories").set(wanted).where("id", "=", repository.id).execute()
  if (wanted.is_private !== repository.is_private) await (wanted.is_private ? hideActivities : showActivities)(tx, repository.id)
  return { ...repository, ...wanted }
}

/** Times that HEAD is tried again while somebody else is changing it. */
const HEAD_TRIES = 20
const HEAD_PAUSE_MS = 25

/**
 * Makes git's HEAD name the default branch that is stored, and looks again afterwards: the stored one is the truth, whoever changed it last.
 * Throws GitError `conflict` when somebody holds HEAD's lock for long.
 */
export async function alignHead({ database, git }: Services, repositoryId: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const row = await findRepository.first(database.read, { id: repositoryId })
    // A repository that was generated without files has no default branch until something is pushed.
    if (!row || row.default_branch === "") return
    const repository = git.at(row.storage, row.object_format)
    const wanted = branchRef(row.default_branch)
    if ((await git.references.head(repository)) === wanted) return
    try {
      await git.references.setHead(repository, wanted)
    } catch (error) {
      if (tries === HEAD_TRIES || !isGitError(error, "conflict")) throw error
      await new Promise((resolve) => setTimeout(resolve, HEAD_PAUSE_MS))
    }
  }
}
