import { createServer, type IncomingMessage } from "node:http"
import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { must, openForges, runJobOf } from "../../code/mirrors/testing.ts"
import type { Caller } from "../../code/repositories/testing.ts"
import { MOST_PEOPLE_CHARACTERS } from "./mapping.ts"

withWorld("runs of imports", { open: openForges }, ({ test, world: forges }) => {
  const settle = () => forges.here.hearth.services.jobs.drain()
  const must200 = (path: string) => must(forges.ann, "GET", path)
  const everything = { issues: true, labels: true, milestones: true, pull_requests: true, releases: true, service: "gitea" }

  /** A repository there, with so many issues. */
  async function filled(name: string, issues: number): Promise<string> {
    const address = await forges.origin(name)
    for (let number = 1; number <= issues; number++)
      await must(forges.zoe, "POST", `/repos/zoe/${name}/issues`, { title: `issue ${number}`, body: "b" })
    return address
  }

  /** A proxy of the other server, that may answer itself. */
  async function between(answer: (path: string, request: IncomingMessage) => Promise<number | undefined> | number | undefined) {
    const server = createServer(async (request, response) => {
      const path = request.url ?? "/"
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const own = await answer(path, request)
      if (own !== undefined) {
        response.writeHead(own, own === 429 ? { "retry-after": "3000" } : {}).end("{}")
        return
      }
      const { host: _, connection: __, "content-length": ___, ...headers } = request.headers
      const passed = await fetch(`${forges.there.hearth.url}${path}`, {
        method: request.method ?? "GET",
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        ...(request.method === "POST" && { body: Buffer.concat(chunks) }),
      })
      const type = passed.headers.get("content-type")
      response.writeHead(passed.status, type ? { "content-type": type } : {}).end(Buffer.from(await passed.arrayBuffer()))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address ? address.port : 0
    return {
      at: (name: string) => `http://127.0.0.1:${port}/zoe/${name}.git`,
      close: () => {
        server.closeAllConnections()
        server.close()
      },
    }
  }

  /** The titles of all issues, by their numbers. */
  async function titles(caller: Caller, at: string): Promise<readonly string[]> {
    const list = async (page: number) => must(caller, "GET", `${at}/issues?state=all&type=issues&limit=50&page=${page}`)
    const all: readonly { readonly title: string; readonly number: number }[] = [...(await list(1)), ...(await list(2))]
    return all.toSorted((one, other) => one.number - other.number).map(({ title }) => title)
  }
  const upTo = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `issue ${index + 1}`)

  test("are looked at before anything is brought", async () => {
    const clone_addr = await filled("seen", 2)
    const preview = await must(forges.ann, "POST", "/repos/migrate/preview", { clone_addr, service: "gitea" })
    expect(preview).toMatchObject({ name: "seen", private: false })
    expect(preview.counts.slice(0, 2)).toEqual([
      { kind: "branches", total: 1 },
      { kind: "tags", total: 0 },
    ])
    expect(preview.counts.find(({ kind }: { kind: string }) => kind === "issues")).toMatchObject({ total: 2 })
    expect(await must(forges.ann, "POST", "/repos/migrate/preview", { clone_addr })).toMatchObject({
      name: "seen",
      counts: [{ total: 1 }, { total: 0 }],
    })
    expect((await forges.ann.call("GET", "/repos/ann/seen")).status).toBe(404)
    for (const wrong of ["ftp://x.example/y", "http://10.0.0.1/a/b.git", clone_addr.replace("seen", "gone")]) {
      const refused = await forges.ann.call("POST", "/repos/migrate/preview", { clone_addr: wrong, service: "gitea" })
      expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("[clone_addr]")])
    }
    expect((await forges.here.anonymous.call("POST", "/repos/migrate/preview", { clone_addr })).status).toBe(401)
  })

  test("stop where they are, go on from there without doubles, and bring what is new when they are repeated", async () => {
    await filled("long", 55)
    const held = Promise.withResolvers<void>()
    let isHeld = true
    let limited = 0
    const server = await between(async (path) => {
      if (!path.includes("/issues?") || !path.includes("page=2")) return undefined
      if (limited > 0) {
        limited--
        return 429
      }
      if (isHeld) await held.promise
      return undefined
    })
    const { services } = forges.here.hearth
    const at = "/repos/ann/long"
    limited = 1
    const options = { clone_addr: server.at("long"), repo_name: "long", ...everything }
    const { answer } = await runJobOf(services, () => forges.ann.call("POST", "/repos/migrate?wait=false", options))
    expect((await answer).status).toBe(201)
    // The other server grants no more requests: it waits, and says until when.
    const waiting = await must200(`${at}/import`)
    expect([waiting.state, Date.parse(waiting.waits_until) > Date.now()]).toEqual(["running", true])
    expect((await forges.ann.call("POST", `${at}/import/start`, {})).status).toBe(409)

    expect((await must(forges.ann, "POST", `${at}/import/stop`)).state).toBe("stopped")
    expect((await must(forges.ann, "POST", `${at}/import/stop`)).state).toBe("stopped")
    for (const [caller, status] of [
      [forges.bob, 403],
      [forges.here.anonymous, 401],
    ] as const)
      for (const verb of ["stop", "start"]) expect((await caller.call("POST", `${at}/import/${verb}`, {})).status).toBe(status)
    const { id } = await must200(`${at}/import`)
    for (const verb of ["stop", "start"]) expect((await forges.bob.call("POST", `/user/imports/${id}/${verb}`, {})).status).toBe(404)
    await services.database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("state", "=", "waiting").execute())
    await settle()
    expect((await titles(forges.ann, at)).length).toBe(50)

    // It goes on, is stopped while a request stalls, and the request is given up.
    expect((await must(forges.ann, "POST", `${at}/import/start`, {})).state).toBe("running")
    const running = settle()
    await expect.poll(() => services.database.read.selectFrom("jobs").select("id").where("state", "=", "running").execute()).not.toEqual([])
    await must(forges.ann, "POST", `${at}/import/stop`)
    await running
    expect((await must200(`${at}/import`)).state).toBe("stopped")
    isHeld = false
    held.resolve()

    // Two starts: one of them goes on.
    const starts = await Promise.all([1, 2].map(() => forges.ann.call("POST", `${at}/import/start`, {})))
    expect(starts.map(({ status }) => status).toSorted()).toEqual([200, 409])
    await settle()
    const done = await must200(`${at}/import`)
    expect([done.state, done.error]).toEqual(["done", ""])
    expect(await titles(forges.ann, at)).toEqual(upTo(55))
    expect((await forges.ann.call("POST", `${at}/import/stop`)).status).toBe(409)

    // There and here something is new; what was changed here stays.
    await must(forges.zoe, "POST", "/repos/zoe/long/issues", { title: "later", body: "b" })
    await must(forges.zoe, "PATCH", "/repos/zoe/long/issues/1", { state: "closed" })
    await forges.commit("long", "trunk", "theirs.txt")
    await must(forges.zoe, "POST", "/repos/zoe/long/branches", { new_branch_name: "new" })
    await must(forges.ann, "POST", `${at}/contents/ours.txt`, { branch: "trunk", content: btoa("x"), message: "ours" })
    await must(forges.ann, "PATCH", `${at}/issues/2`, { title: "ours", body: "ours" })
    await services.database.write((tx) => tx.updateTable("imports").set({ begun_at: 1 }).where("id", "=", id).execute())
    expect((await must(forges.ann, "POST", `${at}/import/start`, {})).state).toBe("running")
    await settle()
    const again = await must200(`${at}/import`)
    expect([again.state, again.id]).toEqual(["done", id])
    expect(await titles(forges.ann, at)).toEqual(["issue 1", "ours", ...upTo(55).slice(2), "later"])
    expect((await must200(`${at}/issues/1`)).state).toBe("closed")
    expect(await must200(`${at}/issues/2`)).toMatchObject({ title: "ours", body: "ours" })
    expect((await must200(`${at}/branches`)).map(({ name }: { name: string }) => name).toSorted()).toEqual(["new", "trunk"])
    expect((await must200(`${at}/contents/ours.txt?ref=trunk`)).name).toBe("ours.txt")
    expect(await must200(`${at}/import/faults`)).toEqual([
      { kind: "references", key: "refs/heads/trunk", message: expect.stringContaining("changed here too") },
      { kind: "branch_rules", key: "", message: expect.stringContaining("does not accept the credentials") },
    ])
    // Nobody was told.
    expect(await must(forges.ann, "GET", "/notifications?all=true")).toEqual([])
    const since = await services.database.read
      .selectFrom("imports")
      .select(["since", "begun_at"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow()
    expect(since.since).toBe(since.begun_at)
    server.close()
  })

  test("end with words where the repository is deleted, and go on where it is renamed", async () => {
    const clone_addr = await filled("moving", 1)
    const { services } = forges.here.hearth
    for (const [name, change, state] of [
      ["renamed", () => forges.ann.call("PATCH", "/repos/ann/renamed", { name: "renamed2" }), "done"],
      ["dropped", () => forges.ann.call("DELETE", "/repos/ann/dropped"), "failed"],
    ] as const) {
      const made = await forges.ann.call("POST", "/repos/migrate?wait=false", { clone_addr, repo_name: name, ...everything })
      expect(made.status).toBe(201)
      await change()
      await settle()
      const [latest] = await must(forges.ann, "GET", "/user/imports?limit=1")
      expect(latest).toMatchObject({ state, repository: state === "done" ? "ann/renamed2" : null })
      expect(latest.error).toBe(state === "done" ? "" : "the repository was deleted meanwhile")
    }
    expect(await services.database.read.selectFrom("imports").select("id").where("phase", "=", "git").execute()).toEqual([])
  })

  test("wait for their turn where there are several, each with its own end", async () => {
    const [one, two, three] = [await filled("one", 1), await filled("two", 1), await filled("three", 0)]
    const gone = one.replace("one", "none")
    const addresses = [one, `${two} second`, gone, three]
    const queued = await must(forges.ann, "POST", "/user/imports", { addresses, service: "gitea", issues: true, private: true })
    expect(queued.map(({ state, repository }: { state: string; repository: unknown }) => [state, repository])).toEqual(
      addresses.map(() => ["queued", null]),
    )
    // One is taken out, and put in again.
    const last = queued.at(-1).id
    expect((await must(forges.ann, "POST", `/user/imports/${last}/stop`)).state).toBe("stopped")
    expect((await forges.bob.call("POST", `/user/imports/${last}/stop`)).status).toBe(404)
    expect(await must(forges.bob, "GET", "/user/imports")).toEqual([])
    await settle()
    await forges.here.hearth.services.database.write((tx) =>
      tx.updateTable("jobs").set({ run_at: 0 }).where("state", "=", "waiting").execute(),
    )
    await settle()
    const after = await must(forges.ann, "GET", "/user/imports?limit=4")
    expect(after.map(({ state, repository }: { state: string; repository: unknown }) => [state, repository]).toReversed()).toEqual([
      ["done", "ann/one"],
      ["done", "ann/second"],
      ["failed", null],
      ["stopped", null],
    ])
    expect(after[1].error).not.toBe("")
    expect((await must200("/repos/ann/second")).private).toBe(true)
    expect((await titles(forges.ann, "/repos/ann/second")).length).toBe(1)
    expect((await must(forges.ann, "POST", `/user/imports/${last}/start`, {})).state).toBe("queued")
    await settle()
    expect((await must200("/repos/ann/three")).empty).toBe(false)
    for (const [wrong, words] of [
      [["ftp://x/y"], "line 1"],
      [[one, two, `${three} one`], "line 3"],
      [[`${one} ..`], "line 1"],
      [[" "], "must have an address"],
    ] as const) {
      const refused = await forges.ann.call("POST", "/user/imports", { addresses: wrong })
      expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining(words)])
    }
    expect((await forges.ann.call("POST", "/user/imports", { addresses: Array.from({ length: 201 }, () => one) })).status).toBe(422)
    const others = await forges.bob.call("POST", "/user/imports", { addresses: [one], repo_owner: "ann" })
    expect(others.status).toBe(403)

    // Who has given it away learns no more of its name.
    const namesOf = async () => (await must200("/user/imports")).map(({ repository }: { repository: string | null }) => repository)
    expect(await namesOf()).toContain("ann/second")
    await must(forges.ann, "POST", "/repos/ann/second/transfer", { new_owner: "bob" })
    await must(forges.bob, "POST", "/repos/ann/second/transfer/accept")
    await must(forges.bob, "PATCH", "/repos/bob/second", { name: "hidden" })
    expect((await forges.ann.call("GET", "/repos/bob/hidden")).status).toBe(404)
    expect((await namesOf()).filter((name: string | null) => name?.startsWith("bob/"))).toEqual([])
    await must(forges.bob, "PATCH", "/repos/bob/hidden", { private: false })
    expect(await namesOf()).toContain("bob/hidden")
  })

  test("name others only for administrators of the site, and people take over what is theirs by a verified address", async () => {
    const { services } = forges.here.hearth
    const clone_addr = await filled("texts", 2)
    const yan = await forges.there.person("yan")
    await must(yan, "POST", "/repos/zoe/texts/issues/1/comments", { body: "by yan" })
    await must(forges.zoe, "POST", "/repos/zoe/texts/releases", { tag_name: "v1", body: "r" })
    const options = { clone_addr, ...everything }
    const refused = await forges.bob.call("POST", "/repos/migrate", { ...options, repo_name: "mapped", people: "zoe = ann" })
    expect(refused.status).toBe(403)
    await forges.bob.call("POST", "/repos/migrate?wait=false", { ...options, repo_name: "texts" })
    await settle()
    const at = "/repos/bob/texts"
    const get = (path: string) => must(forges.bob, "GET", `${at}${path}`)
    expect(await get("/issues/1")).toMatchObject({ user: { login: "bob" }, original_author: "zoe" })

    // Zoe's address there becomes known as verified; another's, and one that is not verified, proves nothing.
    const database = services.database
    const { host } = new URL(clone_addr)
    const { id: zoe } = await database.write((tx) =>
      tx
        .updateTable("imported_people")
        .set({ mail: "zoe@there.example" })
        .where("login", "=", "zoe")
        .where("host", "=", host)
        .returning("id")
        .executeTakeFirstOrThrow(),
    )
    const add = (is_activated: 0 | 1) =>
      database.write((tx) =>
        tx
          .insertInto("emails")
          .values({
            user_id: forges.ann.id,
            email: "zoe@there.example",
            lower_email: "zoe@there.example",
            is_activated,
            is_primary: 0,
            created_at: 0,
          })
          .execute(),
      )
    await add(0)
    expect(await must(forges.ann, "GET", "/user/imports/people")).toEqual([])
    expect((await forges.ann.call("POST", `/user/imports/people/${zoe}`)).status).toBe(404)
    await database.write((tx) => tx.updateTable("emails").set({ is_activated: 1 }).where("email", "=", "zoe@there.example").execute())
    const [own] = await must(forges.ann, "GET", "/user/imports/people")
    expect(own).toMatchObject({ id: zoe, login: "zoe", user: null })
    expect((await forges.bob.call("POST", `/user/imports/people/${zoe}`)).status).toBe(404)
    await must(forges.ann, "POST", `/user/imports/people/${zoe}`)
    await settle()
    expect(await get("/issues/1")).toMatchObject({ user: { login: "ann" }, original_author: "" })
    expect((await get("/issues/1/comments"))[0]).toMatchObject({ user: { login: "bob" }, original_author: "yan" })
    expect((await get("/releases"))[0].author.login).toBe("ann")
    expect((await must(forges.ann, "GET", "/user/imports/people"))[0]).toMatchObject({ user: "ann", waiting: 0 })

    // An administrator says who yan is; nobody else takes them over afterwards.
    const admin = await forges.here.person("ada")
    await database.write((tx) => tx.updateTable("users").set({ is_admin: 1 }).where("id", "=", admin.id).execute())
    const found = await must(admin, "GET", "/admin/imports/people?q=YA")
    expect(found).toEqual([expect.objectContaining({ login: "yan", user: null, waiting: 1 })])
    expect((await forges.bob.call("GET", "/admin/imports/people")).status).toBe(403)
    expect((await admin.call("PUT", `/admin/imports/people/${found[0].id}`, { login: "nobody-here" })).status).toBe(422)
    // As origins bring them that say who reacted.
    const { id: issue } = await get("/issues/1")
    const reaction = { person_id: found[0].id, issue_id: issue, content: "heart", created_at: 1 }
    for (const comment_id of [0, 987_654_321])
      await database.write((tx) =>
        tx
          .insertInto("imported_reactions")
          .values({ ...reaction, comment_id })
          .execute(),
      )
    expect((await must(admin, "GET", "/admin/imports/people?q=YA"))[0].waiting).toBe(3)
    await must(admin, "PUT", `/admin/imports/people/${found[0].id}`, { login: "bob" })
    await settle()
    expect((await get("/issues/1/comments"))[0]).toMatchObject({ user: { login: "bob" }, original_author: "" })
    expect(await get("/issues/1/reactions")).toEqual([
      expect.objectContaining({ content: "heart", user: expect.objectContaining({ login: "bob" }) }),
    ])
    expect((await admin.call("PUT", `/admin/imports/people/${found[0].id}`, { login: "ann" })).status).toBe(409)

    // What was taken over says nothing in another person's later import: its texts wait to be taken over anew.
    await forges.bob.call("POST", "/repos/migrate?wait=false", { ...options, repo_name: "again" })
    await settle()
    expect(await must(forges.bob, "GET", "/repos/bob/again/issues/1")).toMatchObject({ user: { login: "bob" }, original_author: "zoe" })

    // An administrator's file counts; lines that can't be read are named, and its size is bounded.
    for (const [people, words] of [
      ["zoe\n", "line 1"],
      ["# all\nzoe = nobody-here", "line 2"],
    ] as const) {
      const wrong = await admin.call("POST", "/repos/migrate", { ...options, repo_name: "filed", people })
      expect([wrong.status, wrong.body.message]).toEqual([422, expect.stringContaining(words)])
    }
    expect((await admin.call("POST", "/repos/migrate", { ...options, repo_name: "filed", people: "x".repeat(1_000_000) })).status).toBe(422)
    const many = Array.from({ length: 4_000 }, (_, index) => `someone-${index}, bob`).join("\n")
    expect(many.length).toBeLessThan(MOST_PEOPLE_CHARACTERS)
    await must(admin, "POST", "/repos/migrate?wait=false", { ...options, repo_name: "filed", people: `${many}\n"zoe" , BOB` })
    await settle()
    expect(await must(admin, "GET", "/repos/ada/filed/issues/1")).toMatchObject({ user: { login: "bob" }, original_author: "" })
  })
})
