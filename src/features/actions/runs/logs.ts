import { randomUUID } from "node:crypto"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname } from "node:path"
import { Readable } from "node:stream"
import type { Repository } from "../../../access/permission.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import type { Download } from "../../../core/download.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, type FileLocation, openFile, pathOf } from "../files/files.ts"
import { findRun, type Job } from "./store.ts"

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

const findLog = query("actions.findLog", (db, p: Params<{ repositoryId: number; taskId: number }>) =>
  db
    .selectFrom("action_tasks")
    .select(["log_file", "log_lines", "log_size", "log_sealed", "log_expired"])
    .where("id", "=", p.taskId)
    .where("repository_id", "=", p.repositoryId),
)

const advanceLog = query(
  "actions.advanceLog",
  (db, p: Params<{ taskId: number; from: number; lines: number; file: string; size: number; sealed: 0 | 1; now: number }>) =>
    db
      .updateTable("action_tasks")
      .set({ log_file: p.file, log_lines: p.lines, log_size: p.size, log_sealed: p.sealed, updated_at: p.now })
      .where("id", "=", p.taskId)
      .where("log_lines", "=", p.from)
      .where("log_sealed", "=", 0)
      .where("log_expired", "=", 0),
)

/**
 * Appends lines to a task's log and returns their total number, where the runner continues. Lines that are stored already are skipped, and
 * lines after a gap are not accepted. The bytes are written before the row that counts them: what a process leaves that ends in between is
 * overwritten by the next call.
 * Refuses `notFound` where there is no such task, and `conflict` further lines of a log that is closed.
 */
export async function appendLog(services: Services, { repository, taskId, index, lines, isLast }: LogPart): Promise<number> {
  const { database, now } = services
  const log = await findLog.first(database.read, { repositoryId: repository.id, taskId })
  if (!log) throw refuse.notFound()
  if (index > log.log_lines) return log.log_lines
  const fresh = lines.slice(log.log_lines - index)
  if (log.log_sealed === 1 || log.log_expired === 1) {
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
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return open(path, "w", 0o640)
    throw error
  }
}

const findLogOfJob = query("actions.findLogOfJob", (db, p: Params<{ jobId: number }>) =>
  db.selectFrom("action_tasks").select(["id", "log_file", "log_size"]).where("job_id", "=", p.jobId).orderBy("id", "desc").limit(1),
)

/** The current log of a job's last task. Refuses `notFound` where there is none, or it has expired. */
export async function logDownload(services: Services, { id: repositoryId, storage }: Repository, job: Job): Promise<Download> {
  const { database } = services
  const task = await findLogOfJob.first(database.read, { jobId: job.original_id || job.id })
  const run = await findRun.first(database.read, { repositoryId, id: job.run_id })
  if (!task || !run || task.log_file === "") throw refuse.notFound()
  const { id, log_file: file, log_size: size } = task
  return {
    tag: `"${file}-${size}"`,
    size,
    open: async () => {
      const handle = await openFile(services, { storage, file })
      if (!handle) throw new Refusal("internal", `the log of task ${id} is gone`)
      const name = `${run.workflow.replace(/\.ya?ml$/, "")}-${job.name}-${id}.log`.replaceAll("/", "-")
      const content = size === 0 ? await closeAndReadNothing(handle) : handle.createReadStream({ end: size - 1 })
      return {
        type: "text/plain; charset=utf-8",
        disposition: fileHeadersOf(name).disposition.replace(/^inline/, "attachment"),
        content,
      }
    },
  }
}

async function closeAndReadNothing(handle: FileHandle): Promise<Readable> {
  await handle.close()
  return Readable.from([])
}
