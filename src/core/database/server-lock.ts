/**
 * The lock that lets one server at a time work on an embedded database. It is a lock of the operating system, which ends with its process however that
 * ends: SQLite's own, on a file beside the database that holds nothing.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DatabaseRefused, resultCode } from "./failures.ts"

const SQLITE_BUSY = 5

/** Who holds the lock. */
export interface Holder {
  readonly pid: number
  readonly host: string
  /** ISO 8601. */
  readonly since: string
}

/**
 * Takes the lock of the database at this URL, and gives the function that releases it. Undefined where several servers may share a database
 * (PostgreSQL), and where none can (in memory). Throws {@link DatabaseRefused}, which says who holds it.
 */
export function lockForServer(url: string): (() => void) | undefined {
  const path = /^sqlite:(?:\/\/(?=\/))?(\/.+)$/.exec(url)?.[1]
  if (path === undefined) return undefined
  const base = path.replace(/\.db$/, "")
  const [lockFile, holderFile] = [`${base}.lock`, `${base}.lock.json`]
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
  // Nothing else in this process may open the file: closing any handle of a file ends the locks that its process holds on it.
  const lock = open(lockFile)
  try {
    lock.exec("begin exclusive")
  } catch (error) {
    lock.close()
    if (resultCode(error) !== SQLITE_BUSY) throw unusable(lockFile, error)
    throw new DatabaseRefused(
      "locked",
      `Another server works on ${path}: ${holderWords(holderFile)}.`,
      "Stop that one first, or give this one a data folder of its own. Several servers can share a PostgreSQL database.",
      error,
    )
  }
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  try {
    writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o640 })
  } catch (error) {
    lock.close()
    throw unusable(holderFile, error)
  }
  return () => {
    // Before the lock is released: afterwards the file may be the next server's.
    rmSync(holderFile, { force: true })
    lock.close()
  }
}

function open(lockFile: string): DatabaseSync {
  try {
    return new DatabaseSync(lockFile, { timeout: 0 })
  } catch (error) {
    throw unusable(lockFile, error)
  }
}

const unusable = (file: string, error: unknown) =>
  new DatabaseRefused(
    "unreachable",
    `The file ${file}, which keeps a second server away, can't be locked: ${error instanceof Error ? error.message : String(error)}`,
    "Check that this user may write to the folder, that the disk has room, and that its file system has locks.",
    error,
  )

function holderWords(file: string): string {
  try {
    const { pid, host, since }: Partial<Holder> = JSON.parse(readFileSync(file, "utf8"))
    return `process ${pid} on ${host}, since ${since}`
  } catch {
    return "it has not said which process it is"
  }
}
