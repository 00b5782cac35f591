import { createServer } from "node:http"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { must, openForges, runJobOf } from "../../code/mirrors/testing.ts"
import { runImport } from "./import.ts"

interface Step {
  readonly name: string
  readonly done: number
  readonly missing: number
}

withWorld("what a server with the same API has", { open: openForges }, ({ test, world: forges }) => {
  let clone_addr: string
  test.beforeAll(async () => {
    clone_addr = await fill()
  })

  const FILES = [
    ["tool.bin", Buffer.from("the tool itself")],
    ["empty.txt", Buffer.alloc(0)],
  ] as const

  /** Uploads a file to the other server. */
  async function attach(path: string, bytes: Buffer) {
    const answer = await fetch(`${forges.there.hearth.url}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `token ${forges.token}`, "content-type": "application/octet-stream" },
      body: new Uint8Array(bytes),
    })
    expect(answer.status).toBe(201)
  }

  /** Creates a repository on the other server with one record of each kind. */
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
    const release = await must(zoe, "POST", `${at}/releases`, { tag_name: "v1", name: "One", body: "it works" })
    for (const [name, bytes] of FILES) await attach(`${at}/releases/${release.id}/assets?name=${name}`, bytes)
    await must(zoe, "PUT", `${at}/topics`, { topics: ["forge", "git"] })
    const yan = await forges.there.person("yan")
    await must(yan, "POST", `${at}/pulls/61/reviews`, { event: "APPROVED", body: "well done" })
    await must(zoe, "POST", `${at}/pulls/61/reviews`, {
      event: "COMMENT",
      body: "",
      comments: [{ path: "open.txt", body: "this line", new_position: 1 }],
    })
    await must(yan, "POST", `${at}/pulls/61/reviews`, { event: "PENDING", body: "not said yet" })
    return address
  }

  const everything = { issues: true, labels: true, milestones: true, pull_requests: true, releases: true, service: "gitea" }
  const get = (path: string) => must(forges.ann, "GET", path)
  const settle = () => forges.here.hearth.services.jobs.drain()

  const imported = async (options: object) => expect((await forges.migrate(options)).status).toBe(201)

  test("is imported with its numbers, times and authors, and without notifications", async () => {
    const made = await forges.migrate({ clone_addr, repo_name: "full", ...everything })
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ open_issues_count: 59, open_pr_counter: 1, release_counter: 1 }),
    ])
    await settle()
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
      comments: (await must(forges.zoe, "GET", "/repos/zoe/full/pulls/61")).comments,
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
    const { assets } = (await get(`${at}/releases`))[0]
    expect(assets.map(({ name, size }: { name: string; size: number }) => [name, size])).toEqual([
      ["tool.bin", 15],
      ["empty.txt", 0],
    ])
    expect(await (await fetch(assets[0].browser_download_url)).text()).toBe("the tool itself")
    expect((await get(`${at}/topics`)).topics).toEqual(["forge", "git"])
    const reviews = await get(`${at}/pulls/61/reviews`)
    expect(reviews).toEqual([
      expect.objectContaining({ state: "APPROVED", body: "well done", official: false, stale: false, dismissed: false }),
      expect.objectContaining({ state: "COMMENT", body: "", comments_count: 1, commit_id: open.head.sha }),
    ])
    const [line] = await get(`${at}/pulls/61/reviews/${reviews[1].id}/comments`)
    expect(line).toMatchObject({ body: "this line", path: "open.txt", position: 1, commit_id: open.head.sha })
    expect(line.diff_hunk).toContain("+open.txt")
    // The user who requested the import has approved nothing.
    const said = [...reviews, line, ...(await get(`${at}/issues/61/timeline`)).filter(({ type }: { type: string }) => type === "review")]
    expect(said.map(({ user }) => user.login)).toEqual(["Ghost", "Ghost", "Ghost", "Ghost", "Ghost"])
    expect((await get(`${at}/import`)).steps.map(({ name, done, missing }: Step) => [name, done, missing])).toEqual([
      ["git", 1, 0],
      ["topics", 1, 0],
      ["milestones", 1, 0],
      ["labels", 1, 0],
      ["issues", 60, 0],
      ["pull_requests", 2, 0],
      ["comments", 4, 0],
      ["reviews", 2, 0],
      ["boards", 0, 0],
      ["branch_rules", 0, 1],
      ["releases", 1, 0],
      ["release_files", 2, 0],
    ])
    expect((await get(`${at}/activities/feeds`)).map(({ op_type }: { op_type: string }) => op_type)).toEqual([])
    expect((await get(`${at}/issues?q=body&limit=1`)).length).toBe(1)
    // New numbers continue after the imported ones.
    expect((await must(forges.ann, "POST", `${at}/issues`, { title: "new here" })).number).toBe(63)
    await must(forges.ann, "POST", `${at}/pulls/61/merge`, { Do: "merge" })
  })

  test("is imported only as far as requested", async () => {
    const made = await forges.migrate({ clone_addr, repo_name: "some", service: "gitea", labels: true })
    expect([made.status, made.body.open_issues_count, made.body.release_counter]).toEqual([201, 0, 0])
    expect((await get("/repos/ann/some/labels")).length).toBe(1)
    expect(await get("/repos/ann/some/milestones")).toEqual([])
  })

  test("is not asked of plain git or for a mirror, and refused of other servers", async () => {
    for (const [repo_name, options] of [
      ["plainly", { service: "git" }],
      ["unnamed", { service: "" }],
      ["mirrored", { mirror: true }],
    ] as const) {
      const made = await forges.migrate({ clone_addr, repo_name, ...everything, ...options })
      expect([made.status, made.body.open_issues_count]).toEqual([201, 0])
    }
    const refused = await forges.migrate({ clone_addr, repo_name: "other", ...everything, service: "onedev" })
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("[issues]")])
    expect((await forges.ann.call("GET", "/repos/ann/other")).status).toBe(404)
  })

  /** A proxy of the other server, except for paths that `answer` has an answer for. */
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

  test("continues where it was interrupted, without duplicates", async () => {
    let isDown = true
    const server = await between((path) => (isDown && path.includes("/issues?") && path.includes("page=2") ? 503 : undefined))
    const { services } = forges.here.hearth
    // The job fails, and waits for its next try; so does the answer.
    const options = { clone_addr: server.clone_addr, repo_name: "resumed", ...everything }
    const { answer } = await runJobOf(services, () => forges.ann.call("POST", "/repos/migrate", options))
    const stuck = await services.database.read
      .selectFrom("imports")
      .select(["id", "cursor"])
      .where("remote_url", "=", server.clone_addr)
      .executeTakeFirstOrThrow()
    // The second page of issues, which come after topics, milestones and labels.
    expect(stuck.cursor).toMatch(/"kind":3,"position":"2:/)
    const half = await services.database.read.selectFrom("issues").selectAll().where("original_author", "=", "zoe").execute()
    expect(half.length).toBeGreaterThanOrEqual(50)
    const seen = await get("/repos/ann/resumed/import")
    expect(seen).toMatchObject({ state: "running", service: "gitea", clone_addr: server.clone_addr, error: expect.stringContaining("503") })
    expect(seen.steps.slice(0, 5)).toEqual([
      { name: "git", state: "done", done: 1, total: 1, missing: 0 },
      { name: "topics", state: "done", done: 1, total: 1, missing: 0 },
      { name: "milestones", state: "done", done: 1, total: 1, missing: 0 },
      { name: "labels", state: "done", done: 1, total: 1, missing: 0 },
      { name: "issues", state: "running", done: 50, total: null, missing: 0 },
    ])
    expect(seen.steps.slice(5).map(({ state }: { state: string }) => state)).not.toContain("done")
    isDown = false
    // Concurrent with the job's own next try: the second one leaves the work to the first.
    await services.database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("state", "=", "waiting").execute())
    await Promise.all([
      settle(),
      runImport(services, stuck.id, { signal: new AbortController().signal, isLast: false }).catch(() => undefined),
    ])
    const made = await answer
    expect([made.status, made.body.open_issues_count]).toEqual([201, 59])
    const comments = await get("/repos/ann/resumed/issues/comments")
    expect(comments.length).toBe(4)
    server.close()
  })

  test("shows how far it is and why it failed, to the repository's administrators", async () => {
    await imported({ clone_addr, repo_name: "shown", ...everything })
    const at = "/repos/ann/shown/import"
    const done = await get(at)
    expect([done.state, done.steps.map(({ state }: { state: string }) => state)]).toEqual(["done", done.steps.map(() => "done")])
    expect(done.steps.find(({ name }: { name: string }) => name === "issues")).toMatchObject({ done: 60, total: 60 })
    expect((await forges.bob.call("GET", at)).status).toBe(403)
    expect((await forges.here.anonymous.call("GET", at)).status).toBe(401)
    await must(forges.ann, "POST", "/user/repos", { name: "own" })
    expect((await forges.ann.call("GET", "/repos/ann/own/import")).status).toBe(404)
    // As if the process had ended in the middle, and the other repository had been deleted.
    const { database } = forges.here.hearth.services
    const { id } = await database.read.selectFrom("imports").select("id").orderBy("id", "desc").executeTakeFirstOrThrow()
    const early = { phase: "git", cursor: "{}", progress: "{}", remote_url: clone_addr.replace("full", "gone") } as const
    await database.write((tx) => tx.updateTable("imports").set(early).where("id", "=", id).execute())
    await runImport(forges.here.hearth.services, id, { signal: new AbortController().signal, isLast: false })
    const failed = await get(at)
    expect(failed).toMatchObject({ state: "failed", error: expect.stringMatching(/credentials|no such repository/) })
    expect(failed.steps.map(({ state }: { state: string }) => state)).toEqual(["failed", ...failed.steps.slice(1).map(() => "waiting")])
  })

  test("files of a private repository come too, and what is no file of that size is left out", async () => {
    const private_addr = await forges.origin("hidden", { private: true })
    const release = await must(forges.zoe, "POST", "/repos/zoe/hidden/releases", { tag_name: "v1" })
    await attach(`/repos/zoe/hidden/releases/${release.id}/assets?name=secret.bin`, Buffer.from("secret"))
    await must(forges.zoe, "POST", "/repos/zoe/hidden/branch_protections", { rule_name: "v*", enable_push: true, required_approvals: 1 })
    const options = { clone_addr: private_addr, service: "gitea", releases: true, pull_requests: true, auth_token: forges.token }
    await imported({ ...options, repo_name: "hidden" })
    expect(await get("/repos/ann/hidden/branch_protections")).toMatchObject([{ rule_name: "v*", enable_push: true, required_approvals: 1 }])
    const [{ assets }] = await get("/repos/ann/hidden/releases")
    expect(assets).toEqual([expect.objectContaining({ name: "secret.bin", size: 6 })])
    const told = JSON.stringify([
      {
        id: 1,
        tag_name: "v1",
        assets: [
          { name: "cut.bin", size: 99, browser_download_url: "SELF/cut" },
          { name: "gone.bin", size: 9, browser_download_url: "SELF/gone" },
          { name: "no address", size: 9, browser_download_url: "nowhere" },
          { name: "huge.bin", size: 2 ** 45, browser_download_url: "SELF/cut" },
        ],
      },
    ])
    let self = ""
    const server = await between((path) =>
      path.includes("/releases?") ? (path.includes("page=1") ? told.replaceAll("SELF", self) : "[]") : path === "/cut" ? "{}" : undefined,
    )
    self = new URL(server.clone_addr).origin
    await imported({ clone_addr: server.clone_addr, repo_name: "cut", service: "gitea", releases: true })
    expect((await get("/repos/ann/cut/releases"))[0].assets).toEqual([])
    const step = (await get("/repos/ann/cut/import")).steps.find(({ name }: Step) => name === "release_files")
    expect(step).toMatchObject({ state: "done", done: 0, missing: 4 })
    server.close()
  })

  test("is brought but for the records that can't be read, which are named", async () => {
    const labels = JSON.stringify([{ id: 7, name: "good" }, { id: 8 }])
    const server = await between((path) => (path.includes("/labels?") ? labels : undefined))
    await imported({ clone_addr: server.clone_addr, repo_name: "partly", ...everything })
    expect((await get("/repos/ann/partly/labels")).map(({ name }: { name: string }) => name)).toEqual(["good"])
    const step = (await get("/repos/ann/partly/import")).steps.find(({ name }: Step) => name === "labels")
    expect(step).toMatchObject({ state: "done", done: 1, missing: 1 })
    const { database } = forges.here.hearth.services
    const faults = database.read.selectFrom("import_faults").select(["kind", "source_key"]).where("kind", "=", "labels")
    expect(await faults.execute()).toEqual([{ kind: "labels", source_key: "8" }])
    server.close()
  })

  test("is refused as a whole where it can't be read", async () => {
    for (const [name, answer, words] of [
      ["odd", '{"id":"one"}', "can't be read"],
      ["closed", 403, "403"],
    ] as const) {
      const server = await between((path) => (path.includes("/labels?") ? answer : undefined))
      const made = await forges.migrate({ clone_addr: server.clone_addr, repo_name: name, ...everything })
      expect([made.status, made.body.message]).toEqual([422, expect.stringContaining(words)])
      expect((await forges.ann.call("GET", `/repos/ann/${name}`)).status).toBe(404)
      server.close()
    }
  })
})
