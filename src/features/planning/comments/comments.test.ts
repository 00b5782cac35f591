import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openCommentFixture } from "./testing.ts"

withWorld("comments", { on: databaseKinds, open: openCommentFixture }, ({ test, world: talk }) => {
  const at = "/repos/ann/open/issues"
  const issue = async (path: string) => (await talk.call(talk.ann, `GET /repos/ann/${path}`)).body
  const fresh = async (title: string): Promise<number> => (await talk.call(talk.ann, `POST ${at}`, { title })).body.number
  const feedOf = (id: number) =>
    talk.hearth.services.database.read
      .selectFrom("activities")
      .innerJoin("users", "users.id", "activities.receiver_id")
      .select(["users.name", "op_type", "content", "is_hidden"])
      .where("comment_id", "=", id)
      .orderBy("users.name")
      .execute()

  test("are written by users who may read the issue, counted, and published", async () => {
    const number = await fresh("Counted")
    const made = await talk.call(talk.cal, `POST ${at}/${number}/comments`, { body: "first, @dot" })
    expect(made.status).toBe(201)
    const page = `${talk.hearth.url}/ann/open/issues/${number}`
    const { id } = made.body
    expect(made.body).toMatchObject({ body: "first, @dot", html_url: `${page}#issuecomment-${id}`, issue_url: page, pull_request_url: "" })
    expect(made.body).toMatchObject({ assets: [], original_author: "", user: { login: "cal", email: expect.stringContaining("noreply") } })
    expect((await issue(`open/issues/${number}`)).comments).toBe(1)
    expect(await feedOf(id)).toEqual([
      { name: "ann", op_type: "comment_issue", content: `${number}|first, @dot`, is_hidden: 0 },
      { name: "cal", op_type: "comment_issue", content: `${number}|first, @dot`, is_hidden: 0 },
    ])
    for (const told of [talk.ann, talk.dot]) {
      const threads = (await talk.call(told, "GET /notifications")).body
      expect(threads[0].subject).toMatchObject({ title: "Counted", latest_comment_html_url: `${page}#issuecomment-${id}` })
    }
    expect((await talk.call(talk.cal, "GET /notifications")).body).toEqual([])
  })

  test("are refused without a text, to strangers, and where the issue is missing", async () => {
    for (const body of [{}, { body: "" }, { body: null }, { body: 5 }]) {
      const { status, body: refusal } = await talk.call(talk.cal, `POST ${at}/1/comments`, body)
      expect([status, refusal.message]).toEqual([422, expect.stringContaining("[body]")])
    }
    expect(await talk.status(undefined, `POST ${at}/1/comments`, { body: "x" })).toBe(401)
    expect(await talk.status(talk.cal, `POST ${at}/99/comments`, { body: "x" })).toBe(404)
    expect(await talk.status(talk.cal, "POST /repos/ann/hush/issues/1/comments", { body: "x" })).toBe(404)
    expect(await talk.status(undefined, "GET /repos/ann/hush/issues/1/comments")).toBe(404)
    expect(await talk.status(talk.cal, `GET ${at}/99/comments`)).toBe(404)
  })

  test("on a locked issue are for those who may write to it", async () => {
    const number = await fresh("Locked")
    const own = await talk.comment(talk.cal, `open/issues/${number}`, "before")
    await talk.call(talk.ann, `PUT ${at}/${number}/lock`, { lock_reason: "enough" })
    expect(await talk.status(talk.cal, `POST ${at}/${number}/comments`, { body: "x" })).toBe(403)
    expect(await talk.status(talk.ben, `POST ${at}/${number}/comments`, { body: "x" })).toBe(201)
    expect(await talk.status(talk.root, `POST ${at}/${number}/comments`, { body: "x" })).toBe(201)
    // Existing comments may still be edited.
    expect(await talk.status(talk.cal, `PATCH ${at}/comments/${own}`, { body: "y" })).toBe(200)
    expect(await talk.status(talk.cal, `DELETE ${at}/comments/${own}`)).toBe(204)
  })

  test("are refused to users whom the owner or the author has blocked", async () => {
    const eve = await talk.person("eve")
    const theirs = (await talk.call(talk.dot, `POST ${at}`, { title: "By dot" })).body.number
    const own = await talk.comment(eve, `open/issues/${theirs}`, "mine")
    await talk.call(talk.dot, "PUT /user/blocks/eve")
    expect(await talk.status(eve, `POST ${at}/${theirs}/comments`, { body: "x" })).toBe(403)
    expect(await talk.status(eve, `PATCH ${at}/comments/${own}`, { body: "x" })).toBe(403)
    expect(await talk.status(eve, `POST ${at}/1/comments`, { body: "x" })).toBe(201)
    await talk.call(talk.ann, "PUT /user/blocks/eve")
    expect(await talk.status(eve, `POST ${at}/1/comments`, { body: "x" })).toBe(403)
    expect(await talk.status(eve, `DELETE ${at}/comments/${own}`)).toBe(204)
  })

  test("are edited only by their author and by writers", async () => {
    const number = await fresh("Edited")
    const id = await talk.comment(talk.cal, `open/issues/${number}`, "first")
    expect((await talk.call(talk.cal, `PATCH ${at}/comments/${id}`, { body: "second" })).body.body).toBe("second")
    expect((await talk.call(talk.ben, `PATCH ${at}/comments/${id}`, { body: "third" })).body).toMatchObject({
      body: "third",
      user: { login: "cal" },
    })
    expect(await talk.status(talk.dot, `PATCH ${at}/comments/${id}`, { body: "x" })).toBe(403)
    expect(await talk.status(undefined, `PATCH ${at}/comments/${id}`, { body: "x" })).toBe(401)
    expect(await talk.status(talk.cal, `PATCH ${at}/comments/${id}`, { body: "" })).toBe(422)
    expect(await talk.status(talk.ann, `PATCH /repos/ann/hush/issues/comments/${id}`, { body: "x" })).toBe(404)
    expect((await talk.call(talk.dot, `GET ${at}/comments/${id}`)).body.body).toBe("third")
    const version = () =>
      talk.hearth.services.database.read.selectFrom("comments").select("content_version").where("id", "=", id).executeTakeFirst()
    expect(await version()).toEqual({ content_version: 2 })
    expect(await talk.status(talk.cal, `PATCH ${at}/comments/${id}`, { body: "third" })).toBe(200)
    expect(await version()).toEqual({ content_version: 2 })
    // The older path, whose number is ignored.
    expect((await talk.call(talk.cal, `PATCH ${at}/99/comments/${id}`, { body: "fourth" })).body.body).toBe("fourth")
  })

  test("are deleted with everything that belongs to them", async () => {
    const number = await fresh("Emptied")
    const target = await fresh("Target")
    const id = await talk.comment(talk.cal, `open/issues/${number}`, `see #${target}`)
    await talk.call(talk.ann, `POST ${at}/comments/${id}/reactions`, { content: "eyes" })
    const types = async () => (await talk.call(talk.ann, `GET ${at}/${target}/timeline`)).body.map((entry: { type: string }) => entry.type)
    expect(await types()).toEqual(["comment_ref"])
    expect(await talk.status(talk.dot, `DELETE ${at}/comments/${id}`)).toBe(403)
    expect(await talk.status(undefined, `DELETE ${at}/comments/${id}`)).toBe(401)
    expect(await talk.status(talk.ann, `DELETE /repos/ann/hush/issues/comments/${id}`)).toBe(404)
    expect(await talk.status(talk.cal, `DELETE ${at}/${number}/comments/${id}`)).toBe(204)
    expect(await talk.status(talk.cal, `DELETE ${at}/comments/${id}`)).toBe(404)
    expect(await talk.status(talk.cal, `GET ${at}/comments/${id}`)).toBe(404)
    expect((await issue(`open/issues/${number}`)).comments).toBe(0)
    expect((await feedOf(id)).map(({ is_hidden }) => is_hidden)).toEqual([1, 1])
    expect(await types()).toEqual([])
    const left = talk.hearth.services.database.read.selectFrom("reactions").selectAll().where("comment_id", "=", id)
    expect(await left.execute()).toEqual([])
  })

  test("are separate from the other entries of a timeline", async () => {
    const number = await fresh("Entries")
    await talk.call(talk.ann, `PATCH ${at}/${number}`, { title: "Renamed" })
    const [entry] = (await talk.call(talk.ann, `GET ${at}/${number}/timeline`)).body
    expect(entry.type).toBe("change_title")
    expect((await talk.call(talk.ann, `GET ${at}/${number}/comments`)).body).toEqual([])
    expect(await talk.status(talk.ann, `GET ${at}/comments/${entry.id}`)).toBe(204)
    expect(await talk.status(talk.ann, `PATCH ${at}/comments/${entry.id}`, { body: "x" })).toBe(204)
    expect(await talk.status(talk.ann, `DELETE ${at}/comments/${entry.id}`)).toBe(400)
    expect(await talk.status(talk.dot, `PATCH ${at}/comments/${entry.id}`, { body: "x" })).toBe(403)
    expect(await talk.status(talk.ann, `POST ${at}/comments/${entry.id}/reactions`, { content: "+1" })).toBe(404)
    expect(await talk.status(talk.ann, `GET ${at}/comments/${entry.id}/assets`)).toBe(404)
    expect((await talk.call(talk.ann, `GET ${at}/${number}/timeline`)).body).toHaveLength(1)
  })

  test("are listed for an issue and for a repository, by the time of their last change", async () => {
    const number = await fresh("Old")
    const ids = [
      await talk.comment(talk.ben, `open/issues/${number}`, "a"),
      await talk.comment(talk.cal, `open/issues/${number}`, "b"),
      await talk.comment(talk.ben, `open/issues/${number}`, "c"),
    ]
    const { database } = talk.hearth.services
    await database.write(async (tx) => {
      for (const [index, id] of ids.entries())
        await tx
          .updateTable("comments")
          .set({ created_at: 1000 + index, updated_at: 1010 - 10 * index })
          .where("id", "=", id)
          .execute()
    })
    const list = async (path: string) => {
      const { body, headers } = await talk.call(talk.dot, `GET ${path}`)
      return [body.map(({ body }: { body: string }) => body).join(""), headers.get("x-total-count")]
    }
    const moment = (seconds: number) => new Date(seconds * 1000).toISOString()
    const of = `${at}/${number}/comments`
    expect(await list(of)).toEqual(["abc", "3"])
    expect(await list(`${of}?limit=1&page=2`)).toEqual(["abc", "3"])
    expect(await list(`${of}?since=${moment(1000)}`)).toEqual(["ab", "2"])
    expect(await list(`${of}?before=${moment(1000)}`)).toEqual(["bc", "2"])
    expect(await list(`${of}?since=${moment(991)}&before=${moment(1009)}`)).toEqual(["b", "1"])
    expect(await list(`${of}?since=&before=0001-01-01T00:00:00Z`)).toEqual(["abc", "3"])
    expect(await list(`${at}/comments?before=${moment(1010)}`)).toEqual(["abc", "3"])
    expect(await list(`${at}/comments?before=${moment(1010)}&limit=2&page=2`)).toEqual(["c", "3"])
    expect(await list(`${at}/comments?before=${moment(1010)}&limit=2&page=9`)).toEqual(["", "3"])
    for (const path of [of, `${at}/comments`, `${at}/${number}/timeline`])
      for (const query of ["since=monday", "before=2001-13-01T00:00:00Z"])
        expect(await talk.status(talk.dot, `GET ${path}?${query}`)).toBe(422)
  })

  test("of pull requests are shown to those who read pull requests", async () => {
    const { database } = talk.hearth.services
    const number = await fresh("Pull")
    const id = await talk.comment(talk.ben, `open/issues/${number}`, "on a pull request")
    await database.write(async (tx) => {
      await tx.updateTable("issues").set({ is_pull: 1 }).where("title", "=", "Pull").execute()
      await tx.updateTable("repositories").set({ is_empty: 0 }).where("lower_name", "=", "open").execute()
    })
    const found = async () => {
      const all = (await talk.call(talk.dot, `GET ${at}/comments`)).body
      return all.filter((comment: { id: number }) => comment.id === id).length
    }
    expect(await found()).toBe(1)
    const page = `${talk.hearth.url}/ann/open/pulls/${number}`
    expect((await talk.call(talk.dot, `GET ${at}/comments/${id}`)).body).toMatchObject({ issue_url: "", pull_request_url: page })
    await talk.call(talk.ann, "PATCH /repos/ann/open", { has_pull_requests: false })
    expect(await found()).toBe(0)
    expect(await talk.status(talk.dot, `GET ${at}/comments/${id}`)).toBe(404)
    expect(await talk.status(talk.ben, `DELETE ${at}/comments/${id}`)).toBe(404)
    expect(await talk.status(talk.dot, `GET ${at}/${number}/timeline`)).toBe(404)
    await talk.call(talk.ann, "PATCH /repos/ann/open", { has_pull_requests: true })
  })

  test("of accounts that are gone are the ghost's", async () => {
    await talk.person("gus")
    const gus = await talk.person("guy")
    const number = await fresh("Ghost")
    await talk.comment(gus, `open/issues/${number}`, "boo")
    expect(await talk.status(talk.root, "DELETE /admin/users/guy")).toBe(204)
    const [comment] = (await talk.call(talk.dot, `GET ${at}/${number}/comments`)).body
    expect(comment).toMatchObject({ body: "boo", user: { id: -1, login: "Ghost" } })
  })

  test("are refused in an archived repository, before any other refusal", async () => {
    const id = await talk.comment(talk.cal, "open/issues/1", "still")
    await talk.call(talk.ann, "PATCH /repos/ann/open", { archived: true })
    for (const [route, body] of [
      [`POST ${at}/1/comments`, { body: "" }],
      [`PATCH ${at}/comments/${id}`, { body: "" }],
      [`DELETE ${at}/comments/${id}`, undefined],
      [`PATCH ${at}/1/comments/${id}`, { body: "x" }],
      [`DELETE ${at}/1/comments/${id}`, undefined],
      [`POST ${at}/1/reactions`, { content: "+1" }],
      [`DELETE ${at}/comments/${id}/reactions`, { content: "+1" }],
    ] as const)
      expect([route, await talk.status(talk.cal, route, body)]).toEqual([route, 423])
    expect(await talk.status(undefined, `POST ${at}/1/comments`, { body: "x" })).toBe(401)
    expect(await talk.status(talk.cal, `GET ${at}/comments/${id}`)).toBe(200)
    await talk.call(talk.ann, "PATCH /repos/ann/open", { archived: false })
    expect(await talk.status(talk.cal, `DELETE ${at}/comments/${id}`)).toBe(204)
  })
})
