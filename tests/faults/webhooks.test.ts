import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startHearth } from "../../src/app.ts"
import { openReceiver, passTime, type Receiver, signature } from "../../src/features/webhooks/testing.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"
import { basic, must, send } from "../support/http.ts"
import { type ServerProcess, startServer } from "../support/serverProcess.ts"

const PASSWORD = "root-pass-1"
const SECRET = "hush"
const HOOKS = 15
/** Issues that are made in each round, which ends with a kill. */
const SIZE = { sqlite: { rounds: 3, issues: 30 }, postgres: { rounds: 2, issues: 15 } } as const

/**
 * The server is killed while it delivers, and started again, several times over. Whatever was acknowledged is delivered in the end, each delivery under
 * one id and with one text, however often it is sent.
 */
describe.each(databaseKinds)("kill -9 while webhooks are delivered (%s)", (kind) => {
  let fresh: FreshUrl
  let folder: string
  let receiver: Receiver
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-webhooks-"))
    receiver = await openReceiver()
  })
  afterAll(async () => {
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  it("loses no delivery", { timeout: 120_000 }, async () => {
    const { rounds, issues } = SIZE[kind]
    const authorization = basic("root", PASSWORD)
    const env = {
      HEARTH_DATA_DIR: folder,
      HEARTH_DATABASE_URL: fresh.url,
      HEARTH_ADMIN_PASSWORD: PASSWORD,
      HEARTH_OUTGOING_ALLOWED_HOSTS: "loopback",
    }
    let server: ServerProcess = await startServer(env)
    await must(server.url, "POST", "/user/repos", { authorization, body: { name: "told" } })
    for (let count = 0; count < HOOKS; count++)
      await must(server.url, "POST", "/repos/root/told/hooks", {
        authorization,
        body: {
          type: "gitea",
          active: true,
          events: ["issues_only"],
          config: { url: `${receiver.url}/${count}`, content_type: "json", secret: SECRET },
        },
      })

    const acknowledged: number[] = []
    for (let round = 1; round <= rounds; round++) {
      const { url } = server
      const writing = Promise.allSettled(
        Array.from({ length: issues }, async (_, index) => {
          const body = { title: `Issue ${round}.${index}` }
          const { status, text } = await send(url, "POST", "/repos/root/told/issues", { authorization, body })
          if (status === 201) acknowledged.push(JSON.parse(text).number)
        }),
      )
      const before = receiver.received.length
      // While some are on their way, and some of those that ask wait for their answer.
      while (receiver.received.length < before + 20) await sleep(5)
      await sleep(Math.random() * 300)
      await server.kill()
      await writing
      if (round < rounds) server = await startServer(env)
    }

    const hearth = await startHearth({
      env: {},
      config: {
        dataDir: folder,
        databaseUrl: fresh.url,
        http: { port: 0 },
        ssh: { port: 0 },
        log: { level: "silent" },
        outgoing: { allowedHosts: "loopback" },
        jobs: { workers: 16 },
      },
    })
    try {
      const { database } = hearth.services
      // What the dead processes held is left to them for half a minute, which goes by here.
      await database.write((tx) => tx.updateTable("jobs").set({ held_until: 0 }).where("state", "=", "running").execute())
      await passTime(hearth.services)
      await passTime(hearth.services)
      const deliveries = await database.read.selectFrom("webhook_deliveries").select(["uuid", "state", "payload"]).execute()
      const told = await database.read.selectFrom("issues").select("number").execute()
      expect(told.map(({ number }) => number)).toEqual(expect.arrayContaining(acknowledged))
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(deliveries.length).toBe(told.length * HOOKS)
      expect(deliveries.filter(({ state }) => state !== "delivered")).toEqual([])
      const texts = Map.groupBy(receiver.received, ({ headers }) => headers["x-gitea-delivery"])
      for (const { uuid, payload } of deliveries)
        expect([uuid, new Set(texts.get(uuid)?.map(({ text }) => text))]).toEqual([uuid, new Set([payload])])
      for (const { text, headers } of receiver.received) expect(headers["x-gitea-signature"]).toBe(signature(SECRET, text))
      // Only what was on its way at a kill is sent twice.
      expect(receiver.received.length).toBeLessThanOrEqual(deliveries.length + 16 * rounds)
    } finally {
      await hearth.close()
    }
  })
})
