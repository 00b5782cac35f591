import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { databaseKinds } from "../../../tests/support/database.ts"
import { runImport } from "./import.ts"
import { type Forges, must, openForges } from "./testing.ts"

describe.each(databaseKinds)("what a server with the same API has, on %s", (kind) => {
  let forges: Forges
  let clone_addr: string
  beforeAll(async () => {
    forges = await openForges(kind)
    clone_addr = await fill()
  }, 90_000)
  afterAll(() => forges.close())

  /** A repository there with one of everything. */
  async function fill(): Promise<string> {
    const { zoe } = forges
    const address = await forges.origin("full")
    const at = "/repos/zoe/full"
    const milestone = await must(zoe, "POST", `${at}/milestones`, { title: "1.0", description: "first", due_on: "2030-01-02T00:00:00Z" })
    const label = await must(zoe, "POST", `${at}/labels`, { name: "bug", color: "#EE0701", description: "it is wrong" })
    for (let number = 1; number <= 60; number++)
      await must(zoe, "POST", `${at}/issues`, {
        title: `issue ${number}`,
        body: `body ${number}`,
        ...(number === 1 && { labels: [label.id], milestone: milestone.id }),
      })
    await must(zoe, "PATCH", `${at}/issues/2`, { state: "closed" })
    await must(zoe, "POST", `${at}/issues/1/comments`, { body: "me too" })
    await must(zoe, "POST", `${at}/issues/2/comments`, { body: "closed for good" })
    for (const branch of ["open", "merged"]) {
      await must(zoe, "POST", `${at}/branches`, { new_branch_name: branch })
      await forges.commit("full", branch, `${branch}.txt`)
      const { number } = await must(zoe, "POST", `${at}/pulls`, { title: `pull ${branch}`, head: branch, base: "trunk" })
      await must(zoe, "POST", `${at}/issues/${number}/comments`, { body: `look at ${branch}` })
      if (branch === "merged") await must(zoe, "POST", `${at}/pulls/${number}/merge`, { Do: "merge", delete_branch_after_merge: true })
    }
    await must(zoe, "POST", `${at}/releases`, { tag_name: "v1", name: "One", body: "it works" })
    return address
  }

  const everything = { issues: true, labels: true, milestones: true, pull_requests: true, releases: true, service: "gitea" }
  const get = (path: string) => must(forges.ann, "GET", path)

  test("comes here with its numbers, times and authors, and nobody is told", async () => {
    const made = await forges.ann.call("POST", "/repos/migrate", { clone_addr, repo_name: "full", ...everything })
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ open_issues_count: 59, open_pr_counter: 1, release_counter: 1 }),
    ])
    await forges.here.hearth.services.jobs.drain()
    const at = "/repos/ann/full"
    const [there, here] = [await must(forges.zoe, "GET", "/repos/zoe/full/issues/1"), await get(`${at}/issues/1`)]
    expect(here).toMatchObject({
      number: 1,
      title: "issue 1",
      body: "body 1",
      state: "open",
      comments: 1,
      original_author: "zoe",
      original_author_id: there.user.id,
      created_at: there.created_at,
      user: { login: "ann" },
      labels: [{ name: "bug", color: "ee0701", description: "it is wrong" }],
      milestone: { title: "1.0", description: "first", open_issues: 1, due_on: there.milestone.due_on },
    })
    const closed = await must(forges.zoe, "GET", "/repos/zoe/full/issues/2")
    expect(await get(`${at}/issues/2`)).toMatchObject({ state: "closed", closed_at: closed.closed_at })
    expect(await get(`${at}/issues/60`)).toMatchObject({ title: "issue 60" })
    expect(await get(`${at}/issues/1/comments`)).toEqual([expect.objectContaining({ body: "me too", original_author: "zoe" })])

    const open = await get(`${at}/pulls/61`)
    expect(open).toMatchObject({
      title: "pull open",
      state: "open",
      merged: false,
      mergeable: true,
      comments: 1,
      head: { ref: "open" },
      base: { ref: "trunk" },
      changed_files: 1,
    })
    expect((await get(`${at}/pulls/61/files`)).map(({ filename }: { filename: string }) => filename)).toEqual(["open.txt"])
    const merged = await must(forges.zoe, "GET", "/repos/zoe/full/pulls/62")
    expect(await get(`${at}/pulls/62`)).toMatchObject({
      state: "closed",
      merged: true,
      merged_at: merged.merged_at,
      merge_commit_sha: merged.merge_commit_sha,
    })
    expect((await get(`${at}/pulls/62/commits`)).length).toBe(1)
    expect(await get(`${at}/releases`)).toEqual([expect.objectContaining({ tag_name: "v1", name: "One", body: "it works", draft: false })])
    expect((await get(`${at}/activities/feeds`)).map(({ op_type }: { op_type: string }) => op_type)).toEqual(["create_repo"])
    expect((await get(`${at}/issues?q=body&limit=1`)).length).toBe(1)
    // New numbers go on where the old ones end.
    expect((await must(forges.ann, "POST", `${at}/issues`, { title: "new here" })).number).toBe(63)
    await must(forges.ann, "POST", `${at}/pulls/61/merge`, { Do: "merge" })
  })

  test("comes only as far as it is asked for", async () => {
    const made = await forges.ann.call("POST", "/repos/migrate", { clone_addr, repo_name: "some", service: "gitea", labels: true })
    expect([made.status, made.body.open_issues_count, made.body.release_counter]).toEqual([201, 0, 0])
    expect((await get("/repos/ann/some/labels")).length).toBe(1)
    expect(await get("/repos/ann/some/milestones")).toEqual([])
  })

  test("is not asked of plain git or for a mirror, and refused of other servers", async () => {
    for (const [repo_name, options] of [
      ["plainly", { service: "git" }],
      ["mirrored", { mirror: true }],
    ] as const) {
      const made = await forges.ann.call("POST", "/repos/migrate", { clone_addr, repo_name, ...everything, ...options })
      expect([made.status, made.body.open_issues_count]).toEqual([201, 0])
    }
    const refused = await forges.ann.call("POST", "/repos/migrate", { clone_addr, repo_name: "other", ...everything, service: "gitlab" })
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("[issues]")])
    expect((await forges.ann.call("GET", "/repos/ann/other")).status).toBe(404)
  })

  /** A server that passes everything on to the other forge but what `answer` gives an answer for. */
  async function between(answer: (path: string) => number | string | undefined) {
    const server = createServer((request, response) => {
      const path = request.url ?? "/"
      const own = answer(path)
      if (own !== undefined) {
        if (typeof own === "number") response.writeHead(own).end("{}")
        else response.writeHead(200, { "content-type": "application/json" }).end(own)
        return
      }
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", async () => {
        const { host: _, connection: __, "content-length": ___, ...headers } = request.headers
        const passed = await fetch(`${forges.there.hearth.url}${path}`, {
          method: request.method ?? "GET",
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
          ...(request.method === "POST" && { body: Buffer.concat(chunks) }),
        })
        const type = passed.headers.get("content-type")
        response.writeHead(passed.status, type ? { "content-type": type } : {}).end(Buffer.from(await passed.arrayBuffer()))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0
    return {
      clone_addr: `http://127.0.0.1:${port}/zoe/full.git`,
      close: () => {
        server.closeAllConnections()
        server.close()
      },
    }
  }

  test("goes on where it was broken off, and nothing comes twice", async () => {
    let isDown = true
    const server = await between((path) => (isDown && path.includes("/issues?") && path.includes("page=2") ? 503 : undefined))
    const { services } = forges.here.hearth
    // Not answered before the job gives up for now: the answer waits, so it is not waited for.
    const asked = forges.ann.call("POST", "/repos/migrate", { clone_addr: server.clone_addr, repo_name: "resumed", ...everything })
    const stuck = await new Promise<{ id: number; cursor: string }>((resolve, reject) => {
      const look = async (): Promise<void> => {
        const row = await services.database.read
          .selectFrom("imports")
          .select(["id", "cursor"])
          .where("remote_url", "=", server.clone_addr)
          .executeTakeFirst()
        if (row?.cursor.includes('"page":2')) resolve(row)
        else setTimeout(() => void look().catch(reject), 100)
      }
      void look().catch(reject)
    })
    const half = await services.database.read.selectFrom("issues").selectAll().where("original_author", "=", "zoe").execute()
    expect(half.length).toBeGreaterThanOrEqual(50)
    isDown = false
    // Beside the job's own next try: whoever comes second leaves it to the other.
    await runImport(services, stuck.id, { signal: new AbortController().signal, isLast: false }).catch(() => undefined)
    const made = await asked
    expect([made.status, made.body.open_issues_count]).toEqual([201, 59])
    const comments = await get("/repos/ann/resumed/issues/comments")
    expect(comments.length).toBe(4)
    server.close()
  }, 60_000)

  test("is refused as a whole where it can't be read", async () => {
    for (const [name, answer, words] of [
      ["odd", '[{"id":"one"}]', "can't be read"],
      ["closed", 403, "403"],
    ] as const) {
      const server = await between((path) => (path.includes("/labels?") ? answer : undefined))
      const made = await forges.ann.call("POST", "/repos/migrate", { clone_addr: server.clone_addr, repo_name: name, ...everything })
      expect([made.status, made.body.message]).toEqual([422, expect.stringContaining(words)])
      expect((await forges.ann.call("GET", `/repos/ann/${name}`)).status).toBe(404)
      server.close()
    }
  })
})
