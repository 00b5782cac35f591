import type { Repository } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { readRecords } from "../process/reading.ts"

/** What one commit added. */
export interface Contribution {
  readonly name: string
  readonly email: string
  /** Unix seconds. */
  readonly when: number
  readonly additions: number
  readonly deletions: number
}

/** Which commits are read. */
export interface ContributionRange {
  readonly to: ObjectId
  /** Leaves out this commit and all before it. */
  readonly from?: ObjectId | undefined
  /** The most commits, the newest. */
  readonly most: number
  /** Milliseconds after which it ends with `timeout`: comparing files takes long. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What each commit but merges added, newest first, as git tells it. One process. Throws `failed`, `busy`, `timeout`, `aborted`. */
export async function* contributions(
  context: Context,
  repository: Repository,
  { to, from, most, timeoutMs, signal }: ContributionRange,
): AsyncGenerator<Contribution> {
  const flags = ["--no-merges", "--numstat", "-M", "-l400", "--no-ext-diff", "--no-textconv", `--max-count=${most}`]
  const command = {
    name: "log",
    flags: [...flags, "--format=%x01%at%x01%ae%x01%an"],
    args: [to, ...(from === undefined ? [] : [`^${from}`])],
  } as const
  const reading = { separator: "\n", longest: 1024 * 1024, timeoutMs, limiter: context.longWork, signal } as const
  let current: Contribution | undefined
  for await (const lines of readRecords(context, repository, command, reading)) {
    for (const line of lines) {
      if (line[0] === 1) {
        if (current) yield current
        const [, when = "0", email = "", name = ""] = line.toString("utf8").split("\x01")
        current = { name, email, when: Number(when) || 0, additions: 0, deletions: 0 }
        continue
      }
      // Binary files have a dash instead of numbers.
      const [, added, deleted] = /^(\d+)\t(\d+)\t/.exec(line.toString("latin1", 0, 64)) ?? []
      if (current && added !== undefined && deleted !== undefined)
        current = { ...current, additions: current.additions + Number(added), deletions: current.deletions + Number(deleted) }
    }
  }
  if (current) yield current
}
