import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"
import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import type { ByteRange, Download } from "../../../core/download.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, keyOf } from "../files/files.ts"
import { findLogRows, insertLogFile, insertLogRow, removeLogRows } from "./log-parts-store.ts"
import { openLog } from "./open-log.ts"
import { findRun, type Job, type Run } from "./store.ts"
import { advanceLog, findLog, findLogOfJob, type ShownTask, sealLogs } from "./tasks-store.ts"

/** Append-only logs that runners write during a job: first in rows, which are put together in files as they become many. */

/** The maximum bytes of a line; longer lines are cut. */
const LONGEST_LINE = 65_536
/** Bytes after which lines are counted but not stored; a single call may exceed it. */
const LARGEST_LOG = 256 * 2 ** 20
/** Bytes of a log that are in rows; with more they all become a file. */
const MOST_IN_ROWS = 256 * 2 ** 10
/** Bytes of one row: readers have some in memory. */
const LARGEST_ROW = 8 * 2 ** 10

export interface LogLine {
  /** Unix seconds; the nanoseconds are separate. */
  readonly seconds: number
  readonly nanos: number
  readonly content: string
}

export interface LogPart {
  readonly repository: Pick<Repository, "id" | "storage">
  readonly taskId: number
  /** The number of the first line, from 0. */
  readonly index: number
  readonly lines: readonly LogLine[]
  /** Whether these are the last lines. */
  readonly isLast: boolean
}

/**
 * Appends lines to a task's log and returns their total number, where the runner continues. Lines that are stored already are skipped, and
 * lines after a gap are not accepted. Of concurrent calls with the same lines one counts.
 * Refuses `notFound` where there is no such task, and `conflict` further lines of a log that its runner has closed. Those of one that the
 * server has closed are dropped.
 */
export async function appendLog(services: Services, { repository, taskId, index, lines, isLast }: LogPart): Promise<number> {
  const { blobs, database, now } = services
  const log = await findLog.first(database.read, { repositoryId: repository.id, taskId })
  if (!log) throw refuse.notFound()
  if (index > log.log_lines) return log.log_lines
  const fresh = lines.slice(log.log_lines - index)
  if (log.log_sealed === 1 || log.log_expired === 1) {
    // A runner that was too late is to stop sending them.
    if (log.log_end !== "") return index + lines.length
    if (fresh.length > 0) throw refuse.conflict("the log is closed")
    return log.log_lines
  }
  if (fresh.length === 0 && !isLast) return log.log_lines

  const bytes = bytesOf(fresh, log.log_size)
  const file = log.in_rows + bytes.length > MOST_IN_ROWS ? randomUUID() : ""
  const location = { storage: repository.storage, file }
  // If another call advances the log from here on, this file may lack bytes, and does not count.
  if (file !== "") {
    const rows = await findLogRows(database.read, { taskId })
    await blobs.write(keyOf(location), [...rows.map(({ content }) => Buffer.from(content ?? [])), bytes])
  }
  const total = log.log_lines + fresh.length
  const size = log.log_size + bytes.length
  const isAdvanced = await database.write(async (tx) => {
    const step = { taskId, from: log.log_lines, lines: total, size, sealed: isLast ? 1 : 0, now: now() } as const
    if ((await advanceLog.changes(tx, step)) === 0) return false
    if (file === "") await insertRows(tx, taskId, log.log_size, bytes)
    else {
      const at = log.log_size - log.in_rows
      await removeLogRows(tx, { taskId })
      await insertLogFile(tx, { taskId, at, size: size - at, file })
    }
    return true
  })
  if (isAdvanced) return total
  // A concurrent call was faster; the runner continues from there.
  if (file !== "") await discardFile(services, location)
  return (await findLog.first(database.read, { repositoryId: repository.id, taskId }))?.log_lines ?? 0
}

async function insertRows(tx: Transaction, taskId: number, position: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += LARGEST_ROW) {
    const content = bytes.subarray(at, at + LARGEST_ROW)
    await insertLogRow(tx, { taskId, at: position + at, size: content.length, content })
  }
}

