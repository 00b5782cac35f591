import { setTimeout as sleep } from "node:timers/promises"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { folderForTests } from "../../support/folder.ts"
import { type Forge, forgeOn } from "../../support/forge-on.ts"
import { type PostgresServer, startPostgres } from "../../support/postgres.ts"

/**
 * The processes of PostgreSQL were stopped with SIGSTOP. It still held its connections, so that no call failed: all waited without end, and with them
 * their callers. A statement timeout is no help, since it is the server that keeps it. Now a statement that gets no answer for a while makes
 * the server be asked for a sign of life: without one, callers are refused within the time that the operator sets, and further ones at once. A statement
 * that is merely long goes on. When PostgreSQL goes on, so does everything else.
 */
describe("a PostgreSQL server that is frozen", () => {
  let postgres: PostgresServer
  let forge: Forge

  beforeAll(async () => {
    postgres = await startPostgres(["fsync=off"], folderForTests())
    forge = await forgeOn(postgres.url, { database: { waitSeconds: 2, connections: 3 } })
  })
  afterAll(async () => {
    await postgres?.freeze(false)
    await forge?.close()
    await postgres?.stop()
  })

  it("refuses every caller with 503, and goes on afterwards", async () => {
    const { ask } = forge
    await postgres.freeze(true)
    // More than there are connections, so that some wait for one.
    const many = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0
        ? ask("/api/v1/repos/root/rocket")
        : ask("/api/v1/repos/root/rocket/issues", { method: "POST", body: JSON.stringify({ title: `frozen ${index}` }) }),
    )
    expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([503]))
    expect((await ask("/root/rocket/info/refs?service=git-upload-pack")).status).toBe(503)
    // An answer is shared for a second.
    let health = await ask("/api/healthz")
    while (health.status !== 503) health = await ask("/api/healthz")
    expect(JSON.parse(health.text)).toMatchObject({ checks: { "database:write": [{ status: "fail" }] } })

    await postgres.freeze(false)

    while ((await ask("/api/healthz")).status !== 200) await sleep(50)
    const made = await ask("/api/v1/repos/root/rocket/issues", { method: "POST", body: JSON.stringify({ title: "thawed" }) })
    expect(made.status).toBe(201)
  })

  it("lets a statement that is merely long end", async () => {
    const { database } = forge.hearth.services
    // Three times as long as a call waits for a sign of life.
    await database.write(async (tx) => void (await sql`select pg_sleep(6)`.execute(tx)))
    expect((await forge.ask("/api/v1/repos/root/rocket")).status).toBe(200)
  })

  it("refuses callers beyond those that may wait for a connection", async () => {
    const { database } = forge.hearth.services
    const holding = [1, 2, 3].map(() => database.write(async (tx) => void (await sql`select pg_sleep(1)`.execute(tx))))
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => database.write(async (tx) => sql`select 1`.execute(tx))))
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.name] : []))
    expect(refused).toContain("DatabaseUnavailable")
    expect(new Set(refused)).toEqual(new Set(["DatabaseUnavailable"]))
    await Promise.all(holding)
  })
})
