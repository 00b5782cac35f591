import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openReviewWorld } from "./testing.ts"

withWorld("pending reviews", { on: databaseKinds, open: openReviewWorld }, ({ test: it, world }) => {
  const draft = { body: "Draft, @cyd and #1.", comments: [{ path: "a.txt", body: "Why, @cyd?", new_position: 2 }] }
  const line = { path: "a.txt", body: "Later.", old_position: 2 }

  it("are seen by their author and site administrators alone, and leave no trace for others", async () => {
    const { ann, ben, cyd, call, must, root, reviewed } = world
    const pull = await reviewed()
    await must(ann, "PUT /notifications")
    const before = (await pull.get(1)).body
    const made = await pull.must(ben, { event: "PENDING", ...draft })
    expect(made).toMatchObject({ state: "PENDING", body: draft.body, official: false, comments_count: 1 })
    const [comment] = await pull.comments(made.id, ben)
    expect(comment.html_url).toMatch(/\/pulls\/1\/files#issuecomment-\d+$/)
    const header = Number(made.html_url.split("-").at(-1))

    for (const by of [ann, undefined]) {
      const list = await pull.call(by, "GET", "reviews")
      expect([list.body, list.headers.get("x-total-count")]).toEqual([[], "0"])
      expect((await pull.call(by, "GET", `reviews/${made.id}`)).status).toBe(404)
      expect((await pull.call(by, "GET", `reviews/${made.id}/comments`)).status).toBe(404)
      for (const id of [header, comment.id]) expect((await call(by, `GET ${pull.at}/issues/comments/${id}`)).status).toBe(404)
    }
    for (const id of [header, comment.id]) {
      expect((await call(ann, `PATCH ${pull.at}/issues/comments/${id}`, { body: "Mine." })).status).toBe(404)
      expect((await call(ann, `DELETE ${pull.at}/issues/comments/${id}`)).status).toBe(404)
      expect((await call(ann, `POST ${pull.at}/issues/comments/${id}/reactions`, { content: "+1" })).status).toBe(404)
    }
    expect((await pull.call(ann, "POST", `comments/${comment.id}/replies`, { body: "x" })).status).toBe(404)
    expect((await call(ann, `POST ${pull.at}/pulls/comments/${comment.id}/resolve`)).status).toBe(404)
    expect((await pull.call(ann, "POST", `reviews/${made.id}`, { event: "APPROVED" })).status).toBe(404)
    expect((await pull.call(ann, "DELETE", `reviews/${made.id}`)).status).toBe(404)
    expect((await pull.call(ann, "POST", `reviews/${made.id}/dismissals`, {})).status).toBe(404)
    for (const by of [ann, ben])
      expect((await must(by, `GET ${pull.at}/issues/1/timeline`)).map(({ type }: { type: string }) => type)).not.toContain("review")
    expect((await pull.get(1)).body).toEqual(before)
    expect(await must(ann, "GET /notifications")).toEqual([])
    expect(await must(cyd, "GET /notifications")).toEqual([])
    const feed = await must(ben, `GET ${pull.at}/activities/feeds`)
    expect(feed.filter(({ act_user }: { act_user: { login: string } }) => act_user.login === "ben")).toEqual([])

    expect((await pull.call(root, "GET", `reviews/${made.id}`)).body).toMatchObject({ state: "PENDING" })
    expect((await pull.call(root, "POST", `reviews/${made.id}`, { event: "APPROVED" })).status).toBe(403)
    expect((await pull.call(ben, "GET", "reviews")).headers.get("x-total-count")).toBe("1")
  })

  it("are gone on with, and submitted whole with all that follows", async () => {
    const { ann, ben, cyd, must, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(ben, draft)
    const again = await pull.must(ben, { event: "", body: "Draft, @cyd.", comments: [line] })
    expect(again).toMatchObject({ id: made.id, state: "PENDING", body: "Draft, @cyd.", comments_count: 2 })
    const [first] = await pull.comments(made.id, ben)
    expect((await pull.call(ben, "POST", `comments/${first.id}/replies`, { body: "To myself." })).status).toBe(201)

    const submit = (body: object) => pull.call(ben, "POST", `reviews/${made.id}`, body)
    expect((await submit({})).status).toBe(422)
    expect((await submit({ event: "PENDING", body: "x" })).status).toBe(422)
    expect((await submit({ event: "REQUEST_CHANGES", body: "" })).status).toBe(422)
    expect((await pull.call(undefined, "POST", `reviews/${made.id}`, { event: "APPROVED" })).status).toBe(401)
    const done = await submit({ event: "APPROVED" })
    expect(done.body).toMatchObject({ id: made.id, state: "APPROVED", body: "Draft, @cyd.", official: true, comments_count: 3 })
    expect((await submit({ event: "APPROVED" })).status).toBe(422)

    expect((await pull.comments(made.id, ann)).map(({ body }) => body)).toEqual(["Later.", "To myself.", "Why, @cyd?"])
    expect((await pull.comments(made.id, ann))[0].html_url).toMatch(/\/pulls\/1#issuecomment-\d+$/)
    expect((await pull.timeline(1)).filter((type) => type === "review")).toHaveLength(1)
    expect((await pull.get(1)).body).toMatchObject({ comments: 1, review_comments: 1 })
    expect(await must(cyd, "GET /notifications")).toHaveLength(1)
    const feed = await must(ben, `GET ${pull.at}/activities/feeds`)
    const rows = feed.filter(({ act_user }: { act_user: { login: string } }) => act_user.login === "ben")
    expect(rows.map(({ op_type }: { op_type: string }) => op_type)).toEqual([
      "approve_pull_request",
      "comment_pull",
      "comment_pull",
      "comment_pull",
    ])
  })

  it("become what a further review says", async () => {
    const { ben, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(ben, { ...draft, event: "PENDING" })
    const said = await pull.must(ben, { event: "REQUEST_CHANGES", body: "After all.", comments: [line] })
    expect(said).toMatchObject({ id: made.id, state: "REQUEST_CHANGES", body: "After all.", comments_count: 2 })
  })

  it("say something by their comments on lines, or by the text that they have", async () => {
    const { ben, reviewed } = world
    const [onLines, withText] = [{ comments: [line] }, { body: "Draft." }]
    for (const draft of [onLines, withText]) {
      const pull = await reviewed()
      const made = await pull.must(ben, { event: "PENDING", ...draft })
      const done = await pull.call(ben, "POST", `reviews/${made.id}`, { event: "COMMENT", body: " " })
      expect([done.status, done.body]).toEqual([
        200,
        expect.objectContaining({ state: "COMMENT", body: "body" in draft ? draft.body : "" }),
      ])
    }
    // The same by the operation that makes reviews; without anything to say nothing is submitted.
    const pull = await reviewed()
    const submit = (body: object) => pull.call(ben, "POST", "reviews", { event: "COMMENT", ...body })
    expect(await submit({})).toMatchObject({ status: 422, body: { message: expect.stringContaining("requires a body or a comment") } })
    expect(await pull.reviews(ben)).toEqual([])
    const made = await pull.must(ben, { event: "PENDING", ...onLines })
    expect(await submit({})).toMatchObject({ status: 200, body: { id: made.id, state: "COMMENT", comments_count: 1 } })
  })

  it("go when their author deletes them or is deleted", async () => {
    const { ben, dee, must, person, root, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(ben, draft)
    expect((await pull.call(ben, "DELETE", `reviews/${made.id}`)).status).toBe(204)
    expect(await pull.reviews(ben)).toEqual([])
    const eve = await person(`eve${pull.name}`)
    await pull.must(eve, draft)
    await pull.must(eve, { event: "COMMENT", body: "Said." })
    await pull.must(eve, draft)
    await must(root, `DELETE /admin/users/eve${pull.name}`)
    const left = await pull.reviews(root)
    expect(left.map(({ state, user }) => [state, user.login])).toEqual([["COMMENT", "Ghost"]])
    expect((await pull.call(dee, "GET", "reviews")).headers.get("x-total-count")).toBe("1")
  })
})
