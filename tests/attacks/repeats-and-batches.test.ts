/*
 * Keys, conditions and batches are ways to have something done that its caller may not do, to read what someone else was answered, or to keep a server busy. Each is tried here.
 */
import { expect } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { withHearth } from "../support/fixture.ts"

interface Result {
  readonly status: number
  readonly body?: { readonly message?: string; readonly [name: string]: unknown }
}

withHearth("keys, conditions and batches", { people: ["ann", "eve"], on: databaseKinds }, ({ test, forge, call, ann, eve }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "secret", private: true })
    await call(ann, "POST /user/repos", { name: "open" })
    await call(ann, "POST /repos/ann/open/issues", { title: "one" })
    await call(ann, "POST /repos/ann/secret/issues", { title: "the plan" })
  })
  const batch = async (caller: string, operations: readonly unknown[], more = {}) => {
    const { status, body } = await call(caller, "POST /batch", { operations, ...more })
    return { status, message: String(body?.message), results: (body?.results ?? []) as readonly Result[] }
  }
  const statuses = ({ results }: { readonly results: readonly Result[] }) => results.map(({ status }) => status)
  const tokenOf = async (name: string, scopes: readonly string[], more = {}) =>
    `token ${(await call(ann, "POST /users/ann/tokens", { name, scopes, ...more })).body.sha1}`
  /** The number of rows of every table. */
  const rows = async () => {
    const { read } = forge.hearth.services.database
    const of = async (table: "issues" | "comments" | "events" | "jobs" | "labels" | "activities") =>
      (
        await read
          .selectFrom(table)
          .select((from) => from.fn.countAll<number>().as("count"))
          .executeTakeFirst()
      )?.count
    return Promise.all([of("issues"), of("comments"), of("events"), of("jobs"), of("labels"), of("activities")])
  }

  test("an answer is given again to the same credential only, and nothing more than that", async () => {
    const key = { "idempotency-key": "guessed" }
    const [one, two] = [await tokenOf("one", ["write:issue"]), await tokenOf("two", ["write:issue"])]
    const send = (caller: string) => call(caller, "POST /repos/ann/secret/issues", { title: "keyed" }, key)
    const first = await send(one)
    expect(first.status).toBe(201)
    expect((await send(two)).body.number).not.toBe(first.body.number)
    expect((await send(eve)).status).toBe(404)
    // A person who is let in, and then no longer.
    await call(ann, "PUT /repos/ann/secret/collaborators/eve", { permission: "write" })
    const hers = await send(eve)
    expect(hers.body.user.login).toBe("eve")
    await call(ann, "DELETE /repos/ann/secret/collaborators/eve")
    expect((await send(eve)).body).toEqual(hers.body)
    expect((await call(eve, "POST /repos/ann/secret/issues", { title: "another" }, key)).status).toBe(422)
    expect((await call(eve, "POST /repos/ann/secret/issues", { title: "keyed" }, { "idempotency-key": "new" })).status).toBe(404)
    expect((await call(eve, "GET /repos/ann/secret/issues/1")).status).toBe(404)
    expect((await call(undefined, "POST /repos/ann/secret/issues", { title: "keyed" }, key)).status).toBeGreaterThanOrEqual(401)
  })

  test("keys that are none are refused, and so is one with another body, place or file", async () => {
    const send = (key: string, path = "/repos/ann/open/issues", title = "k") =>
      call(ann, `POST ${path}`, { title }, { "idempotency-key": key })
    for (const key of ["a b", "x".repeat(256), "é"]) expect((await send(key)).status, key).toBe(422)
    expect((await send("k1")).status).toBe(201)
    for (const other of [send("k1", "/repos/ann/secret/issues"), send("k1", "/repos/ann/open/issues?x=1"), send("k1", undefined, "other")])
      expect((await other).body.message).toContain("[Idempotency-Key]")
    // Reads are not kept.
    const read = await call(ann, "GET /repos/ann/open/issues/1", undefined, { "idempotency-key": "k1", "if-match": '"other"' })
    expect(read.status).toBe(200)
  })

  test("a condition tells nothing of what one may not read", async () => {
    const writes = await tokenOf("writes", ["write:issue"])
    const edit = (caller: string, tag: string) => call(caller, "PATCH /repos/ann/secret/issues/1", { title: "x" }, { "if-match": tag })
    expect((await edit(eve, "*")).status).toBe(404)
    expect((await edit(writes, `"${"x".repeat(5_000)}"`)).status).toBe(422)
    expect((await edit(writes, '"guess"')).status).toBe(412)
  })

  test("a batch does nothing that its caller, its token or its place may not do", async () => {
    const add = (repo: string) => ({ method: "POST", path: `/repos/ann/${repo}/issues`, body: { title: "by eve" } })
    const before = await rows()
    const edit = { method: "PATCH", path: "/repos/ann/open", body: { description: "eve's" } }
    expect(statuses(await batch(eve, [add("secret"), edit, { method: "GET", path: "/admin/users" }]))).toEqual([404, 403, 403])
    const refused = await batch(eve, [add("open"), { method: "GET", path: "/users/ann" }, edit], { atomic: true })
    expect([refused.status, statuses(refused)]).toEqual([422, [424, 424, 403]])
    expect(await rows()).toEqual(before)
    const issues = await tokenOf("issues", ["write:issue"])
    expect(statuses(await batch(issues, [add("open"), edit, { method: "GET", path: "/user" }]))).toEqual([201, 403, 403])
    const limited = await tokenOf("limited", ["all"], { repositories: ["ann/open"] })
    expect(
      statuses(await batch(limited, [add("open"), add("secret"), { method: "POST", path: "/user/repos", body: { name: "new" } }])),
    ).toEqual([201, 404, 403])
    expect((await call(undefined, "POST /batch", { operations: [add("open")] })).status).toBe(401)
    await call(ann, "PATCH /repos/ann/open", { archived: true })
    expect(statuses(await batch(ann, [add("open"), { method: "GET", path: "/repos/ann/open" }]))).toEqual([423, 200])
    await call(ann, "PATCH /repos/ann/open", { archived: false })
  })

  test("nobody else is who calls, and no batch is in a batch", async () => {
    const { results } = await batch(forge.root ?? "", [
      { method: "GET", path: "/user?sudo=ann" },
      { method: "GET", path: "/user?token=x" },
      { method: "POST", path: "/batch", body: { operations: [{ method: "GET", path: "/user" }] } },
      { method: "POST", path: "/api/v1//batch/", body: {} },
      { method: "GET", path: "/repos/ann/open/raw/README.md" },
      { method: "GET", path: "https://elsewhere.example/api/v1/user" },
      { method: "GET", path: "/nothing" },
      { method: "PUT", path: "/user" },
    ])
    expect(results.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 200, 404, 405])
    const { status, body } = await call(forge.root, "POST /batch?sudo=ann", { operations: [{ method: "GET", path: "/user" }] })
    expect([status, body.results[0].body.login]).toEqual([200, "ann"])
  })

  test("answers of others lead nowhere but where the batch says", async () => {
    const use = (path: string, body?: unknown) => ({ method: body === undefined ? "GET" : "POST", path, body })
    const label = (name: string) => use("/repos/ann/open/labels", { name, color: "000000" })
    const { results } = await batch(ann, [
      label("../../../../admin/users?x"),
      label("comments"),
      label(".."),
      use("/repos/ann/open/issues/$0.name"),
      use("/repos/ann/open/issues/$1.name"),
      use("/repos/ann/open/issues/$2.name"),
      use("/repos/ann/open/issues/$0.constructor.name"),
      use("/repos/ann/open/issues", { title: "$0.__proto__" }),
      use("/repos/ann/open/issues", { title: "$99.name" }),
      use("/repos/ann/open/issues", { title: "$10.title" }),
      use("/repos/ann/open/issues/$0.missing"),
      use("/repos/ann/open/issues", { title: "$0" }),
    ])
    expect(statuses({ results })).toEqual([201, 201, 201, 404, 422, 422, 422, 422, 422, 422, 422, 201])
    expect(results[4]?.body?.message).toContain("another operation")
    expect(results[11]?.body?.["title"]).toBe("$0")
    const hidden = await batch(eve, [use("/repos/ann/secret/issues/1"), use("/repos/ann/open/issues", { title: "it says $0.title" })])
    expect(statuses(hidden)).toEqual([404, 424])
    expect(JSON.stringify(hidden.results)).not.toContain("the plan")
  })

  test("deep, long and many are refused before anything is done, and a short batch grows no further than it may", async () => {
    const before = await rows()
    const get = { method: "GET", path: "/version" }
    expect(
      (
        await batch(
          ann,
          Array.from({ length: 501 }, () => get),
        )
      ).status,
    ).toBe(422)
    expect((await batch(ann, [])).status).toBe(422)
    expect((await batch(ann, [{ method: "TRACE", path: "/version" }])).status).toBe(422)
    let deep: unknown = "x"
    for (let depth = 0; depth < 120; depth++) deep = [deep]
    expect((await batch(ann, [{ ...get, body: deep }])).status).toBe(422)
    expect(statuses(await batch(ann, [{ method: "POST", path: "/repos/ann/open/issues", body: { title: "nul \0" } }]))).toEqual([422])
    expect(await rows()).toEqual(before)
    const long = { method: "POST", path: "/repos/ann/open/issues", body: { title: "long", body: "x".repeat(60_000) } }
    const twice = (index: number) => ({ ...long, body: { title: "longer", body: `$${index}.body `.repeat(40) } })
    const grown = await batch(ann, [long, ...Array.from({ length: 8 }, () => twice(0))], { dry_run: true })
    expect(grown.results.at(-1)?.status).toBe(413)
  })

  test("a dry run leaves nothing: no rows, no events, no jobs, also where it does what it must not", async () => {
    const before = await rows()
    const { results } = await batch(
      ann,
      [
        { method: "POST", path: "/repos/ann/open/issues", body: { title: "@eve look" } },
        { method: "POST", path: "/repos/ann/open/issues/$0.number/comments", body: { body: "and here, @eve" } },
        { method: "POST", path: "/repos/ann/open/contents/a.txt", body: { content: "", message: "m" } },
        { method: "POST", path: "/user/repos", body: { name: "dry" } },
        { method: "DELETE", path: "/repos/ann/open/issues/$0.number" },
        { method: "DELETE", path: "/repos/ann/secret" },
      ],
      { dry_run: true },
    )
    expect(results.map(({ status }) => status)).toEqual([201, 201, 422, 422, 204, expect.any(Number)])
    expect(await rows()).toEqual(before)
    expect((await call(ann, "GET /repos/ann/secret")).status).toBe(200)
    expect((await call(ann, "GET /repos/ann/dry")).status).toBe(404)
  })

  test("a caller has one batch at a time, and many heavy ones hold no reader up", async () => {
    const heavy = Array.from({ length: 120 }, (_, index) => ({
      method: "PATCH",
      path: "/repos/ann/open/issues/1",
      body: { title: `title ${index}`, body: `#1 @eve ${index}` },
    }))
    const first = batch(ann, heavy, { atomic: true })
    const second = call(ann, "POST /batch", { operations: heavy.slice(0, 1) })
    const times: number[] = []
    let isDone = false
    const reading = (async () => {
      while (!isDone) {
        const begun = performance.now()
        expect((await call(eve, "GET /repos/ann/open/issues/1")).status).toBe(200)
        times.push(performance.now() - begun)
      }
    })()
    const [done, refused] = [await first, await second]
    isDone = true
    await reading
    expect(refused.status).toBe(429)
    expect(refused.headers.get("retry-after")).not.toBeNull()
    // All of it, or nothing where the machine is too busy for it.
    expect(done.status === 200 ? new Set(statuses(done)) : new Set([201])).toEqual(new Set([201]))
    expect([200, 503, 422]).toContain(done.status)
    // Others are answered in between, and not after it.
    expect(times.length).toBeGreaterThan(5)
  })
})
