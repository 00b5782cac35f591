import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Forge, forgeOn } from "../../support/forge-on.ts"
import { startPair } from "../../support/postgres.ts"

/** A standby answers searches. It falls behind, stops answering, and becomes a server of its own; what is shown is a second old at most all the while. */
describe("a replica that answers reads", () => {
  let servers: Awaited<ReturnType<typeof startPair>>
  let forge: Forge

  beforeAll(async () => {
    servers = await startPair()
    const { primary, standby } = servers
    forge = await forgeOn(primary.url, { database: { waitSeconds: 2, replicaUrl: standby.url } }, { running: true })
  })
  afterAll(async () => {
    await servers?.standby.freeze(false)
    await forge?.close()
    await servers?.stop()
  })

  const recent = () => forge.hearth.services.database.recent()
  const create = async (name: string): Promise<void> => {
    const made = await forge.ask("/api/v1/user/repos", { method: "POST", body: JSON.stringify({ name }) })
    expect(made.status).toBe(201)
  }
  const finds = async (name: string): Promise<boolean> => {
    const { status, text } = await forge.ask(`/api/v1/repos/search?q=${name}`)
    expect(status).toBe(200)
    return JSON.parse(text).data.length === 1
  }
  /** What is written is found within a second, with some time for the requests. */
  const expectSoon = (name: string) => expect.poll(() => finds(name), { timeout: 2_500, interval: 20 }).toBe(true)
  const isUsed = (used: boolean) => expect.poll(() => recent() !== undefined, { timeout: 10_000, interval: 20 }).toBe(used)

  it("answers as long as it is not further behind than a second, and nothing is lost to it", async () => {
    const { standby } = servers
    await isUsed(true)
    const asked = await recent()?.selectNoFrom(sql<number>`pg_is_in_recovery()`.as("standby")).executeTakeFirst()
    expect(asked?.standby).toBe(1)
    await expect(recent()?.insertInto("site_values").values({ name: "mine", value: "" }).execute()).rejects.toThrow("read-only")
    await create("followed")
    await expectSoon("followed")

    await standby.ask("select pg_wal_replay_pause()")
    await create("behind")
    await expectSoon("behind")
    await isUsed(false)
    await standby.ask("select pg_wal_replay_resume()")
    await isUsed(true)

    await standby.freeze(true)
    await create("frozen")
    expect(await finds("followed")).toBe(true)
    await expectSoon("frozen")
    expect(recent()).toBeUndefined()
    await standby.freeze(false)
    await isUsed(true)

    await standby.ask("select pg_promote()")
    await isUsed(false)
    await create("promoted")
    expect(await finds("promoted")).toBe(true)
  })
})
