import type { Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"

/** The commits that `to` has and `from` lacks. */
export interface Series {
  readonly from: ObjectId
  readonly to: ObjectId
}

/** A commit of the one range with the one of the other that takes its place. */
export interface RangePair {
  readonly kind: "same" | "changed" | "removed" | "added"
  readonly before: ObjectId | undefined
  readonly after: ObjectId | undefined
  readonly subject: string
}

/** What became of the commits of a range in another. */
export interface RangeDifference {
  readonly pairs: readonly RangePair[]
  /** Git's words for it, with the differences between the patches of each pair. */
  readonly text: string
}

const KINDS = { "=": "same", "!": "changed", "<": "removed", ">": "added" } as const

const isKind = (sign: string): sign is keyof typeof KINDS => sign in KINDS

/** The line of a pair; those of patches begin with four spaces. */
const PAIR = /^ {0,3}(?:\d+|-): +([0-9a-f]+|-+) ([=!<>]) +(?:\d+|-): +([0-9a-f]+|-+) (.*)$/

const LIMITS = { maxOutput: 1024 * 1024, timeoutMs: 20_000 } as const

/**
 * Compares two versions of a series of commits, as `git range-diff` does: which commit takes the place of which, and how their patches differ. Merges are passed
 * over. The time that git takes grows with the square of the commits: the caller bounds them. Throws `failed` when a commit is missing, `tooLarge` over 1 MiB of differences,
 * `timeout` after 20 seconds.
 */
export async function rangeDiff(context: Context, repository: Repository, before: Series, after: Series): Promise<RangeDifference> {
  // Versions of one series: what takes the place of what may have changed a lot.
  const flags = ["--no-color", "--no-ext-diff", "--no-textconv", "--creation-factor=95"]
  const args = [before, after].map(({ from, to }) => `${from}..${to}`)
  const config = [["core.abbrev", "no"]] as const
  const { stdout } = await context.processes.run({ name: "range-diff", flags, args }, { repository, config, ...LIMITS })
  const text = stdout.toString("utf8")
  const pairs = text.split("\n").flatMap((line): RangePair[] => {
    const [, one = "", sign = "", other = "", subject = ""] = PAIR.exec(line) ?? []
    if (!isKind(sign)) return []
    const idOf = (id: string) => (id.startsWith("-") ? undefined : objectId(id, repository.format))
    return [{ kind: KINDS[sign], before: idOf(one), after: idOf(other), subject }]
  })
  return { pairs, text }
}
