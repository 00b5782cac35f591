import { get, type IncomingMessage } from "node:http"
import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"

/**
 * The stream of a conversation's page, with two people: what one does wakes the page of the other.
 * Slow: the server looks once a second for what has happened, and the tests wait for some fifteen of its looks.
 */
withHearth("a conversation that is followed", { people: ["ann", "ben"] }, ({ test, forge, ann, call }) => {
  const at = "/repos/ann/hush"
  const open = async (name: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }

  /** A stream, as a browser reads it: `next` is the name of the next event, or undefined at its end. */
  async function follow({ cookies }: Browser, path: string) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { cookie, accept: "text/event-stream" }
    // Not with `fetch`: in place of connections that are cut it opens others, without a use, and the server's end waits for those.
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${forge.hearth.url}${path}?live=1`, { agent: false, headers }, resolve).once("error", reject)
    })
    const reader = answer
      .on("error", () => {})
      .setEncoding("utf8")
      .iterator({ destroyOnReturn: false })
    const close = () => answer.destroy()
    if (answer.statusCode !== 200) close()
    let text = ""
    const next = async (): Promise<string | undefined> => {
      for (;;) {
        const [whole, name] = /^event: (\w+)\n.*?\n\n/s.exec(text) ?? []
        if (whole !== undefined) {
          text = text.slice(whole.length)
          return name
        }
        text = text.replace(/^:\n\n/, "")
        const { value, done } = await reader.next().catch(() => ({ value: undefined, done: true }))
        if (done) return undefined
        text += value ?? ""
      }
    }
    /** The same without what is said of notifications, which may come before or with it. */
    const page = async (): Promise<string | undefined> => {
      for (;;) {
        const name = await next()
        if (name !== "notified") return name
      }
    }
    return { status: answer.statusCode, next, page, close }
  }

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "hush", private: true })
    for (const title of ["Crash on start", "Another"]) await call(ann, `POST ${at}/issues`, { title })
  })
  test.beforeEach(async () => {
    await call(ann, `PUT ${at}/collaborators/ben`, { permission: "read" })
  })

  test("is told of what another does with it", async () => {
    const reader = await open("ben")
    const writer = await open("ann")
    const stream = await follow(reader, "/ann/hush/issues/1")
    expect([stream.status, await stream.next()]).toEqual([200, "following"])
    await writer.post("/ann/hush/issues/1/comments", { body: "Word by word" })
    expect(await stream.page()).toBe("changed")
    const page = (await reader.get("/ann/hush/issues/1")).text
    expect(page).toContain("Word by word")
    expect(page).toMatch(/<ol class="plain timeline" id="timeline" data-live="list">/)
    await writer.post("/ann/hush/issues/1/pin", {})
    expect(await stream.page()).toBe("changed")
    stream.close()
  })

  test("ends for someone who may not see it any more, who is told nothing", async () => {
    const stream = await follow(await open("ben"), "/ann/hush/issues/1")
    expect(await stream.next()).toBe("following")
    await call(ann, `DELETE ${at}/collaborators/ben`)
    await call(ann, `POST ${at}/issues/1/comments`, { body: "Not for ben" })
    expect(await stream.page()).toBeUndefined()
    stream.close()
    expect((await follow(await open("ben"), "/ann/hush/issues/1")).status).toBe(404)
  })

  test("says that the reader's notifications have changed", async () => {
    const stream = await follow(await open("ben"), "/ann/hush/issues/2")
    expect(await stream.next()).toBe("following")
    const inbox = await follow(await open("ben"), "/notifications")
    expect(await inbox.next()).toBe("following")
    // Until the streams are known.
    await call(ann, `POST ${at}/issues/2/comments`, { body: "Hello @ben" })
    while ((await stream.next()) !== "changed");
    await call(ann, `POST ${at}/issues/1/comments`, { body: "And here @ben" })
    expect([await stream.next(), await inbox.next()]).toEqual(["notified", "changed"])
    for (const each of [stream, inbox]) each.close()
  })

  test("ends with the session, and a board that is deleted with the board", async () => {
    const reader = await open("ben")
    const stream = await follow(reader, "/ann/hush/issues/1")
    expect(await stream.next()).toBe("following")
    const { id } = (await call(ann, `POST ${at}/projects`, { title: "Plan" })).body
    const board = await follow(await open("ann"), `/ann/hush/projects/${id}`)
    expect(await board.next()).toBe("following")
    await call(ann, `POST ${at}/projects/${id}/columns`, { title: "To do" })
    expect(await board.page()).toBe("changed")
    await call(ann, `DELETE ${at}/projects/${id}`)
    expect(await board.page()).toBeUndefined()
    await reader.post("/user/logout", {})
    await call(ann, `POST ${at}/issues/1/comments`, { body: "Without ben" })
    expect(await stream.page()).toBeUndefined()
    for (const each of [stream, board]) each.close()
  })

  test("a list is told of its repository alone", async () => {
    await call(ann, "POST /user/repos", { name: "other" })
    const reader = await open("ann")
    const list = await follow(reader, "/ann/hush/issues")
    const runs = await follow(reader, "/ann/other/actions")
    expect([await list.next(), await runs.next()]).toEqual(["following", "following"])
    const told: (string | undefined)[] = []
    const next = (async () => {
      for (let name = await list.next(); name !== undefined; name = await list.next()) {
        told.push(name)
        if (name === "changed") return
      }
    })()
    await call(ann, "POST /repos/ann/other/issues", { title: "Elsewhere" })
    // What is asked for later comes later: it is looked at in the order of the log.
    const other = await follow(reader, "/ann/other/issues/1")
    while ((await other.next()) !== "following");
    await call(ann, "POST /repos/ann/other/issues/1/comments", { body: "Elsewhere again" })
    while ((await other.next()) !== "changed");
    expect(told).not.toContain("changed")
    await call(ann, `POST ${at}/issues`, { title: "Here" })
    await next
    expect(told.at(-1)).toBe("changed")
    for (const each of [list, runs, other]) each.close()
  })

  test("a hundred streams hold no connection of the database, and little memory", async () => {
    const readers = []
    for (let count = 0; count < 5; count++) {
      const name = `reader${count}`
      await forge.person(name)
      await call(ann, `PUT ${at}/collaborators/${name}`, { permission: "read" })
      readers.push(await open(name))
    }
    const streams = []
    for (const reader of readers) for (let count = 0; count < 20; count++) streams.push(await follow(reader, "/ann/hush/issues/1"))
    for (const stream of streams) expect([stream.status, await stream.next()]).toEqual([200, "following"])
    const before = process.memoryUsage().heapUsed
    for (let round = 0; round < 2; round++) {
      await call(ann, `POST ${at}/issues/1/comments`, { body: `Round ${round}` })
      for (const stream of streams) expect(await stream.page()).toBe("changed")
    }
    // A megabyte each: the other ends of the streams are on the same heap.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000)
    for (const stream of streams) stream.close()
  })

  test("is followed by one person no more than twenty times", async () => {
    const reader = await open("ben")
    const streams = []
    for (let count = 0; count < 20; count++) streams.push(await follow(reader, "/ann/hush/issues/1"))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    expect((await follow(reader, "/ann/hush/issues/2")).status).toBe(503)
    const other = await follow(await open("ann"), "/ann/hush/issues/1")
    expect(other.status).toBe(200)
    for (const stream of [...streams, other]) stream.close()
  })

  test("says that a thread has changed that was unread before", async () => {
    await call(ann, `POST ${at}/issues/1/comments`, { body: "Look @ben" })
    const inbox = await follow(await open("ben"), "/notifications")
    expect(await inbox.next()).toBe("following")
    // The first may still be about what happened before.
    for (const body of ["once", "twice", "again"]) {
      await call(ann, `POST ${at}/issues/1/comments`, { body })
      expect(await inbox.next()).toBe("changed")
    }
    inbox.close()
  })
})
