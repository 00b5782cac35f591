import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import type { Command } from "../process/process.ts"

export interface PathsOptions {
  /** The most paths. */
  readonly most: number
  /** The most bytes that they have together. */
  readonly bytes: number
}

/** The paths of the files below a tree, up to a limit. */
export async function listPaths(
  context: Context,
  repository: Repository,
  tree: ObjectId,
  { most, bytes }: PathsOptions,
): Promise<readonly string[]> {
  const command: Command = { name: "ls-tree", flags: ["-r", "-z", "--full-tree", "--format=%(objecttype) %(path)"], args: [tree] }
  const listing = await context.processes.open(context.commands, command, { repository, timeoutMs: context.limits.commandMs })
  try {
    listing.stdin.end()
    const paths: string[] = []
    let left = bytes
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of listing.stdout) {
      const read = Buffer.concat([rest, chunk])
      const end = read.lastIndexOf(0) + 1
      rest = read.subarray(end)
      left -= chunk.length
      for (const line of read.toString("utf8", 0, end).split("\0")) if (line.startsWith(FILE)) paths.push(line.slice(FILE.length))
      if (paths.length >= most || left < 0) return paths.slice(0, most)
    }
    const exit = await listing.exit
    if (exit.code !== 0) throw new GitError("failed", `git ls-tree ended with code ${exit.code}`, exit.stderr)
    return paths
  } finally {
    listing.kill()
  }
}

/** What stands before the path of a file; a submodule is a commit. */
const FILE = "blob "
