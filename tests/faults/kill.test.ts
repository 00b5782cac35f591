import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { foldersOf, storagesOf } from "../support/content.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"
import { basic, must, send } from "../support/http.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"
import { emptyLedger, git, type Ledger, work } from "./load.ts"

const PASSWORD = "root-pass-1"
/** What fills caches half a minute after a push: a push that is settled after the restart asks for it anew. */
const LATER: readonly string[] = ["repository.compareBranches", "repository.contributions"]
const ROUNDS = { sqlite: 3, postgres: 2 } as const

/** Waits until more writes of every kind have been acknowledged. */
async function somethingOfEach(ledger: Ledger): Promise<void> {
  const { counted, pushed } = ledger
  const sizes = () => [ledger.stars, ledger.deleted, ledger.tokens].map(({ size }) => size)
  const before = sizes()
  while (ledger.counted === counted || ledger.pushed === pushed || sizes().some((size, index) => size === before[index])) await sleep(10)
}

/**
 * The server is killed at a random moment while people write, and started again, several times over. Acknowledged writes are there each
 * time; those under way were done completely or not at all; remaining jobs are done.
 */
describe.each(databaseKinds)("kill -9 under load (%s)", (kind) => {
  let fresh: FreshUrl
  let folder: string
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-kill-"))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  it("loses nothing that was acknowledged and leaves nothing half done", async () => {
    const dataDir = join(folder, "data")
    const clone = join(folder, "clone")
    const authorization = basic("root", PASSWORD)
    const ledger = emptyLedger()
    const start = () => startServer({ HEARTH_DATA_DIR: dataDir, HEARTH_DATABASE_URL: fresh.url, HEARTH_ADMIN_PASSWORD: PASSWORD })

    let server: ServerProcess = await start()
    for (const name of ["counted", "pushed"]) await must(server.url, "POST", "/user/repos", { authorization, body: { name } })
    await git(folder, "init", "--quiet", "--initial-branch=main", clone)

    for (let round = 1; round <= ROUNDS[kind]; round++) {
      const working = work({ url: server.url, authorization, clone }, ledger, round)
      await Promise.race([working, somethingOfEach(ledger)])
      await sleep(Math.random() * 500)
      await server.kill()
      await working
      server = await start()
      await expectAcknowledged(server.url)
    }
    await server.kill()

    const hearth = await startHearth({
      env: {},
      config: { dataDir, databaseUrl: fresh.url, http: { port: 0 }, ssh: { port: 0 }, log: { level: "silent" } },
    })
    try {
      await expectWhole(hearth)
    } finally {
      await hearth.close()
    }

    /** All acknowledged writes, requested one by one. */
    async function expectAcknowledged(url: string): Promise<void> {
      const ask = (path: string, as = authorization) => send(url, "GET", path, { authorization: as })
      for (const name of ledger.repositories) expect([name, (await ask(`/repos/root/${name}`)).status]).toEqual([name, 200])
      for (const name of ledger.deleted) expect([name, (await ask(`/repos/root/${name}`)).status]).toEqual([name, 404])
      for (const name of ledger.stars) expect([name, (await ask(`/user/starred/root/${name}`)).status]).toEqual([name, 204])
      for (const token of ledger.tokens) expect((await ask("/user", `token ${token}`)).status).toBe(200)
      const counted: { readonly description: string } = JSON.parse((await ask("/repos/root/counted")).text)
      expect([ledger.counted, ledger.counted + 1]).toContain(Number(counted.description))
      ledger.counted = Number(counted.description)
      const [head = ""] = (
        await git(clone, "-c", `http.extraHeader=Authorization: ${authorization}`, "ls-remote", `${url}/root/pushed.git`, "refs/heads/main")
      ).split("\t")
      expect([ledger.pushed, ledger.pushing]).toContain(head)
      ledger.pushed = head
    }

    /** Rows and files agree, and no jobs are left. */
    async function expectWhole({ services }: Hearth): Promise<void> {
      const { database, jobs } = services
      // Jobs and journal entries of the killed process are claimed for half a minute, which is awaited here.
      await database.write((tx) =>
        tx.updateTable("jobs").set({ held_until: 0, run_at: 0 }).where("state", "in", ["waiting", "running"]).execute(),
      )
      await jobs.drain()
      expect((await jobs.counts()).filter(({ kind, state }) => state !== "done" && !LATER.includes(kind))).toEqual([])

      const [folders, storages] = [await foldersOf(services), await storagesOf(services)]
      expect(storages.filter((storage) => !folders.includes(storage))).toEqual([])
      // A repository whose row was never written leaves an unused folder: at most those under way at each kill.
      expect(folders.filter((name) => !storages.includes(name)).length).toBeLessThanOrEqual(2 * ROUNDS[kind])

      const rows = await database.read
        .selectFrom("repositories")
        .select(["id", "owner_id", "name", "storage", "object_format", "stars_count", "branches_count", "is_empty"])
        .execute()
      for (const row of rows) {
        const repository = services.git.at(row.storage, row.object_format)
        await git(repository.directory, "fsck", "--strict", "--no-dangling")
        const heads = (await services.git.references.list(repository)).map(({ name, id }) => `${name} ${id}`)
        const branches = await database.read
          .selectFrom("branches")
          .select(["name", "commit_id"])
          .where("repository_id", "=", row.id)
          .execute()
        expect(branches.map(({ name, commit_id }) => `refs/heads/${name} ${commit_id}`).sort(), row.name).toEqual(heads.sort())
        expect([row.name, row.branches_count, row.is_empty]).toEqual([row.name, heads.length, heads.length === 0 ? 1 : 0])
        const stars = await database.read.selectFrom("stars").select("user_id").where("repository_id", "=", row.id).execute()
        expect([row.name, row.stars_count]).toEqual([row.name, stars.length])
      }
      const root = await database.read.selectFrom("users").selectAll().where("lower_name", "=", "root").executeTakeFirstOrThrow()
      // The others were deleted, and are kept for a while.
      expect(root.repositories_count).toBe(rows.filter(({ owner_id }) => owner_id === root.id).length)
      expect(root.stars_count).toBe((await database.read.selectFrom("stars").select("user_id").execute()).length)
    }
  })
})
