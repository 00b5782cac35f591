import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Context } from "./context.ts"
import { GitError } from "./errors.ts"
import { isAncestor } from "./history.ts"
import type { Commit, Person, Repository } from "./model.ts"
import { type ObjectId, objectId } from "./names.ts"
import { readCommit, writeCommit } from "./objects.ts"

/** Merging without a work tree: the results of `git merge` and `git rebase`, by plumbing commands that write objects only. */

/** The result of merging two commits. */
export type TreeMerge =
  | { readonly kind: "clean"; readonly tree: ObjectId }
  /** The paths in conflict. */
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  /** They have no commit in common. */
  | { readonly kind: "unrelated" }

/** Which commits to rebase, and onto what. */
export interface RebaseOptions {
  /** The commit to build on. */
  readonly onto: ObjectId
  /** Excludes its commits, and those that make the same change as one of them. */
  readonly upstream: ObjectId
  readonly head: ObjectId
  /** Who applies them, and when. */
  readonly committer: Person
}

/** The result of a rebase. */
export type Rebased =
  /** `commits` are those on top of `onto`, the newest last. */
  | { readonly kind: "done"; readonly head: ObjectId; readonly commits: readonly ObjectId[] }
  /** `commit` is the one that could not be applied. */
  | { readonly kind: "conflict"; readonly commit: ObjectId; readonly files: readonly string[] }

/** The most commits to rebase at a time: each takes a process. */
const REBASE_LIMIT = 5_000

async function mergeTree(
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
    const folder = repository.quarantine ?? join(repository.directory, "objects")
    await rm(join(folder, id.slice(0, 2), id.slice(2)), { force: true })
  }
}

/** Old and damaged commits may lack parts of a person that git requires. */
const complete = (person: Person): Person => ({
  ...person,
  name: /[\p{L}\p{N}]/u.test(person.name) ? person.name : "unknown",
  when: Math.max(0, person.when),
})

/** The commits to apply, oldest first: no merges, and none whose change `upstream` has already. */
async function commitsToApply(context: Context, repository: Repository, upstream: ObjectId, head: ObjectId): Promise<readonly ObjectId[]> {
  const flags = ["--reverse", "--topo-order", "--no-merges", "--cherry-pick", "--right-only"]
  const { stdout } = await context.processes.run({ name: "rev-list", flags, args: [`${upstream}...${head}`] }, { repository })
  const ids = stdout.toString("latin1").split("\n").filter(Boolean)
  if (ids.length > REBASE_LIMIT) throw new GitError("tooLarge", `more than ${REBASE_LIMIT} commits to rebase`)
  return ids.map((id) => objectId(id, repository.format))
}

/**
 * Applies commits on top of another, as `git rebase` does: authors and messages are kept, signatures are not, commits already in place
 * are kept unchanged, and those whose change is there already are dropped. One process, and one more for each rebased commit.
 * Throws `failed` when a commit is missing, `tooLarge` over 5,000 commits.
 */
export async function rebase(context: Context, repository: Repository, options: RebaseOptions): Promise<Rebased> {
  const { onto, upstream, head, committer } = options
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

  async function applied(commit: Commit, below: Commit): Promise<Commit | Extract<Rebased, { kind: "conflict" }> | undefined> {
    const merged = await applyCommit(context, repository, commit, below)
    if (merged.kind !== "clean") return { kind: "conflict", commit: commit.id, files: merged.kind === "conflict" ? merged.files : [] }
    if (merged.tree === below.tree && !(await isEmpty(commit))) return undefined
    const { message } = commit
    const author = complete(commit.author)
    const parents = [below.id]
    const id = await writeCommit(context, repository, { tree: merged.tree, parents, author, committer, message })
    return { id, tree: merged.tree, parents, author, committer, message, signature: undefined }
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
