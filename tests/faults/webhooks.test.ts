import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openDatabase } from "../../src/core/database/open.ts"
import type { HookDelivery } from "../../src/features/events/webhooks/records.ts"
import { openReceiver, type Receiver, signature } from "../../src/features/events/webhooks/testing.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"
import { basic, must, send } from "../support/http.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"

const PASSWORD = "root-pass-1"
const SECRET = "hush"
const WORKERS = 16
const HOOKS = 20
/** Each issue is delivered to all hooks; the server is killed once in each round. */
const SIZE = { sqlite: { kills: 4, issues: 80 }, postgres: { kills: 3, issues: 45 } } as const
const AT_ONCE = 32

/**
 * The server is killed while it delivers, and started again, several times over. Events of acknowledged writes are delivered in the end, each delivery
 * with one id and one body, however often it is sent.
 */
describe.each(databaseKinds)("kill -9 while webhooks are delivered (%s)", (kind) => {
  const { kills, issues } = SIZE[kind]
  const authorization = basic("root", PASSWORD)
  let fresh: FreshUrl
  let folder: string
  let receiver: Receiver
  let server: ServerProcess | undefined
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-webhooks-"))
    receiver = await openReceiver()
  })
  afterAll(async () => {
    await server?.kill()
    await receiver.close()
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  const start = () =>
    startServer({
      HEARTH_DATA_DIR: folder,
      HEARTH_DATABASE_URL: fresh.url,
      HEARTH_ADMIN_PASSWORD: PASSWORD,
      HEARTH_OUTGOING_ALLOWED_HOSTS: "loopback",
      HEARTH_JOBS_WORKERS: String(WORKERS),
    })

  /** Jobs of a killed process are claimed for half a minute if the database may be shared; that is awaited here. */
  async function passLease(): Promise<void> {
    if (kind === "sqlite") return
    const database = await openDatabase({ url: fresh.url })
    await database.write((tx) => tx.updateTable("jobs").set({ held_until: 0 }).where("state", "=", "running").execute())
    await database.close()
  }

  /** Creates this many issues, or fewer if the server is killed or says that its database takes too long; returns the numbers of those that it acknowledged. */
  async function open(url: string, count: number): Promise<readonly number[]> {
    const acknowledged: number[] = []
    let left = count
    const person = async (): Promise<void> => {
      while (left-- > 0) {
        const { status, text } = await send(url, "POST", "/repos/root/told/issues", { authorization, body: { title: `Number ${left}` } })
        if (status === 503) return
        if (status !== 201) throw new TypeError(`an issue was answered with ${status} ${text}`)
        acknowledged.push(JSON.parse(text).number)
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, person))
    for (const end of ends) if (end.status === "rejected" && end.reason?.message !== "fetch failed") throw end.reason
    return acknowledged
  }

  /** All deliveries of a webhook in the API's list. */
  async function listed(url: string, hook: number): Promise<readonly HookDelivery[]> {
    const all: HookDelivery[] = []
    for (let page = 1; ; page++) {
      const query = { page: String(page), limit: "50" }
      const more = await must<readonly HookDelivery[]>(url, "GET", `/repos/root/told/hooks/${hook}/deliveries`, { authorization, query })
      all.push(...more)
      if (more.length < 50) return all
    }
  }

  it(`loses none of ${issues * HOOKS} deliveries`, { timeout: 600_000 }, async () => {
    server = await start()
    await must(server.url, "POST", "/user/repos", { authorization, body: { name: "told" } })
    const hooks: number[] = []
    for (let count = 0; count < HOOKS; count++) {
      const config = { url: `${receiver.url}/${count}`, content_type: "json", secret: SECRET }
      const body = { type: "gitea", active: true, events: ["issues_only"], config }
      hooks.push((await must<{ readonly id: number }>(server.url, "POST", "/repos/root/told/hooks", { authorization, body })).id)
    }

    const acknowledged: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      const before = receiver.received.length
      const opening = open(server.url, Math.ceil((issues - acknowledged.length) / (kills - kill)))
      // While some deliveries are under way, and some requests wait for their answer.
      while (receiver.received.length < before + 20) await sleep(5)
      await sleep(Math.random() * 1_000)
      await server.kill()
      acknowledged.push(...(await opening))
      await passLease()
      server = await start()
    }
    while (acknowledged.length < issues) acknowledged.push(...(await open(server.url, issues - acknowledged.length)))

    const { url } = server
    const deliveries: HookDelivery[] = []
    for (const hook of hooks) {
      let told = await listed(url, hook)
      while (told.some(({ state }) => state === "waiting")) {
        await sleep(200)
        told = await listed(url, hook)
      }
      deliveries.push(...told)
    }
    expect(deliveries.filter(({ state }) => state !== "delivered")).toEqual([])

    // Every hook has received the acknowledged issues, and all that the list shows as delivered.
    const arrived = new Set(receiver.received.map(({ path, body }) => `${path} ${body.issue.number}`))
    const missing = hooks.flatMap((_, hook) => acknowledged.filter((number) => !arrived.has(`/${hook} ${number}`)))
    expect(missing).toEqual([])
    const texts = Map.groupBy(receiver.received, ({ headers }) => headers["x-gitea-delivery"])
    expect([...texts.keys()].sort()).toEqual(deliveries.map(({ uuid }) => uuid).sort())
    for (const sent of texts.values()) expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
    for (const { text, headers } of receiver.received)
      if (headers["x-gitea-signature"] !== signature(SECRET, text)) throw new TypeError(`a wrong signature: ${text}`)
    // Only deliveries that were under way at a kill are sent twice.
    expect(receiver.received.length).toBeLessThanOrEqual(deliveries.length + WORKERS * kills)
  })
})
