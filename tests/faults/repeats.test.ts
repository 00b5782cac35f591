import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openDatabase } from "../../src/core/database/open.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"
import { basic, must } from "../support/http.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"

const PASSWORD = "root-pass-1"
const ROUNDS = 3
const EACH = 20

/**
 * The server is killed while a client sends writes with keys, and the client sends all of them again, as it must when it has no answer. What is in the database alone was done once, with an
 * answer for each. A file is written once at most; where nobody knows whether it was, the client is told so.
 */
describe.each(databaseKinds)("writes with a key over kill -9 (%s)", (kind) => {
  let fresh: FreshUrl
  let folder: string
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-repeats-"))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  it("are done once", async () => {
    const authorization = basic("root", PASSWORD)
    const start = () =>
      startServer({ HEARTH_DATA_DIR: join(folder, "data"), HEARTH_DATABASE_URL: fresh.url, HEARTH_ADMIN_PASSWORD: PASSWORD })
    let server: ServerProcess = await start()
    await must(server.url, "POST", "/user/repos", { authorization, body: { name: "box", auto_init: true, default_branch: "main" } })

    /** The status of a write with a key; undefined where there is no answer. */
    async function write(
      path: string,
      key: string,
      body: unknown,
    ): Promise<{ readonly status: number; readonly body: string } | undefined> {
      try {
        const headers = { authorization, "content-type": "application/json", "idempotency-key": key }
        const answer = await fetch(`${server.url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) })
        return { status: answer.status, body: await answer.text() }
      } catch {
        return undefined
      }
    }
    const issue = (name: string) => write("/repos/root/box/issues", `issue ${name}`.replaceAll(" ", "-"), { title: name })
    const batch = (name: string) =>
      write("/batch", `batch-${name}`, {
        operations: [1, 2, 3].map((each) => ({ method: "POST", path: "/repos/root/box/issues", body: { title: `${name}-${each}` } })),
      })
    const file = (name: string) =>
      write(`/repos/root/box/contents/${name}.txt`, `file-${name}`, { content: "", message: `write ${name}`, branch: "main" })
    const names = (round: number) => Array.from({ length: EACH }, (_, index) => `r${round}-${index}`)

    const unknown: string[] = []
    let withoutAnswer = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const sending = Promise.all([
        ...names(round).map(issue),
        ...names(round).map((name) => batch(`b${name}`)),
        (async () => {
          const answers = []
          for (const name of names(round)) answers.push(await file(name))
          return answers
        })(),
      ])
      await sleep(50 + Math.random() * 250)
      await server.kill()
      withoutAnswer += (await sending).flat().filter((answer) => answer === undefined).length
      server = await start()
      const again = await Promise.all(names(round).flatMap((name) => [issue(name), issue(name)]))
      expect(new Set(again.map((answer) => answer?.status))).toEqual(new Set([201]))
      for (let index = 0; index < again.length; index += 2) expect(again[index]?.body).toBe(again[index + 1]?.body)
      for (const name of names(round)) {
        const answer = await batch(`b${name}`)
        // One batch of a person at a time, where the first is not yet done.
        expect(answer?.status, answer?.body).toBe(200)
      }
      for (const name of names(round)) {
        const answer = await file(name)
        expect([201, 409], answer?.body).toContain(answer?.status)
        if (answer?.status === 409) unknown.push(name)
      }
    }
    // The kills came in the middle of something.
    expect(withoutAnswer).toBeGreaterThan(0)

    const titles: string[] = []
    for (let page = 1; ; page++) {
      const found: readonly { readonly title: string }[] = await must(server.url, "GET", "/repos/root/box/issues", {
        authorization,
        query: { limit: "50", page: String(page), state: "all" },
      })
      titles.push(...found.map(({ title }) => title))
      if (found.length < 50) break
    }
    const wanted = Array.from({ length: ROUNDS }, (_, round) => names(round + 1)).flat()
    expect(titles.sort()).toEqual([...wanted, ...wanted.flatMap((name) => [1, 2, 3].map((each) => `b${name}-${each}`))].sort())

    const messages: string[] = []
    for (let page = 1; ; page++) {
      const found: readonly { readonly commit: { readonly message: string } }[] = await must(server.url, "GET", "/repos/root/box/commits", {
        authorization,
        query: { limit: "50", page: String(page) },
      })
      messages.push(...found.map(({ commit }) => commit.message.trim()).filter((message) => message.startsWith("write ")))
      if (found.length < 50) break
    }
    expect(new Set(messages).size).toBe(messages.length)
    for (const name of wanted) if (!unknown.includes(name)) expect(messages).toContain(`write ${name}`)
    // At most the one that was under way at each kill.
    expect(unknown.length).toBeLessThanOrEqual(ROUNDS)

    // As if the process had died between a change of the repository and its answer.
    const database = await openDatabase({ url: fresh.url })
    await database.write((tx) => tx.updateTable("kept_answers").set({ status: 0, answer: "" }).execute())
    await database.close()
    const [lost = ""] = wanted.filter((name) => !unknown.includes(name))
    const begun = performance.now()
    const answer = await file(lost)
    expect([answer?.status, answer?.body]).toEqual([409, expect.stringContaining("look whether it has come about")])
    expect(performance.now() - begun).toBeLessThan(60_000)
    await server.kill()
  })
})
