import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import { byteSource } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"

/** Which blobs to look for. */
export interface SmallBlobsOptions {
  /** The commits, or tags of commits, that reach them. */
  readonly to: readonly ObjectId[]
  /** Excludes what these commits reach. */
  readonly not: readonly ObjectId[]
  /** Only blobs of fewer bytes. */
  readonly below: number
}

/** The small blobs that histories have and others don't. One process. Throws `failed` when a commit is missing, `timeout`. */
export async function smallBlobs(
  context: Context,
  repository: Repository,
  { to, not, below }: SmallBlobsOptions,
): Promise<readonly ObjectId[]> {
  const flags = [
    "--stdin",
    "--objects",
    "--no-object-names",
    `--filter=combine:object:type=blob+blob:limit=${below}`,
    "--filter-provided-objects",
  ]
  const { commands, limits } = context
  const process = await context.processes.open(commands, { name: "rev-list", flags }, { repository, timeoutMs: limits.commandMs })
  // They may be more than a command line can hold.
  process.stdin.end([...to, ...not.map((id) => `^${id}`)].map((line) => `${line}\n`).join(""))
  const source = byteSource(process.stdout)
  const ids: ObjectId[] = []
  for (let line = await source.line(128); line !== null; line = await source.line(128))
    ids.push(objectId(line.toString("latin1"), repository.format))
  const exit = await process.exit
  if (exit.code !== 0) throw new GitError("failed", "git rev-list failed", exit.stderr)
  return ids
}
