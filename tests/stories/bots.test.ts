/** The bots of `examples/`, each run as people run it: as a process, with an address and a token. Slow: each is a Node.js of its own. */
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"
import { freePort } from "../support/ports.ts"

const run = promisify(execFile)
const home = join(import.meta.dirname, "../..")
const DAY = 86_400

let clock = Math.floor(Date.now() / 1000)
const at = `/repos/root/rocket`

withHearth("the bots", { on: databaseKinds, now: () => clock }, ({ test, forge, call, settle }) => {
  const envOf = (url: string) => ({ ...process.env, HEARTH_URL: url, HEARTH_TOKEN: forge.hearth.token })
  const bot = async (name: string, ...args: readonly string[]): Promise<string> =>
    (
      await run(process.execPath, [join(home, "examples", `${name}.ts`), "root/rocket", ...args], {
        env: envOf(forge.hearth.url),
        timeout: 60_000,
      })
    ).stdout
  const issue = async (title: string, more: object = {}): Promise<number> =>
    (await call(forge.root, `POST ${at}/issues`, { title, ...more })).body.number
  const labelsOf = async (number: number): Promise<readonly string[]> =>
    (await call(forge.root, `GET ${at}/issues/${number}`)).body.labels.map(({ name }: { readonly name: string }) => name)

  test.beforeAll(async () => {
    // They import the client as it is built.
    execFileSync(process.execPath, [join(home, "bin/build-if-stale.mjs")], { stdio: "ignore" })
    clock = Math.floor(Date.now() / 1000) - 90 * DAY
    expect((await call(forge.root, "POST /user/repos", { name: "rocket", auto_init: true, default_branch: "main" })).status).toBe(201)
    expect((await call(forge.root, `POST ${at}/tags`, { tag_name: "v1.0" })).status).toBe(201)
  })

  test("stale marks what nobody touches, closes it later, and does nothing twice", async () => {
    const [old, pinned] = [await issue("It leaks"), await issue("Rules of the house")]
    await call(forge.root, `POST ${at}/labels`, { name: "pinned", color: "#00aabb" })
    await call(forge.root, `POST ${at}/issues/${pinned}/labels`, { labels: ["pinned"] })
    clock += 75 * DAY - 60
    const fresh = await issue("It squeaks")
    expect(await bot("stale")).toBe("marked 1, closed 0\n")
    expect([await labelsOf(old), await labelsOf(pinned), await labelsOf(fresh)]).toEqual([["stale"], ["pinned"], []])
    // What was marked 15 days ago by the server's clock is closed; nobody has said anything.
    clock += 15 * DAY
    expect(await bot("stale")).toBe("marked 0, closed 1\n")
    expect((await call(forge.root, `GET ${at}/issues/${old}`)).body.state).toBe("closed")
    expect(await bot("stale")).toBe("marked 0, closed 0\n")
    expect((await call(forge.root, `GET ${at}/issues/${old}/comments`)).body).toHaveLength(1)
  })

  test("release-notes drafts what was merged since the last tag, once", async () => {
    clock = Math.floor(Date.now() / 1000) + 5
    await call(forge.root, `POST ${at}/labels`, { name: "bug", color: "#ee0000" })
    for (const [branch, labels] of [
      ["valve", ["bug"]],
      ["paint", []],
    ] as const) {
      const content = Buffer.from(branch).toString("base64")
      expect((await call(forge.root, `POST ${at}/contents/${branch}.txt`, { content, new_branch: branch, message: branch })).status).toBe(
        201,
      )
      const { body } = await call(forge.root, `POST ${at}/pulls`, { title: `The ${branch}`, head: branch, base: "main" })
      await call(forge.root, `POST ${at}/issues/${body.number}/labels`, { labels })
      await settle()
      expect((await call(forge.root, `POST ${at}/pulls/${body.number}/merge`, { Do: "merge" })).status).toBe(200)
    }
    expect(await bot("release-notes", "v1.1")).toContain("drafted http")
    expect(await bot("release-notes", "v1.1")).toContain("nothing to tell")
    const { body } = await call(forge.root, `GET ${at}/releases?draft=true`)
    expect(body[0]).toMatchObject({ tag_name: "v1.1", draft: true })
    expect(body[0].body.replace(/#\d+/g, "#N")).toBe(
      "## Mended\n\n- The valve (#N) by @root\n\n## Other changes\n\n- The paint (#N) by @root",
    )
  })

  test("digest is a mail of the week, whose headers no title changes", async () => {
    await issue("Ours\r\nBcc: eve@example.com")
    const mail = await bot("digest", "team@example.com")
    const [head = "", text = ""] = mail.split("\r\n\r\n", 2)
    expect(head).toMatch(/^To: team@example\.com\r\nSubject: root\/rocket: the week until /)
    expect(head).not.toContain("Bcc")
    expect(text).toMatch(/^Merged \(2\)\r\n {2}#\d+ The /)
    expect(mail).toContain("Closed issues (1)")
  })

  test("labeller labels what is there, and what comes", async () => {
    const old = await issue("A crash")
    const listener = await listen(forge.hearth.url)
    const child = spawn(process.execPath, [join(home, "examples/labeller.ts"), "root/rocket"], {
      env: envOf(listener.url),
      stdio: ["ignore", "ignore", "inherit"],
    })
    const ended = once(child, "exit")
    try {
      await expect.poll(() => labelsOf(old)).toEqual(["bug"])
      const come = await issue("How do I fly?", { body: "The docs say nothing" })
      listener.tell(come)
      await expect.poll(async () => (await labelsOf(come)).toSorted()).toEqual(["documentation", "question"])
    } finally {
      child.kill("SIGINT")
      await ended
      listener.close()
    }
    expect(child.exitCode).toBe(0)
  })
})

/** A server that answers `GET /events` by itself, and hands on everything else. */
async function listen(to: string) {
  const readers = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/api/v1/events")) {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("event: ready\nid: n-0\ndata: {}\n\n")
      readers.add(response)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(
      ["authorization", "content-type"].flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : [])),
    )
    const answer = await fetch(to + request.url, {
      method: request.method ?? "GET",
      headers,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const link = answer.headers.get("link")
    response.writeHead(answer.status, { "content-type": "application/json", ...(link && { link }) }).end(await answer.text())
  })
  const port = await freePort()
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${port}`,
    tell: (number: number) => {
      const event = { position: "n-1", kind: "issue.opened", subject: { type: "issue", id: 1, number } }
      for (const reader of readers) reader.write(`id: n-1\ndata: ${JSON.stringify(event)}\n\n`)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
