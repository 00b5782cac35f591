import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { closeQuarantine, openQuarantine, type Quarantined } from "../incoming/quarantine.ts"
import { checkMerged } from "../incoming/unfit.ts"
import { GitError, isGitError } from "../model/errors.ts"
import type { Commit, EntryMode, Person, Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import { completePerson } from "../model/person.ts"
import { newObjectsOf } from "../objects/folders.ts"
import { hashObject } from "../objects/loose.ts"
import { type NewCommit, objectInfo, readBlob, readCommit, readTree, writeCommit } from "../objects/objects.ts"
import { entryMode } from "../objects/parse.ts"
import type { Context } from "../process/context.ts"
import { isAncestor } from "./history.ts"

export { rangeDiff } from "./range-diff.ts"

/** Merging without a work tree: the results of `git merge` and `git rebase`, by plumbing commands that write objects only. */

/** The result of merging two commits. */
export type TreeMerge =
  | { readonly kind: "clean"; readonly tree: ObjectId }
  /** The paths in conflict. */
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  /** They have no commit in common. */
  | { readonly kind: "unrelated" }
  | Unfit

/** The result has a file that would be refused in a push; `reason` names it and says why, in words that a client may see. */
export interface Unfit {
  readonly kind: "unfit"
  readonly reason: string
}

/** What one side of a merge, or its result, has at a path. */
export interface MergeEntry {
  readonly mode: EntryMode
  readonly id: ObjectId
}

/** A path in conflict: what its last common version, both sides and the result have there. Without a base, both sides added it. */
export interface ConflictedFile {
  readonly path: string
  readonly base: MergeEntry | undefined
  readonly ours: MergeEntry | undefined
  readonly theirs: MergeEntry | undefined
  readonly merged: MergeEntry | undefined
  /** The bytes of the result, with marks around what is in conflict; undefined for what is no file, and for more than was asked for. */
  readonly content: Buffer | undefined
}

/** The result of merging two commits, with what is in conflict. */
export type DetailedMerge =
  | Exclude<TreeMerge, { readonly kind: "conflict" }>
  | {
      readonly kind: "conflict"
      /** The whole result. It is stored only where that was asked for. */
      readonly tree: ObjectId
      readonly files: readonly ConflictedFile[]
      /** All of it is about single paths, each of which can be decided by itself: nothing was moved out of the way of a folder. */
      readonly isPlain: boolean
    }

/** How much of a conflict is read, and whether it is stored. */
export interface ConflictOptions {
  /** The most bytes of one result that are read. */
  readonly bytes: number
  /** The most files of which anything is read. */
  readonly files: number
  /** Stores the tree, so that another can be made of it. */
  readonly keep: boolean
}

/** A change, and what it is made to; all of them are trees. */
export interface TreeChange {
  /** Null for the empty tree. */
  readonly from: ObjectId | null
  readonly to: ObjectId | null
  readonly onto: ObjectId
}

/** Which commits to rebase, and onto what. */
export interface RebaseOptions {
  /** The commit to build on. */
  readonly onto: ObjectId
  /** Excludes its commits, and those that make the same change as one of them. */
  readonly upstream: ObjectId
  readonly head: ObjectId
  /** Who applies them, and when. */
  readonly committer: Person
  /** Signs the commits that are written. */
  readonly sign?: ((commit: NewCommit) => Promise<NewCommit>) | undefined
}

/** The result of a rebase. */
export type Rebased =
  /** `commits` are those on top of `onto`, the newest last. */
  | { readonly kind: "done"; readonly head: ObjectId; readonly commits: readonly ObjectId[] }
  /** `commit` is the one that could not be applied. */
  | { readonly kind: "conflict"; readonly commit: ObjectId; readonly files: readonly string[] }
  | Unfit

/** The most commits to rebase at a time: each takes a process. */
const REBASE_LIMIT = 5_000

/** Merges in a quarantine: objects of conflicts, and of a tree that would be refused in a push, are never stored. */
async function mergeTree(
  context: Context,
  repository: Repository,
  flags: readonly string[],
  commits: readonly ObjectId[],
): Promise<TreeMerge> {
  const quarantined = await openQuarantine(repository)
  try {
    const merged = await runMerge(context, quarantined, flags, commits)
    if (merged.kind === "clean") {
      await checkMerged(context, quarantined, merged.tree, () =>
        Promise.all(commits.map(async (id) => (await readCommit(context, quarantined, id)).tree)),
      )
      await context.store().migrate(quarantined)
    }
    return merged
  } catch (error) {
    if (isGitError(error, "unfit")) return { kind: "unfit", reason: error.message }
    throw error
  } finally {
    await closeQuarantine(context, quarantined)
  }
}

async function runMerge(
  context: Context,
  repository: Repository,
  flags: readonly string[],
  commits: readonly ObjectId[],
): Promise<TreeMerge> {
  const command = { name: "merge-tree", flags: ["--write-tree", "-z", "--name-only", "--no-messages", ...flags], args: commits } as const
  const { code, stdout, stderr } = await context.processes.run(command, { repository, accept: [0, 1, 128] })
  if (code === 128 && stderr.includes("unrelated histories")) return { kind: "unrelated" }
  const [tree, ...files] = stdout.toString("utf8").split("\0").filter(Boolean)
  // For a missing commit git exits as for a conflict, but prints no tree.
  if (code === 128 || tree === undefined) throw new GitError("failed", "git merge-tree failed", stderr)
  return code === 0 ? { kind: "clean", tree: objectId(tree, repository.format) } : { kind: "conflict", files: [...new Set(files)] }
}

/** Merges two commits by their merge bases, as `git merge` does, and stores the tree. One process. Throws `failed` when one is missing. */
export function mergeTrees(context: Context, repository: Repository, base: ObjectId, head: ObjectId): Promise<TreeMerge> {
  return mergeTree(context, repository, [], [base, head])
}

/** Kinds of conflicts that are about what stands at a path, and not about where. */
const PLAIN_CONFLICT = /^CONFLICT \((?:contents|binary|modify\/delete|rename\/delete|rename\/rename|submodule.*)\)$/

/** The output of `git merge-tree -z` with all stages and messages. */
function parseConflict(output: string, { format }: Repository, sides: readonly ObjectId[]) {
  const [tree = "", ...rest] = output.split("\0")
  const end = rest.indexOf("")
  const stages = new Map<string, (MergeEntry | undefined)[]>()
  for (const line of rest.slice(0, end)) {
    const [, mode = "", id = "", stage = "", path = ""] = /^(\d+) ([0-9a-f]+) ([123])\t([\s\S]+)$/.exec(line) ?? []
    const entries = stages.get(path) ?? []
    entries[Number(stage)] = { mode: entryMode(mode), id: objectId(id, format) }
    stages.set(path, entries)
  }
  const kinds: string[] = []
  // Each message: the number of paths, the paths, its kind, its words.
  for (let at = end + 1; at < rest.length && rest[at] !== ""; ) {
    const paths = Number(rest[at])
    kinds.push(rest[at + paths + 1] ?? "")
    at += paths + 3
  }
  const paths = [...stages.keys()]
  const isMoved = (path: string) => path.includes("\uFFFD") || sides.some((id) => path.includes(`~${id}`))
  const isPlain =
    paths.length > 0 && !paths.some(isMoved) && kinds.every((kind) => !kind.startsWith("CONFLICT") || PLAIN_CONFLICT.test(kind))
  return { tree: objectId(tree, format), stages, isPlain }
}

/** What a tree has at a path. */
async function entryAt(context: Context, repository: Repository, tree: ObjectId, path: string): Promise<MergeEntry | undefined> {
  let entry: MergeEntry | undefined = { mode: "40000", id: tree }
  for (const part of path.split("/")) {
    if (entry?.mode !== "40000") return undefined
    entry = (await readTree(context, repository, entry.id)).find(({ name }) => name === part)
  }
  return entry && { mode: entry.mode, id: entry.id }
}

const isFile = (entry: MergeEntry | undefined): entry is MergeEntry => entry?.mode === "100644" || entry?.mode === "100755"

/**
 * Merges two commits as `mergeTrees` does, and reads what is in conflict. Without a conflict the tree is stored; with one only where `keep` says so. One process.
 * Throws `failed` when a commit is missing.
 */
export async function mergeInDetail(
  context: Context,
  repository: Repository,
  ours: ObjectId,
  theirs: ObjectId,
  options: ConflictOptions,
): Promise<DetailedMerge> {
  const quarantined = await openQuarantine(repository)
  try {
    const flags = ["--write-tree", "-z", "--messages"]
    const command = { name: "merge-tree", flags, args: [ours, theirs] } as const
    const { code, stdout, stderr } = await context.processes.run(command, { repository: quarantined, accept: [0, 1, 128] })
    if (code === 128 && stderr.includes("unrelated histories")) return { kind: "unrelated" }
    if (code === 128 || stdout.length === 0) throw new GitError("failed", "git merge-tree failed", stderr)
    const { tree, stages, isPlain } = parseConflict(stdout.toString("utf8"), repository, [ours, theirs])
    const files: ConflictedFile[] = []
    for (const [path, [, base, one, other]] of code === 0 ? [] : stages) {
      const isRead = files.length < options.files
      const merged = isRead ? await entryAt(context, quarantined, tree, path) : undefined
      files.push({ path, base, ours: one, theirs: other, merged, content: await contentOf(quarantined, merged) })
    }
    if (code === 0 || options.keep) {
      const trees = async () => Promise.all([ours, theirs].map(async (id) => (await readCommit(context, quarantined, id)).tree))
      await checkMerged(context, quarantined, tree, trees)
      await context.store().migrate(quarantined)
    }
    return code === 0 ? { kind: "clean", tree } : { kind: "conflict", tree, files, isPlain }
  } catch (error) {
    if (isGitError(error, "unfit")) return { kind: "unfit", reason: error.message }
    throw error
  } finally {
    await closeQuarantine(context, quarantined)
  }

  async function contentOf(quarantined: Quarantined, entry: MergeEntry | undefined): Promise<Buffer | undefined> {
    if (!isFile(entry)) return undefined
    const size = (await objectInfo(context, quarantined, entry.id))?.size ?? 0
    return size > options.bytes ? undefined : readBlob(context, quarantined, entry.id)
  }
}

/**
 * Applies the difference between two trees to a third, as `git cherry-pick` and `git revert` do with that of a commit and its parent, and stores the tree.
 * Git before 2.40 has no option for the base of a merge, so temporary commits are made, and removed again. One process.
 */
export async function applyChange(context: Context, repository: Repository, { from, to, onto }: TreeChange): Promise<TreeMerge> {
  const empty = hashObject(repository.format, "tree", Buffer.alloc(0))
  const placeholder = { name: "nobody", email: "", when: 0, offset: 0 }
  const message = randomBytes(16).toString("hex")
  const written: ObjectId[] = []
  const standIn = async (tree: ObjectId | null, parents: readonly ObjectId[]): Promise<ObjectId> => {
    const made = { tree: tree ?? empty, parents, author: placeholder, committer: placeholder, message: `${message} ${written.length}` }
    const id = await writeCommit({ ...context, durable: false }, repository, made)
    written.push(id)
    return id
  }
  try {
    const base = await standIn(from, [])
    return await mergeTree(context, repository, [], [await standIn(onto, [base]), await standIn(to, [base])])
  } finally {
    for (const id of written) await rm(join(newObjectsOf(repository), id.slice(0, 2), id.slice(2)), { force: true })
  }
}

/**
 * Applies the change that a commit makes to its parent on top of another commit. Git before 2.40 has no option for the base of a merge, so a
 * temporary commit is made, with the tree to build on and the parent of the commit to apply, and removed again.
 */
async function applyCommit(context: Context, repository: Repository, commit: Commit, onto: Commit): Promise<TreeMerge> {
  const parents = commit.parents.slice(0, 1)
  const placeholder = { name: "nobody", email: "", when: 0, offset: 0 }
  // Its message makes it unique, so that it can be removed while others rebase the same.
  const message = randomBytes(16).toString("hex")
  const standIn = { tree: onto.tree, parents, author: placeholder, committer: placeholder, message }
  const id = await writeCommit({ ...context, durable: false }, repository, standIn)
  try {
    return await mergeTree(context, repository, parents.length === 0 ? ["--allow-unrelated-histories"] : [], [id, commit.id])
  } finally {
    await rm(join(newObjectsOf(repository), id.slice(0, 2), id.slice(2)), { force: true })
  }
}

/** The commits to apply, oldest first: no merges, and none whose change `upstream` has already. */
async function commitsToApply(context: Context, repository: Repository, upstream: ObjectId, head: ObjectId): Promise<readonly ObjectId[]> {
  const flags = ["--reverse", "--topo-order", "--no-merges", "--cherry-pick", "--right-only"]
  const { stdout } = await context.processes.run({ name: "rev-list", flags, args: [`${upstream}...${head}`] }, { repository })
  const ids = stdout.toString("latin1").split("\n").filter(Boolean)
  if (ids.length > REBASE_LIMIT) throw new GitError("tooLarge", `more than ${REBASE_LIMIT} commits to rebase`)
  return ids.map((id) => objectId(id, repository.format))
}

/**
 * Applies commits on top of another, as `git rebase` does: authors, messages and identities of changes are kept, signatures are not unless `sign` makes new ones, commits already in place
 * are kept unchanged, and those whose change is there already are dropped. One process, and one more for each rebased commit.
 * Throws `failed` when a commit is missing, `tooLarge` over 5,000 commits.
 */
export async function rebase(context: Context, repository: Repository, options: RebaseOptions): Promise<Rebased> {
  const { onto, upstream, head, committer, sign } = options
  let top = await readCommit(context, repository, onto)
  const commits: ObjectId[] = []
  for (const id of await commitsToApply(context, repository, upstream, head)) {
    const commit = await readCommit(context, repository, id)
    const next = commit.parents[0] === top.id ? commit : await applied(commit, top)
    if (next === undefined) continue
    if ("kind" in next) return next
    commits.push(next.id)
    top = next
  }
  return { kind: "done", head: top.id, commits }

  async function applied(commit: Commit, below: Commit): Promise<Commit | Exclude<Rebased, { kind: "done" }> | undefined> {
    const merged = await applyCommit(context, repository, commit, below)
    if (merged.kind === "unfit") return merged
    if (merged.kind !== "clean") return { kind: "conflict", commit: commit.id, files: merged.kind === "conflict" ? merged.files : [] }
    if (merged.tree === below.tree && !(await isEmpty(commit))) return undefined
    const { message, changeId } = commit
    const author = completePerson(commit.author)
    const parents = [below.id]
    const unsigned: NewCommit = { tree: merged.tree, parents, author, committer, message, changeId }
    const id = await writeCommit(context, repository, sign ? await sign(unsigned) : unsigned)
    return { id, tree: merged.tree, parents, author, committer, message, changeId, signature: undefined }
  }

  /** Whether a commit was empty originally: those are kept, because they are intended. */
  async function isEmpty({ tree, parents: [parent] }: Commit): Promise<boolean> {
    return parent !== undefined && (await readCommit(context, repository, parent)).tree === tree
  }
}

/**
 * The commit that brought `head` into the history of `base`, which has it: the merge that it was another parent of, or `head` itself after a
 * fast-forward. Two processes. Throws `failed` when one of them is missing.
 */
export async function mergedBy(context: Context, repository: Repository, head: ObjectId, base: ObjectId): Promise<ObjectId> {
  const command = { name: "rev-list", flags: ["--ancestry-path", "--merges", "--reverse"], args: [`${head}..${base}`] } as const
  const { stdout } = await context.processes.run(command, { repository })
  const [first = ""] = stdout.toString("latin1").split("\n", 1)
  if (first === "") return head
  const merge = await readCommit(context, repository, objectId(first, repository.format))
  const [side] = merge.parents
  // A later merge, into a branch that had the head already.
  if (side !== undefined && (await isAncestor(context, repository, head, side))) return head
  return merge.id
}
