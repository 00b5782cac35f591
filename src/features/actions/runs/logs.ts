import { randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import { type ByteRange, type Download, sliceOf } from "../../../core/download.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { hasCode } from "../../../git/model/errors.ts"
import { discardFile, type FileLocation, openFile, pathOf } from "../files/files.ts"
import { findRun, type Job, type Run } from "./store.ts"
import { advanceLog, findLog, findLogOfJob, sealLogs } from "./tasks-store.ts"

/** Append-only logs that runners write during a job. */

/** The maximum bytes of a line; longer lines are cut. */
const LONGEST_LINE = 65_536
/** Bytes after which lines are counted but not stored; a single call may exceed it. */
const LARGEST_LOG = 256 * 2 ** 20

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
 * lines after a gap are not accepted. The bytes are written before the row that counts them: what a process leaves that ends in between is
 * overwritten by the next call.
 * Refuses `notFound` where there is no such task, and `conflict` further lines of a log that its runner has closed. Those of one that the
 * server has closed are dropped.
 */
export async function appendLog(services: Services, { repository, taskId, index, lines, isLast }: LogPart): Promise<number> {
  const { database, now } = services
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

  const location = { storage: repository.storage, file: log.log_file || randomUUID() }
  const bytes = bytesOf(fresh, log.log_size)
  await writeAt(services, location, bytes, log.log_size)
  const total = log.log_lines + fresh.length
  const written = await database.write((tx) =>
    advanceLog.changes(tx, {
      taskId,
      from: log.log_lines,
      lines: total,
      file: location.file,
      size: log.log_size + bytes.length,
      sealed: isLast ? 1 : 0,
      now: now(),
    }),
  )
  if (written > 0) return total
  // A concurrent call was faster; the runner continues from there.
  if (log.log_file === "") await discardFile(services, location)
  return (await findLog.first(database.read, { repositoryId: repository.id, taskId }))?.log_lines ?? 0
}

/**
 * Closes logs that are open, with a last line from the server. It is not written into the files, because what a runner sends at the same
 * time is written to the same place there before either of them is counted.
 */
export async function closeLogs(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  taskIds: readonly number[],
  content: string,
): Promise<void> {
  await sealLogs(tx, taskIds, renderLine({ seconds: now(), nanos: 0, content }).toString())
}

/** Lines as stored in the file, after so many bytes. */
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

async function writeAt(services: Services, location: FileLocation, bytes: Buffer, position: number): Promise<void> {
  const path = pathOf(services, location)
  await mkdir(dirname(path), { recursive: true, mode: 0o750 })
  const handle = await openToWrite(path)
  try {
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

/** Opens a file without emptying it, and creates it where it doesn't exist. */
async function openToWrite(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r+")
  } catch (error) {
    if (hasCode(error, "ENOENT")) return open(path, "w", 0o640)
    throw error
  }
}

/** The current log of a job's last task. Refuses `notFound` where there is none, or it has expired. */
export async function logDownload(services: Services, { id: repositoryId, storage }: Repository, job: Job): Promise<Download> {
  const { database } = services
  const task = await findLogOfJob.first(database.read, { jobId: job.original_id || job.id })
  const run = await findRun.first(database.read, { repositoryId, id: job.run_id })
  if (!task && run && job.error !== "") return explanation(run, job)
  if (!task || !run || (task.log_file === "" && task.log_end === "")) throw refuse.notFound()
  const { id, log_file: file, log_size: size } = task
  const end = Buffer.from(task.log_end)
  return {
    tag: `"${file || id}-${size}-${end.length}"`,
    size: size + end.length,
    isRanged: true,
    open: async (range = { start: 0, end: size + end.length - 1 }) => {
      const content = file === "" ? undefined : await openLog(services, { storage, file, isPacked: task.log_packed === 1 }, size, range)
      if (file !== "" && !content) throw new Refusal("internal", t`the log ${file} is gone`)
      return { ...headersOf(run, job, id), content: withEnd(content, size, end, range) }
    },
  }
}

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

interface LogFile extends FileLocation {
  readonly isPacked: boolean
}

/**
 * A range of the first `size` bytes of a log, as far as it is among them; undefined where the file is gone. What is compressed is read from its beginning.
 * `ahead` bytes are read before they are asked for.
 */
export async function openLog(
  services: Services,
  file: LogFile,
  size: number,
  { start, end }: ByteRange,
  ahead = 64 * 1024,
): Promise<Readable | undefined> {
  const range = { start, end: Math.min(end, size - 1) }
  if (range.start > range.end) return Readable.from([])
  const handle = await openFile(services, file)
  if (!handle) return undefined
  if (!file.isPacked) return handle.createReadStream({ ...range, highWaterMark: ahead })
  const text = createGunzip()
  pipeline(handle.createReadStream(), text, () => {})
  return Readable.from(sliceOf(text, range), { objectMode: false })
}

/** A range of a log, whose file has `size` bytes and is followed by `end`. */
function withEnd(content: Readable | undefined, size: number, end: Buffer, range: ByteRange): Readable {
  const last = end.subarray(Math.max(0, range.start - size), Math.max(0, range.end + 1 - size))
  if (!content) return Readable.from([last])
  if (last.length === 0) return content
  return Readable.from(concatenated(content, last), { objectMode: false })
}

async function* concatenated(content: Readable, last: Buffer): AsyncIterable<Buffer> {
  yield* content
  yield last
}
