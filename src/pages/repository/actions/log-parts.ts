import type { Readable } from "node:stream"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { LogGone, openLog } from "../../../features/actions/runs/open-log.ts"
import type { ShownTask } from "../../../features/actions/runs/tasks-store.ts"
import { SHOWN_BYTES, splitTime } from "./log-line.ts"

/** Parts of logs: the lines of steps, and lines with a text. A log has no index of its lines: it is read from its beginning, and little of it is kept. */

/** Milliseconds that reading a log may take. */
const LONGEST_MS = 20_000

/** How many lines a log has, with that of the server. */
export const linesOf = ({ log_lines, log_end }: ShownTask): number => log_lines + (log_end === "" ? 0 : 1)

// --- steps -----------------------------------------------------------------------------------------------------------------------

export interface StepLines {
  readonly number: number
  readonly firstLine: number
  readonly lines: number
}

/** Lines from `from` up to, and without, `to`; counted from 0. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The lines of a job's parts: those before its first step, of each step, and after its last one, in this order. Runners number the lines of steps, and write some
 * before and between them, which are taken for those of the step before. What is not finished has the lines up to the last.
 */
export function partsOfLog(steps: readonly StepLines[], total: number, isDone: boolean): readonly Range[] {
  const begun = steps.filter(({ lines }) => lines > 0)
  const last = begun.at(-1)
  const end = last === undefined || !isDone ? total : Math.min(total, last.firstLine + last.lines)
  const setUp = { from: 0, to: Math.min(total, begun[0]?.firstLine ?? total) }
  const ofSteps = steps.map((step): Range => {
    const index = begun.indexOf(step)
    if (index < 0) return { from: end, to: end }
    const from = Math.min(step.firstLine, end)
    return { from, to: Math.max(from, Math.min(end, begun[index + 1]?.firstLine ?? end)) }
  })
  return [setUp, ...ofSteps, { from: end, to: total }]
}

// --- reading ---------------------------------------------------------------------------------------------------------------------

interface LogSource {
  readonly storage: string
  readonly task: ShownTask
}

/** Calls `each` with every line's number and what reads its first bytes, until it returns false. */
async function scan(
  services: Services,
  { storage, task }: LogSource,
  each: (number: number, text: (longest: number) => string) => boolean,
): Promise<void> {
  const { id: taskId, log_size: size } = task
  let number = 0
  if (size > 0) {
    const content = await openLog(services, { taskId, storage }, size, { start: 0, end: size }).catch(unlessGone)
    if (!content) return
    if (!(await scanBytes(content, (text) => each(number++, text)))) return
  }
  if (task.log_end !== "") each(Math.max(number, task.log_lines), (longest) => task.log_end.trimEnd().slice(0, longest))
}

/** Nothing is shown of a log that has gone. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof LogGone)) throw error
}

async function scanBytes(content: Readable, each: (text: (longest: number) => string) => boolean): Promise<boolean> {
  const deadline = AbortSignal.timeout(LONGEST_MS)
  let waiting = Buffer.alloc(0)
  try {
    for await (const chunk of content) {
      if (deadline.aborted) throw refuse.busy("the log could not be read in time; download it instead")
      const part: Buffer = chunk
      const bytes = waiting.length === 0 ? part : Buffer.concat([waiting, part])
      let start = 0
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
        const [from, to] = [start, end]
        start = end + 1
        if (!each((longest) => bytes.toString("utf8", from, Math.min(to, from + longest)))) return false
      }
      waiting = Buffer.from(bytes.subarray(start))
    }
    return true
  } finally {
    content.destroy()
  }
}

/** Lines that a page may need; those of a range that `comesFirst` are read whatever the others take. */
export interface Wanted extends Range {
  readonly comesFirst: boolean
}

/** Characters of the lines that do not come first. */
const MOST_CHARACTERS = 2 ** 20

/** The lines in these ranges, which don't overlap, by their numbers. Some are missing where they are too long together. */
export async function readLines(services: Services, source: LogSource, ranges: readonly Wanted[]): Promise<ReadonlyMap<number, string>> {
  const wanted = ranges.filter(({ from, to }) => from < to).toSorted((one, other) => one.from - other.from)
  const found = new Map<number, string>()
  let [index, size] = [0, 0]
  if (wanted.length === 0) return found
  await scan(services, source, (number, text) => {
    while (number >= (wanted[index]?.to ?? Number.POSITIVE_INFINITY)) index++
    const range = wanted[index]
    if (!range) return false
    if (number < range.from || (!range.comesFirst && size > MOST_CHARACTERS)) return true
    const line = text(SHOWN_BYTES)
    if (!range.comesFirst) size += line.length
    found.set(number, line)
    return true
  })
  return found
}

/** Bytes of a line that are searched: all that is stored of one. */
const LINE_BYTES = 66_000

export interface Match {
  readonly number: number
  readonly line: string
}

/** The first lines in which a text stands, whatever its case, and how many there are. */
export async function findLines(
  services: Services,
  source: LogSource,
  text: string,
  most: number,
): Promise<{ readonly matches: readonly Match[]; readonly total: number }> {
  const wanted = text.toLowerCase()
  const matches: Match[] = []
  let total = 0
  await scan(services, source, (number, read) => {
    const line = read(LINE_BYTES)
    if (!splitTime(line).text.toLowerCase().includes(wanted)) return true
    total += 1
    if (matches.length < most) matches.push({ number, line })
    return true
  })
  return { matches, total }
}
