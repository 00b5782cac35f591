import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Context } from "./context.ts"
import { GitError } from "./errors.ts"
import { isAncestor } from "./history.ts"
import type { Commit, Person, Repository } from "./model.ts"
import { type ObjectId, objectId } from "./names.ts"
import { readCommit, writeCommit } from "./objects.ts"

/** Merging without a work tree: what `git merge` and `git rebase` make, by plumbing that leaves nothing behind but objects. */

/** What two commits give when their changes are put together. */
export type TreeMerge =
  | { readonly kind: "clean"; readonly tree: ObjectId }
  /** The paths that both changed in ways that don't fit. */
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  /** They have no commit in common. */
  | { readonly kind: "unrelated" }

/** Which commits to apply anew, and where. */
export interface RebaseOptions {
  /** The commit to build on. */
  readonly onto: ObjectId
  /** Its commits are left out, and those that make the same change as one of them. */
  readonly upstream: ObjectId
  readonly head: ObjectId
  /** Who applies them, and when. */
  readonly committer: Person
}

/** What a rebase gives. */
export type Rebased =
  /** `commits` are those on top of `onto`, the newest last. */
  | { readonly kind: "done"; readonly head: ObjectId; readonly commits: readonly ObjectId[] }
  /** `commit` is the one that could not be applied. */
  | { readonly kind: "conflict"; readonly commit: ObjectId; readonly files: readonly string[] }

/** The most commits that are applied anew at once: each takes a process. */
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
  // Of a missing commit git says the same as of a conflict, but gives no tree.
  if (code === 128 || tree === undefined) throw new GitError("failed", "git merge-tree failed", stderr)
  return code === 0 ? { kind: "clean", tree: objectId(tree, repository.format) } : { kind: "conflict", files: [...new Set(files)] }
}

/** Merges two commits by their merge bases, as `git merge` does, and stores the tree. One process. Throws `failed` when one is missing. */
export function mergeTrees(context: Context, repository: Repository, base: ObjectId, head: ObjectId): Promise<TreeMerge> {
  return mergeTree(context, repository, [], [base, head])
}

/**
 * Applies the change that a commit makes to its parent on top of another commit. Git before 2.40 can't be told the base of a merge, so it is
 * shown one: a commit with the tree to build on and the parent of the commit to apply, which is removed again.
 */
async function applyCommit(context: Context, repository: Repository, commit: Commit, onto: Commit): Promise<TreeMerge> {
  const parents = commit.parents.slice(0, 1)
  const nobody = { name: "nobody", email: "", when: 0, offset: 0 }
  // By its message it is nobody else's, so that it can be removed while others rebase the same.
  const message = randomBytes(16).toString("hex")
  const standIn = { tree: onto.tree, parents, author: nobody, committer: nobody, message }
  const id = await writeCommit({ ...context, durable: false }, repository, standIn)
  try {
    return await mergeTree(context, repository, parents.length === 0 ? ["--allow-unrelated-histories"] : [], [id, commit.id])
  } finally {
    const folder = repository.quarantine ?? join(repository.directory, "objects")
    await rm(join(folder, id.slice(0, 2), id.slice(2)), { force: true })
  }
}

/** Old and damaged commits may lack what git refuses to write a person without. */
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
 * Applies commits anew on top of another, as `git rebase` does: authors and messages are kept, signatures are not, commits that lie in place
 * stay as they are, and those whose change is there already fall away. One process, and one more for each commit that is applied anew.
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

  /** Whether a commit changed nothing where it was made: such are kept, for somebody wanted them so. */
  async function isEmpty({ tree, parents: [parent] }: Commit): Promise<boolean> {
    return parent !== undefined && (await readCommit(context, repository, parent)).tree === tree
  }
}

/**
 * The commit that brought `head` into the history of `base`, which has it: the merge whose other side it came by, or `head` itself where the branch was
 * only forwarded. Two processes. Throws `failed` when one of them is missing.
 */
export async function mergedBy(context: Context, repository: Repository, head: ObjectId, base: ObjectId): Promise<ObjectId> {
  const command = { name: "rev-list", flags: ["--ancestry-path", "--merges", "--reverse"], args: [`${head}..${base}`] } as const
  const { stdout } = await context.processes.run(command, { repository })
  const [first = ""] = stdout.toString("latin1").split("\n", 1)
  if (first === "") return head
  const merge = await readCommit(context, repository, objectId(first, repository.format))
  const [side] = merge.parents
  // A merge that came later, into a branch that had the head already.
  if (side !== undefined && (await isAncestor(context, repository, head, side))) return head
  return merge.id
}
