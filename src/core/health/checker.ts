import { randomUUID } from "node:crypto"
import { rm, statfs, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Handle } from "../database/database.ts"
import { messageOf } from "../database/failures.ts"
import { findTask, writeHealth } from "../jobs/schedule-store.ts"
import type { Check, Health, HealthChecker, Services } from "../services.ts"
import { withTimeout } from "../timeout.ts"

/** A part that has not answered after this long is ill. */
const ANSWER_MS = 5_000
/** All that ask within this time get the same answer, so that asking is no load. */
const SHARED_MS = 1_000
const WARN_FACTOR = 4

type Outcome = Omit<Check, "time">

interface Part {
  /** What is wrong when `look` rejects or does not answer. */
  readonly ill: string
  readonly look: () => Promise<Outcome>
}

interface CheckedServices extends Pick<Services, "database" | "git" | "store" | "config" | "log" | "now"> {
  /** The folder in which git works. */
  readonly root: string
}

/** Makes the checker of one server. It tries what calls need: to write to the database and beside the repositories, to start git, and room on the disk. */
export function openHealthChecker(services: CheckedServices): HealthChecker {
  const { database, git, root, store, config, log, now } = services
  const parts: Readonly<Record<string, Part>> = {
    "database:write": { ill: "takes no write", look: passing(() => database.write((tx) => writeHealth(tx, { now: now() }))) },
    "repositories:write": { ill: "their folder can't be written", look: passing(() => writeIn(root)) },
    ...(store && { "storage:read": { ill: "the object store does not answer", look: passing(store.look) } }),
    "git:start": { ill: "can't be started", look: passing(() => git.version()) },
    ...(config.backup.schedule !== "" && { "backup:last": { ill: "its state can't be read", look: () => checkBackup(database.read) } }),
    "disk:free": { ill: "its free space can't be read", look: () => checkDisk(config.dataDir, config.health.minFreeBytes) },
  }
  // What has not answered is not asked again before it does: questions must not pile up.
  const running = new Map<string, Promise<Outcome>>()
  const words = new Map<string, string>()
  let current: { readonly since: number; readonly health: Promise<Health> } | undefined

  async function check(name: string, { ill, look }: Part): Promise<Check> {
    const asked = running.get(name) ?? look().finally(() => running.delete(name))
    running.set(name, asked)
    const time = new Date().toISOString()
    try {
      return note(name, { ...(await withTimeout(ANSWER_MS, asked, () => new Error(`no answer within ${ANSWER_MS} ms`))), time })
    } catch (error) {
      return note(name, { status: "fail", time, output: ill }, error)
    }
  }

  /** Logs a part whose state has changed; it is asked for again and again. */
  function note(name: string, check: Check, error?: unknown): Check {
    const said = check.output ?? ""
    if ((words.get(name) ?? "") !== said) {
      if (said === "") log.info({ part: name }, "a part of the server is well again")
      else log.error({ part: name, status: check.status, ...(error !== undefined && { reason: messageOf(error) }) }, `unwell: ${said}`)
    }
    words.set(name, said)
    return check
  }

  async function look(): Promise<Health> {
    const found = await Promise.all(Object.entries(parts).map(async ([name, part]) => [name, await check(name, part)] as const))
    const statuses = found.map(([, { status }]) => status)
    const status = statuses.includes("fail") ? "fail" : statuses.includes("warn") ? "warn" : "pass"
    return { status, description: "Hearth", checks: Object.fromEntries(found.map(([name, each]) => [name, [each]])) }
  }

  return {
    look() {
      if (current === undefined || performance.now() - current.since >= SHARED_MS) current = { since: performance.now(), health: look() }
      return current.health
    },
  }
}

const passing = (work: () => Promise<unknown>) => async (): Promise<Outcome> => {
  await work()
  return { status: "pass" }
}

async function writeIn(folder: string): Promise<void> {
  const path = join(folder, `.health-${randomUUID()}`)
  try {
    await writeFile(path, "health", { flag: "wx" })
  } finally {
    await rm(path, { force: true })
  }
}

/** It warns only: a server without a backup of today serves as well as any. */
async function checkBackup(db: Handle): Promise<Outcome> {
  const last = await findTask.first(db, { name: "backup" })
  return last?.last_status === "failed" ? { status: "warn", output: "the last backup has failed" } : { status: "pass" }
}

async function checkDisk(folder: string, least: number): Promise<Outcome> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= least * WARN_FACTOR) return { status: "pass" }
  return { status: free < least ? "fail" : "warn", output: `${Math.floor(free / 2 ** 20)} MiB free` }
}
