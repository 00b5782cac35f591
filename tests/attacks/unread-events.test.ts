/*
 * Someone asks for the stream of events again and again and reads nothing of it, while a lot happens: what is made for them must be little, they are told to resume or cut off, and others
 * hear everything at once. What the system takes for a client who doesn't read, megabytes of each connection, hid for hours that they don't.
 */
import { afterAll, expect } from "vitest"
import { insertEvents } from "../../src/core/events/store.ts"
import { streamsOf } from "../../src/features/events/stream/streams.ts"
import { type EventReader, followEvents } from "../support/event-stream.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD, type TestHearth } from "../support/hearth.ts"
import { type Dialled, dial, head, times } from "./sockets.ts"

const UNREAD = 10

/** Appends to the log, as changes would; each is told in four kilobytes. */
async function happen({ hearth: { services } }: TestHearth, repositoryId: number, count: number): Promise<void> {
  const { database, now } = services
  const data = JSON.stringify({ changed: ["x".repeat(4_000)] })
  const row = { kind: "repository.edited", actor_id: 1, repository_id: repositoryId, issue_id: 0, data, created_at: now() }
  await database.write(async (tx) => {
    for (let from = 0; from < count; from += 200)
      await insertEvents(
        tx,
        Array.from({ length: Math.min(200, count - from) }, () => row),
      )
  })
}

/** The positions of so many events, in their order. */
async function hear(reader: EventReader, count: number): Promise<readonly string[]> {
  const heard: string[] = []
  while (heard.length < count) {
    const event = await reader.next()
    if (event?.name !== "message") break
    heard.push(event.id)
  }
  return heard
}

/** What both forges need: a repository that everyone sees, and connections that are not read. */
function prepared(forge: TestHearth, owner: string) {
  const open: Dialled[] = []
  afterAll(() => {
    for (const { socket } of open) socket.destroy()
  })
  const streams = () => streamsOf(forge.hearth.services).count()
  let repositoryId = 0
  return {
    streams,
    begin: async () => {
      repositoryId = (await forge.call(owner, "POST /user/repos", { name: "open" })).body.id
    },
    happen: (count: number) => happen(forge, repositoryId, count),
    dialUnread: async (count: number): Promise<readonly Dialled[]> => {
      const before = streams()
      const asked = head("GET /api/v1/events?kind=repository.edited", {
        login: `eve:${PASSWORD}`,
        headers: { accept: "text/event-stream" },
      })
      const dialled = await Promise.all(times(count, () => dial(forge.hearth.url, asked, { reads: false })))
      open.push(...dialled)
      await expect.poll(streams).toBe(before + count)
      return dialled
    },
    cut: async () => {
      const metrics = await (await fetch(`${forge.hearth.url}/metrics`)).text()
      return Number(/^hearth_http_connections_cut_total (\d+)/m.exec(metrics)?.[1])
    },
  }
}

const people = ["ada", "eve"] as const
const quick = { http: { trustedProxies: "none", stallSeconds: 1 } }

withHearth("streams of events that are never read", { people, config: quick }, ({ test, forge, ada }) => {
  const { begin, streams, dialUnread, cut, happen } = prepared(forge, ada)
  test.beforeAll(begin)

  test("are cut off after `http.stallSeconds`, though the system has room for all that is sent", async () => {
    // Told nothing of what the others are told: beside a busy machine's other work, a sixth of a second could be too slow for that.
    const reader = await followEvents(forge.hearth.url, ada, "?kind=issue.")
    expect((await reader.next())?.name).toBe("ready")
    await dialUnread(UNREAD)
    await happen(200)
    await expect.poll(streams, { timeout: 20_000 }).toBe(1)
    // Connections of others on which nothing was asked for a second count too.
    expect(await cut()).toBeGreaterThanOrEqual(UNREAD)
    // Who reads is not cut off, however long nothing happens.
    expect(await reader.next(2_000)).toBeUndefined()
    await forge.call(ada, "POST /repos/ada/open/issues", { title: "Still here" })
    expect((await reader.next())?.data.kind).toBe("issue.opened")
    reader.close()
  })
})

// A sixth of it is the time after which a reader is told to resume.
const patient = { http: { trustedProxies: "none", stallSeconds: 12 } }

withHearth("streams of events that are not read for a while", { people, config: patient }, ({ test, forge, ada, eve }) => {
  const { begin, streams, dialUnread, happen } = prepared(forge, ada)
  test.beforeAll(begin)

  /** Told to each, twelve megabytes: three times what the system takes of a connection. */
  const EVENTS = 3_000

  test("are told no more than the system takes, delay nobody, and are told to resume, with nothing left out", async () => {
    const reader = await followEvents(forge.hearth.url, ada, "?kind=repository.edited")
    expect((await reader.next())?.name).toBe("ready")
    const [first] = await dialUnread(UNREAD)
    await happen(EVENTS)
    const heard = await hear(reader, EVENTS)
    expect(heard.length).toBe(EVENTS)
    expect(streams()).toBe(1 + UNREAD)

    // Longer than a sixth of twelve seconds.
    expect(await reader.next(2_500)).toBeUndefined()
    let text = ""
    first?.socket.setEncoding("latin1").on("data", (part: string) => {
      text += part
    })
    first?.socket.resume()
    await expect.poll(() => text).toMatch(/event: resume\n[\s\S]*\n0\r\n\r\n$/)
    const ids = [...text.matchAll(/^id: (\S+)\r?\n(?:\r\n\w+\r\n)?data: \{"position":"\S+","kind"/gm)].map(([, id]) => id)
    // What was not made for them was not held for them either.
    expect(ids.length).toBeLessThan(EVENTS / 2)
    const resumed = await followEvents(forge.hearth.url, eve, "?kind=repository.edited", ids.at(-1))
    expect((await resumed.next())?.name).toBe("ready")
    expect([...ids, ...(await hear(resumed, EVENTS - ids.length))]).toEqual(heard)
    for (const each of [reader, resumed]) each.close()
  })
})
