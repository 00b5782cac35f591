import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { databaseKinds, type FreshUrl, freshUrl } from "../../../tests/support/database.ts"
import { startHearth } from "../../app.ts"
import type { ConfigOverrides } from "../../core/config.ts"
import { settleJob } from "../../features/code/pushes/journal.ts"
import { client, ok } from "../../git/testing.ts"
import { address, branchRows, feed, person, reload, repository, type World, workFolder } from "./testing.ts"

/** The process is killed with SIGKILL in the middle of a push. After the next start the result is the same as without the crash. */
describe.each(databaseKinds)("killed on %s", (kind) => {
  let fresh: FreshUrl
  let folder: string
  let config: ConfigOverrides

  beforeEach(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-crash-"))
    config = {
      dataDir: join(folder, "data"),
      databaseUrl: fresh.url,
      http: { host: "127.0.0.1", port: 0 },
      ssh: { port: 0 },
      log: { level: "silent" },
    }
  })
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  /** A server on the same files and rows as the one before. */
  async function start(): Promise<World> {
    const hearth = await startHearth({ config, env: {} })
    return { hearth, services: hearth.services, folder, close: hearth.close }
  }

  /** Starts a server that will be killed, lets `use` push to it, and waits for its end. */
  async function doomed(moment: string, use: (url: string) => Promise<unknown>): Promise<NodeJS.Signals | null> {
    const fixture = fileURLToPath(new URL("crash.fixture.ts", import.meta.url))
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fixture, moment, JSON.stringify(config)], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_code, signal) => resolve(signal)))
    const url = await new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())))
    await use(url)
    return ended
  }

  /** A push whose server is killed at a moment; then the next start, with the journal's lease expired. */
  async function scene(moment: string) {
    const before = await start()
    const ada = await person(before, "ada")
    const row = await repository(before, ada.user, "repo")
    await before.close()
    const work = await workFolder({ folder }, "work")
    const signal = await doomed(moment, async (url) => {
      const run = await client(work, ["push", `${url.replace("//", `//ada:${ada.token}@`)}/ada/repo`, "main:trunk"])
      expect(run.code).toBe(1)
    })
    expect(signal).toBe("SIGKILL")
    const world = await start()
    const waiting = await world.services.database.read.selectFrom("jobs").selectAll().where("kind", "=", settleJob.kind).execute()
    expect(waiting).toHaveLength(1)
    await world.services.database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", settleJob.kind).execute())
    await world.services.jobs.drain()
    return { world, ada, row, work, payload: waiting[0]?.payload ?? "" }
  }

  test("after references moved: rows, feed, default branch and HEAD are made true, once", async () => {
    const { world, row, work, ada, payload } = await scene("after references moved")
    try {
      const head = await ok(work, "rev-parse", "main")
      const check = async () => {
        expect(await branchRows(world, row)).toEqual({ trunk: head })
        expect(await reload(world, row)).toMatchObject({ is_empty: 0, default_branch: "trunk", branches_count: 1 })
        expect((await reload(world, row)).git_size).toBeGreaterThan(100)
        expect((await feed(world, row)).map(({ op_type, content }) => [op_type, content === ""])).toEqual([
          ["commit_repo", true],
          ["commit_repo", false],
        ])
      }
      await check()
      expect(await ok(work, "ls-remote", "--symref", address(world, "ada/repo"), "HEAD")).toContain("ref: refs/heads/trunk\tHEAD")
      // A job may run again when its end could not be recorded.
      const { now, database, jobs } = world.services
      await database.write((tx) =>
        tx.updateTable("jobs").set({ state: "waiting", run_at: now() }).where("kind", "=", settleJob.kind).execute(),
      )
      await jobs.drain()
      await check()
      expect(JSON.parse(payload)).toMatchObject({
        repositoryId: row.id,
        pusherId: ada.user.id,
        changes: [{ ref: "refs/heads/trunk", oldId: null }],
      })
      expect(await client(work, ["push", address(world, "ada/repo", "ada", ada.token), "main:next"])).toMatchObject({ code: 0 })
    } finally {
      await world.close()
    }
  })

  test("before references move: nothing has happened, and nothing is told", async () => {
    const { world, row, work, ada } = await scene("before references move")
    try {
      expect(await branchRows(world, row)).toEqual({})
      expect(await feed(world, row)).toEqual([])
      expect(await reload(world, row)).toMatchObject({ is_empty: 1, default_branch: "main", git_size: 0 })
      expect(await client(work, ["push", address(world, "ada/repo", "ada", ada.token), "main:trunk"])).toMatchObject({ code: 0 })
      expect(await feed(world, row)).toHaveLength(2)
    } finally {
      await world.close()
    }
  })

  test("before HEAD moves: only that is left to do", async () => {
    const { world, row, work } = await scene("before HEAD moves")
    try {
      expect(await feed(world, row)).toHaveLength(2)
      expect(await reload(world, row)).toMatchObject({ default_branch: "trunk" })
      expect(await ok(work, "ls-remote", "--symref", address(world, "ada/repo"), "HEAD")).toContain("ref: refs/heads/trunk\tHEAD")
    } finally {
      await world.close()
    }
  })
})
