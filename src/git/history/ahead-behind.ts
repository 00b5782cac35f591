import type { Repository } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { readRecords } from "../process/reading.ts"

/** How many commits one commit has beyond another, and the other beyond it. */
export interface AheadBehind {
  readonly ahead: number
  readonly behind: number
}

/** The most commits that are walked. */
const MOST_COMMITS = 200_000
const TIMEOUT_MS = 10_000

/**
 * How far each head is ahead of and behind a base, in one process and one walk for all of them, which ends where nothing can differ any more. Empty where
 * that would take more than 200,000 commits. Throws `failed` when a commit is missing, `busy`, `timeout`, `aborted`.
 */
export async function aheadBehind(
  context: Context,
  repository: Repository,
  base: ObjectId,
  heads: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, AheadBehind>> {
  const tips = [...new Set([base, ...heads])]
  const all = (1n << BigInt(tips.length)) - 1n
  // Which of the tips reach a commit that has not been walked yet, a bit for each.
  const reached = new Map<string, bigint>(tips.map((id, index) => [id, 1n << BigInt(index)]))
  // Commits that only some of the tips reach, counted by which.
  const counts = new Map<bigint, number>()
  let open = tips.length === 1 ? 0 : tips.length
  const command = { name: "rev-list", flags: ["--topo-order", "--parents"], args: tips } as const
  const reading = { separator: "\n", longest: 64 * 1024, timeoutMs: TIMEOUT_MS } as const
  let walked = 0
  walk: for await (const lines of readRecords(context, repository, command, reading)) {
    for (const line of lines) {
      if (open === 0) break walk
      if (++walked > MOST_COMMITS) return new Map()
      const [id = "", ...parents] = line.toString("latin1").split(" ")
      const by = reached.get(id) ?? 0n
      reached.delete(id)
      if (by !== all) {
        open -= 1
        counts.set(by, (counts.get(by) ?? 0) + 1)
      }
      for (const parent of parents) {
        const before = reached.get(parent)
        const after = (before ?? 0n) | by
        reached.set(parent, after)
        if (before === undefined) open += after === all ? 0 : 1
        else if (before !== all && after === all) open -= 1
      }
    }
  }
  return new Map(
    heads.map((head) => {
      const bit = 1n << BigInt(tips.indexOf(head))
      const total = { ahead: 0, behind: 0 }
      for (const [by, count] of counts) {
        const [inHead, inBase] = [(by & bit) !== 0n, (by & 1n) !== 0n]
        if (inHead && !inBase) total.ahead += count
        if (inBase && !inHead) total.behind += count
      }
      return [head, total]
    }),
  )
}
