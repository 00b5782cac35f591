/** Jobs of several processes, one of which is killed. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import { defineJob, openJobs } from "./jobs.ts"
import { named, silent, type World } from "./testing.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const rows = ({ database }: FreshDatabase) => database.read.selectFrom("jobs").selectAll().orderBy("id").execute()

describe.each(databaseKinds)("jobs on %s", (kind) => {
  /** A process whose jobs append "start <name>" and "end <name>" to a file; see tests/support/job-worker.ts. */
  async function workerProcess(url: string, file: string, milliseconds: number): Promise<ChildProcess> {
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "tests/support/job-worker.ts", url, file, String(milliseconds)],
      { stdio: ["ignore", "pipe", "inherit"] },
    )
    const gone = once(child, "exit")
    closing.push(async () => {
      child.kill("SIGKILL")
      // Until it is gone it may hold SQLite's lock.
      await gone
    })
    await once(child.stdout ?? child, "data")
    return child
  }

  function journal(): { file: string; lines: () => string[] } {
    const folder = mkdtempSync(join(tmpdir(), "hearth-jobs-"))
    closing.unshift(async () => rmSync(folder, { recursive: true }))
    const file = join(folder, "journal")
    writeFileSync(file, "")
    return { file, lines: () => readFileSync(file, "utf8").split("\n").filter(Boolean) }
  }

  test("survive kill -9: what ran and what waited is done by the next process", async () => {
    const made = await freshDatabase(kind)
    closing.push(made.drop)
    const { file, lines } = journal()
    const ours = openJobs<World>({ database: made.database, log: silent, workers: 4, leaseSeconds: 2 })
    closing.push(ours.close)
    const remote = defineJob<typeof named, World>({
      kind: "remote",
      payload: named,
      async run({ name }, { context }) {
        context.did.push(name)
      },
    })
    const names = Array.from({ length: 12 }, (_, index) => `job-${index}`)
    await made.database.write(async (tx) => {
      for (const name of names) await ours.enqueue(tx, remote, { name })
    })
    // Two workers, whose jobs never end.
    const child = await workerProcess(made.url, file, 60_000)
    await expect.poll(lines).toHaveLength(2)
    const gone = once(child, "exit")
    child.kill("SIGKILL")
    await gone
    const states = (await rows(made)).map(({ state }) => state)
    expect(states.filter((state) => state === "running")).toHaveLength(2)
    expect(states.filter((state) => state === "waiting")).toHaveLength(10)

    const did: string[] = []
    await ours.begin({ did }, [remote], [])
    await expect.poll(async () => (await rows(made)).every(({ state }) => state === "done")).toBe(true)
    expect(did.sort()).toEqual(names.sort())
    expect((await rows(made)).map(({ attempts }) => attempts).sort()).toEqual([...Array(10).fill(1), 2, 2])
  })

  test("of several processes are each done once", async () => {
    const made = await freshDatabase(kind)
    closing.push(made.drop)
    const { file, lines } = journal()
    const ours = openJobs<World>({ database: made.database, log: silent, workers: 1 })
    closing.push(ours.close)
    const remote = defineJob<typeof named, World>({ kind: "remote", payload: named, run: async () => {} })
    const names = Array.from({ length: 80 }, (_, index) => `job-${index}`)
    await Promise.all([workerProcess(made.url, file, 1), workerProcess(made.url, file, 1)])
    await made.database.write(async (tx) => {
      for (const name of names) await ours.enqueue(tx, remote, { name })
    })
    // Processes on SQLite can't be woken from outside; they check when they start.
    if (kind === "sqlite") await workerProcess(made.url, file, 1)
    await expect.poll(async () => (await rows(made)).every(({ state }) => state === "done")).toBe(true)
    const started = lines().filter((line) => line.startsWith("start "))
    expect(started.map((line) => line.slice(6)).sort()).toEqual(names.sort())
  })
})
