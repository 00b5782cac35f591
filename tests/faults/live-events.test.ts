import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds, type FreshKind, freshUrl } from "../support/database.ts"
import { followEvents } from "../support/event-stream.ts"
import { basic, must, send } from "../support/http.ts"
import { freePort } from "../support/ports.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"
import { allWorkers } from "./workers.ts"

/**
 * Someone follows what happens, by streams and by lines, while the server of several processes is killed again and again: what they are told in the end is what happened, each once
 * and in order.
 * Slow: it starts a server of three processes four times.
 */

const PASSWORD = "root-pass-1"
const authorization = basic("root", PASSWORD)
const PROCESSES = 2
const ROUNDS = 3

describe.each(databaseKinds)("following events of a server on %s that is killed", (kind: FreshKind) => {
  let folder: string
  let server: ServerProcess
  let environment: Readonly<Record<string, string>>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-followed-"))
    const databaseUrl = kind === "postgres" ? { HEARTH_DATABASE_URL: (await freshUrl("postgres")).url } : {}
    environment = {
      HEARTH_DATA_DIR: folder,
      HEARTH_ADMIN_PASSWORD: PASSWORD,
      HEARTH_PROCESSES: String(PROCESSES),
      HEARTH_HTTP_PORT: String(await freePort()),
      ...databaseUrl,
    }
    server = await startServer(environment)
    await allWorkers(server, PROCESSES)
    await must(server.url, "POST", "/user/repos", { authorization, body: { name: "home" } })
  })
  afterAll(async () => {
    await server.kill()
    await rm(folder, { recursive: true, force: true })
  })

  it("leaves nothing out and tells nothing twice", { timeout: 280_000 }, async () => {
    const { url } = server
    const first = await fetch(`${url}/api/v1/events`, { headers: { authorization } })
    const beginning = first.headers.get("x-hearth-position") ?? ""
    const written: number[] = []
    let isOver = false

    /** Opens issues all the time; which of those are there that were on their way at a kill is found out at the end. */
    async function write(): Promise<void> {
      for (let count = 0; !isOver; count++)
        try {
          const answer = await send(url, "POST", "/repos/root/home/issues", { authorization, body: { title: `Issue ${count}` } })
          if (answer.status === 201) written.push(JSON.parse(answer.text).number)
        } catch {
          await sleep(50)
        }
    }

    const streamed: number[] = []
    async function follow(): Promise<void> {
      for (let position = beginning; !isOver; )
        try {
          const reader = await followEvents(url, authorization, "?kind=issue.opened", position)
          for (let event = await reader.next(2_000); event; event = await reader.next(2_000)) {
            position = event.id
            if (event.name === "message") streamed.push(event.data.subject.number)
          }
          reader.close()
        } catch {
          await sleep(50)
        }
    }

    const asked: number[] = []
    async function ask(): Promise<void> {
      for (let position = beginning; !isOver || asked.length < streamed.length; )
        try {
          const answer = await fetch(`${url}/api/v1/events?kind=issue.opened&wait=1&after=${position}`, { headers: { authorization } })
          const text = await answer.text()
          position = answer.headers.get("x-hearth-position") ?? position
          for (const line of text.split("\n")) if (line !== "") asked.push(JSON.parse(line).subject.number)
        } catch {
          await sleep(50)
        }
    }

    const working = [write(), write()]
    const reading = [follow(), ask()]
    for (let round = 0; round < ROUNDS; round++) {
      await expect.poll(() => streamed.length, { timeout: 30_000 }).toBeGreaterThan((round + 1) * 10)
      await server.kill()
      server = await startServer(environment)
      await allWorkers(server, PROCESSES)
    }
    const before = streamed.length
    await expect.poll(() => streamed.length, { timeout: 30_000 }).toBeGreaterThan(before + 10)
    isOver = true
    await Promise.all(working)
    const listed = await send(url, "GET", "/repos/root/home/issues?state=all&limit=1", { authorization })
    const last: number = JSON.parse(listed.text)[0].number
    await Promise.all(reading)
    // What was written after the last look.
    const { text } = await send(url, "GET", `/events?kind=issue.opened&after=${beginning}`, { authorization })
    expect(text).toContain("issue.opened")
    expect(last).toBeGreaterThanOrEqual(Math.max(...written))
    const told = streamed.toSorted((a, b) => a - b)
    expect(new Set(streamed).size).toBe(streamed.length)
    expect(told).toEqual(Array.from({ length: told.length }, (_, index) => index + 1))
    expect(asked.slice(0, streamed.length)).toEqual(streamed.slice(0, asked.length))
    expect(new Set(asked).size).toBe(asked.length)
  })
})
