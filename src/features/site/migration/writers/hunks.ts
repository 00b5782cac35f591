import type { Repository } from "../../../../access/permission.ts"
import type { Services } from "../../../../core/services.ts"
import type { Diff } from "../../../../core/text/hunks.ts"
import { isObjectId } from "../../../../git/index.ts"
import { readDiff } from "../../../review/reviews/diffs.ts"
import { hunkUpTo } from "../../../review/reviews/hunk.ts"
import type { LineComment, Review } from "../origins/model.ts"

/** Differences that are read for one batch; comments on further ones come without code. */
const MOST_DIFFS = 100

/** Reviews whose comments have the code that they are on, also where the other server has sent none: it is read from the commits that are here. */
export async function withHunks(
  { git }: Pick<Services, "git">,
  { storage, object_format: format }: Repository,
  reviews: readonly Review[],
  signal: AbortSignal,
): Promise<readonly Review[]> {
  const place = git.at(storage, format)
  const diffs = new Map<string, Diff | undefined>()

  async function open({ base = "", commit }: LineComment): Promise<Diff | undefined> {
    if (!isObjectId(base, format) || !isObjectId(commit, format)) return undefined
    for (const id of [base, commit]) if ((await git.objects.info(place, id))?.type !== "commit") return undefined
    return readDiff(git, place, base, commit)
  }

  async function filled(line: LineComment): Promise<LineComment> {
    if (line.hunk !== "" || line.line === 0 || !line.base) return line
    signal.throwIfAborted()
    const key = `${line.base} ${line.commit}`
    if (!diffs.has(key) && diffs.size >= MOST_DIFFS) return line
    if (!diffs.has(key)) diffs.set(key, await open(line))
    const file = diffs.get(key)?.files.find(({ newPath, oldPath }) => (line.line > 0 ? newPath : oldPath) === line.path)
    return file ? { ...line, hunk: hunkUpTo(file, line.line, line.lines) } : line
  }

  const complete: Review[] = []
  for (const review of reviews) {
    const lines: LineComment[] = []
    for (const line of review.lines) lines.push(await filled(line))
    complete.push({ ...review, lines })
  }
  return complete
}
