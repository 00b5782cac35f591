import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Forge, forgeOn } from "../../support/forge-on.ts"
import { startPair } from "../../support/postgres.ts"

/**
 * The PostgreSQL server stops answering under writers, and its standby takes over. Meanwhile writes are refused with 503; afterwards all that was answered as
 * done is there, once, and nothing of what was refused. Only of what was under way at that moment nobody can say, and so nothing is said.
 */
describe("a PostgreSQL server whose standby takes over", () => {
  let servers: Awaited<ReturnType<typeof startPair>>
  let forge: Forge

  beforeAll(async () => {
    servers = await startPair()
    const { primary, standby } = servers
    // A commit is answered when the standby has it too: what only the lost server had would be lost with it.
    for (const statement of ["alter system set synchronous_standby_names = '*'", "select pg_reload_conf()"]) await primary.ask(statement)
    const { host } = new URL(standby.url)
    const both = new URL(primary.url).href.replace(/@([^/]+)/, `@${host},$1`)
    forge = await forgeOn(both, { database: { waitSeconds: 2 } }, { running: true })
  })
  afterAll(async () => {
    await servers?.primary.freeze(false)
    await forge?.close()
    await servers?.stop()
  })

  it("loses no issue that was answered, keeps none that was refused, and goes on by itself", async () => {
    const { ask } = forge
    const { primary, standby } = servers
    const [done, refused, unknown] = [new Set<string>(), new Set<string>(), new Set<string>()]
    let isOver = false
    const write = async (writer: number): Promise<void> => {
      for (let count = 0; !isOver; count++) {
        const title = `${writer}-${count}`
        const answer = await ask("/api/v1/repos/root/rocket/issues", { method: "POST", body: JSON.stringify({ title }) })
        if (answer.status === 201) done.add(title)
        else if (answer.headers.get("retry-after") === "5") refused.add(title)
        else unknown.add(title)
        if (answer.status !== 201) {
          expect([answer.status, answer.text]).toEqual([
            503,
            expect.stringMatching(/the database (is not available|was lost while this was stored)/),
          ])
          await sleep(20)
        }
      }
    }
    const writers = Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer)))
    while (done.size < 100) await sleep(10)

    await primary.freeze(true)
    while (refused.size < 12) await sleep(10)
    await standby.ask("select pg_promote()")
    const before = done.size
    while (done.size < before + 100) await sleep(10)
    isOver = true
    await writers

    const { database } = forge.hearth.services
    const stored = (await database.read.selectFrom("issues").select(["title", "number"]).orderBy("number").execute()).filter(({ title }) =>
      /^\d+-\d+$/.test(title),
    )
    const titles = new Set(stored.map(({ title }) => title))
    expect(titles.size).toBe(stored.length)
    expect([...done].filter((title) => !titles.has(title))).toEqual([])
    expect([...refused].filter((title) => titles.has(title))).toEqual([])
    // Each writer was in the middle of one at most, twice if the lost server came to it twice.
    expect(unknown.size).toBeLessThanOrEqual(24)
    expect(new Set(stored.map(({ number }) => number)).size).toBe(stored.length)
    while ((await ask("/api/healthz")).status !== 200) await sleep(50)
  })
})
