import { type Git, isGitError, type ObjectId, type Repository, type TreeEntry } from "../../../git/index.ts"
import { isOwnDirectory, isOwnFile } from "./choice.ts"

/** What differs between two trees, of the files that are searched. */
export interface Changes {
  /** The content of new and changed files, by path. */
  readonly put: ReadonlyMap<string, ObjectId>
  readonly removed: readonly string[]
}

/** More directories than this are not read. */
const MOST_TREES = 100_000

/** The changes from one tree to another; null stands for an empty one. Only directories that differ are read. Throws `missing`. */
export async function changesBetween(
  git: Git,
  repository: Repository,
  from: ObjectId | null,
  to: ObjectId | null,
  signal: AbortSignal,
): Promise<Changes> {
  const put = new Map<string, ObjectId>()
  const removed: string[] = []
  let trees = 0

  const read = async (tree: ObjectId | null): Promise<ReadonlyMap<string, TreeEntry>> => {
    if (tree === null || trees >= MOST_TREES) return new Map()
    trees++
    return new Map((await git.objects.readTree(repository, tree)).map((entry) => [entry.name, entry]))
  }

  async function compare(old: ObjectId | null, now: ObjectId | null, folder: string): Promise<void> {
    signal.throwIfAborted()
    const [before, after] = [await read(old), await read(now)]
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)]
      if (was?.id === is?.id && was?.mode === is?.mode) continue
      if (isOwnDirectory(name) && treeOf(was) !== treeOf(is)) await compare(treeOf(was), treeOf(is), `${folder}${name}/`)
      const [oldFile, newFile] = [fileOf(was), fileOf(is)]
      if (newFile !== null && newFile !== oldFile) put.set(folder + name, newFile)
      if (newFile === null && oldFile !== null) removed.push(folder + name)
    }
  }

  await compare(from, to, "")
  return { put, removed }
}

/** The same, or undefined if the first tree is gone, as in a repository that was restored from a backup. */
export async function changesSince(...given: Parameters<typeof changesBetween>): Promise<Changes | undefined> {
  try {
    return await changesBetween(...given)
  } catch (error) {
    if (isGitError(error, "missing")) return undefined
    throw error
  }
}

const treeOf = (entry: TreeEntry | undefined): ObjectId | null => (entry?.mode === "40000" ? entry.id : null)

const fileOf = (entry: TreeEntry | undefined): ObjectId | null =>
  entry !== undefined && (entry.mode === "100644" || entry.mode === "100755") && isOwnFile(entry.name) ? entry.id : null