/**
 * Closes logs that are open, with a last line from the server. It stays in the rows of the tasks: one statement closes many logs, however
 * far each of them has come.
 */
export async function closeLogs(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  taskIds: readonly number[],
  content: string,
): Promise<void> {
  await sealLogs(tx, taskIds, renderLine({ seconds: now(), nanos: 0, content }).toString())
}

/** Lines as they are stored, after so many bytes. */
function bytesOf(lines: readonly LogLine[], before: number): Buffer {
  if (before >= LARGEST_LOG) return Buffer.alloc(0)
  const bytes = Buffer.concat(lines.map(renderLine))
  if (before + bytes.length < LARGEST_LOG) return bytes
  return Buffer.concat([bytes, Buffer.from(`The log ends here: it is longer than ${LARGEST_LOG} bytes.\n`)])
}

function renderLine({ seconds, nanos, content }: LogLine): Buffer {
  const whole = Number.isFinite(seconds) && Math.abs(seconds) < 253_402_300_800 ? seconds : 0
  const time = new Date(whole * 1000).toISOString().slice(0, 19)
  const fraction = String(Math.trunc(nanos / 100)).padStart(7, "0")
  return Buffer.from(`${time}.${fraction}Z ${cut(content.replaceAll("\n", "\\n"))}\n`)
}

/** The beginning of a text up to the maximum bytes of a line. */
function cut(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= LONGEST_LINE) return text
  // A character across the cut is dropped as a whole.
  let end = LONGEST_LINE
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

/** The current log of a job's last task. Refuses `notFound` where there is none, or it has expired. */
export async function logDownload(services: Services, { id: repositoryId, storage }: Repository, job: Job): Promise<Download> {
  const { database } = services
  const task = await findLogOfJob.first(database.read, { jobId: job.original_id || job.id })
  const run = await findRun.first(database.read, { repositoryId, id: job.run_id })
  if (!task && run && job.error !== "") return explanation(run, job)
  if (!task || !run || !hasLog(task)) throw refuse.notFound()
  const { id, log_size: size } = task
  const end = Buffer.from(task.log_end)
  return {
    tag: `"${id}-${size}-${end.length}"`,
    size: size + end.length,
    isRanged: true,
    open: async (range = { start: 0, end: size + end.length - 1 }) => {
      const content = await openLog(services, { taskId: id, storage }, size, range)
      return { ...headersOf(run, job, id), content: withEnd(content, size, end, range) }
    },
  }
}

/** Whether a log has begun, and has not expired. */
export const hasLog = ({ log_size, log_sealed, log_expired }: Pick<ShownTask, "log_size" | "log_sealed" | "log_expired">): boolean =>
  log_expired === 0 && (log_size > 0 || log_sealed === 1)

const headersOf = (run: Pick<Run, "workflow">, job: Pick<Job, "name">, id: number) => ({
  type: "text/plain; charset=utf-8",
  disposition: fileHeadersOf(`${run.workflow.replace(/\.ya?ml$/, "")}-${job.name}-${id}.log`.replaceAll("/", "-")).disposition.replace(
    /^inline/,
    "attachment",
  ),
})

/** The log of a job that could not start: why. */
function explanation(run: Run, job: Job): Download {
  const bytes = renderLine({ seconds: job.stopped_at, nanos: 0, content: `##[error]${job.error}` })
  return {
    tag: `"${job.id}-${job.stopped_at}"`,
    size: bytes.length,
    isRanged: true,
    open: async (range = { start: 0, end: bytes.length }) => ({
      ...headersOf(run, job, job.id),
      content: Readable.from([bytes.subarray(range.start, range.end + 1)]),
    }),
  }
}

/** A range of a log of `size` bytes that is followed by `end`. */
function withEnd(content: Readable, size: number, end: Buffer, range: ByteRange): Readable {
  const last = end.subarray(Math.max(0, range.start - size), Math.max(0, range.end + 1 - size))
  if (last.length === 0) return content
  return Readable.from(concatenated(content, last), { objectMode: false })
}

async function* concatenated(content: Readable, last: Buffer): AsyncIterable<Buffer> {
  yield* content
  yield last
}
