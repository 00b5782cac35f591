import { describe, expect, test } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Caller } from "../../../../tests/support/hearth.ts"
import { isTopic, MOST_TOPICS } from "./rules.ts"

describe("a topic", () => {
  test.each(["a", "0", "c.d-e", "a".repeat(35)])("may be %s", (name) => expect(isTopic(name)).toBe(true))
  test.each(["", "-a", ".a", "A", "ä", "a b", "a_b", "a\n", "a".repeat(36)])("can't be %j", (name) => expect(isTopic(name)).toBe(false))
})

withHearth("topics", { people: ["ann", "ben"], on: databaseKinds }, ({ test, forge, ann, ben }) => {
  test.beforeAll(async () => {
    for (const name of ["box", "other"]) await forge.call(ann, "POST /user/repos", { name })
    await forge.call(ann, "POST /user/repos", { name: "hush", private: true })
    await forge.call(ann, "PUT /repos/ann/box/collaborators/ben", { permission: "write" })
  })

  const status = async (caller: Caller, route: string, body?: object) => (await forge.call(caller, route, body)).status
  const put = (topics: readonly string[], name = "box") => forge.call(ann, `PUT /repos/ann/${name}/topics`, { topics })
  const listed = async (query = "") => {
    const { body, headers } = await forge.call(undefined, `GET /repos/ann/box/topics${query}`)
    return { topics: body.topics, total: headers.get("x-total-count") }
  }
  const found = async (caller: Caller, q: string, more = "") => {
    const { body, headers } = await forge.call(caller, `GET /topics/search?q=${q}${more}`)
    const topics = body.topics.map((topic: { topic_name: string; repo_count: number }) => [topic.topic_name, topic.repo_count])
    return { topics, total: headers.get("x-total-count") }
  }
  const counted = async (name: string) => {
    const { read } = forge.hearth.services.database
    return (await read.selectFrom("topics").select("repositories_count").where("name", "=", name).executeTakeFirst())?.repositories_count
  }

  test("are replaced: in lower case, each once, by name", async () => {
    expect((await put([" Beta ", "alpha", "ALPHA", ""])).status).toBe(204)
    expect(await listed()).toEqual({ topics: ["alpha", "beta"], total: "2" })
    expect(await listed("?limit=1&page=2")).toEqual({ topics: ["beta"], total: "2" })
    expect((await forge.call(undefined, "GET /repos/ann/box")).body.topics).toEqual(["alpha", "beta"])
    expect([await counted("alpha"), await counted("beta")]).toEqual([1, 1])

    expect((await put(["gamma", "beta"])).status).toBe(204)
    expect((await listed()).topics).toEqual(["beta", "gamma"])
    expect([await counted("alpha"), await counted("beta"), await counted("gamma")]).toEqual([0, 1, 1])
  })

  test("come and go one by one", async () => {
    expect((await put(["beta"])).status).toBe(204)
    for (const _ of [1, 2]) expect(await status(ann, "PUT /repos/ann/box/topics/Alpha")).toBe(204)
    expect((await listed()).topics).toEqual(["alpha", "beta"])
    expect(await counted("alpha")).toBe(1)
    expect(await status(ann, "DELETE /repos/ann/box/topics/BETA")).toBe(204)
    expect(await status(ann, "DELETE /repos/ann/box/topics/beta")).toBe(404)
    expect((await listed()).topics).toEqual(["alpha"])
    expect(await counted("beta")).toBe(0)
  })

  test("that are none are refused and named, and nothing changes", async () => {
    expect((await put(["kept"])).status).toBe(204)
    expect(await put(["fine", "-bad", "Not Good"])).toMatchObject({ status: 422, body: { invalidTopics: ["-bad", "not good"] } })
    expect(await forge.call(ann, "PUT /repos/ann/box/topics/not%20good")).toMatchObject({
      status: 422,
      body: { invalidTopics: "not good" },
    })
    expect(await status(ann, "DELETE /repos/ann/box/topics/not%20good")).toBe(422)
    expect(await status(ann, "PUT /repos/ann/box/topics", {})).toBe(422)
    expect(await status(ann, "PUT /repos/ann/box/topics", { topics: "kept" })).toBe(422)
    expect((await listed()).topics).toEqual(["kept"])
  })

  test(`are at most ${MOST_TOPICS}`, async () => {
    const most = Array.from({ length: MOST_TOPICS }, (_, index) => `t${index}`)
    expect(await put([...most, "more"])).toMatchObject({ status: 422, body: { invalidTopics: null } })
    expect((await put(most)).status).toBe(204)
    expect(await status(ann, "PUT /repos/ann/box/topics/more")).toBe(422)
    expect(await status(ann, "PUT /repos/ann/box/topics/t0")).toBe(204)
    expect((await listed()).total).toBe(String(MOST_TOPICS))
    expect((await put([])).status).toBe(204)
    expect(await listed()).toEqual({ topics: [], total: "0" })
    expect(await counted("t0")).toBe(0)
  })

  test("are for administrators to change, archived or not", async () => {
    expect(await status(ben, "PUT /repos/ann/box/topics", { topics: [] })).toBe(403)
    for (const method of ["PUT", "DELETE"]) {
      expect(await status(ben, `${method} /repos/ann/box/topics/old`)).toBe(403)
      expect(await status(undefined, `${method} /repos/ann/box/topics/old`)).toBe(403)
      expect(await status(ben, `${method} /repos/ann/hush/topics/old`)).toBe(404)
    }
    expect(await status(undefined, "PUT /repos/ann/box/topics", { topics: [] })).toBe(401)
    expect(await status(ben, "GET /repos/ann/hush/topics")).toBe(404)
    await forge.call(ann, "PATCH /repos/ann/box", { archived: true })
    expect(await status(ann, "PUT /repos/ann/box/topics/old")).toBe(204)
    await forge.call(ann, "PATCH /repos/ann/box", { archived: false })
  })

  test("are found by callers who can see a repository with them, and only those are counted", async () => {
    await put(["find-rare", "find-shared"], "box")
    await put(["find-shared"], "other")
    await put(["find-shared", "find-secret"], "hush")
    const open = {
      topics: [
        ["find-shared", 2],
        ["find-rare", 1],
      ],
      total: "2",
    }
    expect(await found(undefined, "find-")).toEqual(open)
    expect(await found(ben, "FIND-")).toEqual(open)
    expect(await found(ben, "find-secret")).toEqual({ topics: [], total: "0" })
    expect(await found(ann, "find-")).toEqual({
      topics: [
        ["find-shared", 3],
        ["find-rare", 1],
        ["find-secret", 1],
      ],
      total: "3",
    })
    expect(await found(ann, "find-", "&limit=1&page=2")).toEqual({ topics: [["find-rare", 1]], total: "3" })
    expect((await found(ben, "")).topics).toEqual(expect.arrayContaining(open.topics))
    expect(await status(ben, "GET /topics/search")).toBe(422)
  })

  test("go with a repository that is deleted", async () => {
    expect(await status(ann, "DELETE /repos/ann/other")).toBe(204)
    expect(await counted("find-shared")).toBe(2)
    expect((await found(ben, "find-shared")).topics).toEqual([["find-shared", 1]])
  })
})
