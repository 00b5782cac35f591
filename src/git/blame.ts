import type { Context } from "./context.ts"
import type { Repository } from "./model.ts"
import { type ObjectId, objectId } from "./names.ts"

/** Milliseconds: a long history is not worth waiting for. */
const timeoutMs = 5_000

/**
 * The commits that last touched lines of a file, by the lines' numbers, as of a commit that has the file with these lines. One process.
 * Throws `failed` when file or lines are missing, `timeout` for a history that takes long.
 */
export async function lineCommits(
  context: Context,
  repository: Repository,
  commit: ObjectId,
  path: string,
  lines: readonly number[],
): Promise<ReadonlyMap<number, ObjectId>> {
  if (lines.length === 0) return new Map()
  const ranges = [...new Set(lines)].map((line) => `-L${line},${line}`)
  const flags = ["--porcelain", "--no-textconv", ...ranges]
  const { stdout } = await context.processes.run({ name: "blame", flags, args: [commit], paths: [path] }, { repository, timeoutMs })
  const found = new Map<number, ObjectId>()
  // A line's entry begins with the commit, the line's number there, and its number here; its text follows a tab.
  for (const [, id = "", line] of stdout.toString("latin1").matchAll(/^([0-9a-f]{40,64}) \d+ (\d+)/gm))
    found.set(Number(line), objectId(id, repository.format))
  return found
}
