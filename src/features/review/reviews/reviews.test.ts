/** Slow: nearly every test makes a pull request of its own with its commits, on both databases. */
import { expect } from "vitest"
import { databaseKinds } from "../../../../tests/support/database.ts"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openReviewWorld } from "./testing.ts"

withWorld("reviews", { on: databaseKinds, open: openReviewWorld }, ({ test: it, world }) => {
  const stateOf = ({ state, official, dismissed, stale }: Record<string, unknown>) => ({ state, official, dismissed, stale })

  it("count where a writer gives them, and only the last", async () => {
    const { ann, ben, dee, reviewed } = world
    const pull = await reviewed()
    const first = await pull.must(ben, { event: "APPROVED" })
    expect(first).toMatchObject({ state: "APPROVED", official: true, body: "", commit_id: pull.head, comments_count: 0 })
    expect(first.html_url).toMatch(/\/pulls\/1#issuecomment-\d+$/)
    expect(await pull.must(dee, { event: "APPROVED", body: "Nice." })).toMatchObject({ official: false })
    await pull.must(ben, { event: "REQUEST_CHANGES", body: "Wait." })
    expect((await pull.reviews(ann)).map(stateOf)).toEqual([
      { state: "APPROVED", official: false, dismissed: true, stale: false },
      { state: "APPROVED", official: false, dismissed: false, stale: false },
      { state: "REQUEST_CHANGES", official: true, dismissed: false, stale: false },
    ])
    expect((await pull.get(1)).body.requested_reviewers.map(({ login }: { login: string }) => login)).toEqual(["dee", "ben"])
    expect((await pull.get(1)).body).toMatchObject({ comments: 3, review_comments: 3 })
  })

  it.each([
    ["an approval of one's own", "ann", { event: "APPROVED" }],
    ["a rejection of one's own", "ann", { event: "REQUEST_CHANGES", body: "x" }],
    ["a rejection without words", "ben", { event: "REQUEST_CHANGES", body: " " }],
    ["a comment without words", "ben", { event: "COMMENT", body: "\n" }],
    ["a pending one with nothing", "ben", { body: " " }],
    ["an event that is none", "ben", { event: "APPROVE", body: "x" }],
    ["an event in other letters", "ben", { event: "approved", body: "x" }],
    ["a request as an event", "ben", { event: "REQUEST_REVIEW", body: "x" }],
    ["a commit that is not there", "ben", { event: "APPROVED", commit_id: "1".repeat(40) }],
    ["a commit that is none", "ben", { event: "APPROVED", commit_id: "main" }],
  ] as const)("refuse %s, and write nothing", async (_what, by, body) => {
    const pull = await world.reviewed()
    expect((await pull.review(world[by], body)).status).toBe(422)
    expect(await pull.reviews()).toEqual([])
  })

  it("may be pending with comments on lines alone", async () => {
    const { ann, ben, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(ben, { comments: [{ path: "a.txt", body: "Hm.", new_position: 1 }] })
    expect(made).toMatchObject({ state: "PENDING", body: "", comments_count: 1 })
    expect(await pull.reviews(ann)).toEqual([])
    const submitted = await pull.call(ben, "POST", `reviews/${made.id}`, { event: "COMMENT", body: "That is all." })
    expect([submitted.status, submitted.body.state, submitted.body.comments_count]).toEqual([200, "COMMENT", 1])
  })

  it("are of a commit of the pull request", async () => {
    const { ben, reviewed } = world
    const pull = await reviewed()
    const { merge_base } = (await pull.get(1)).body
    expect(await pull.must(ben, { event: "COMMENT", body: "x", commit_id: pull.head })).toMatchObject({ commit_id: pull.head })
    const refused = await pull.review(ben, { event: "COMMENT", body: "x", commit_id: merge_base })
    expect([refused.status, refused.body.message]).toEqual([422, "[commit_id]: must be the whole id of a commit of the pull request"])
  })

  it("may comment on one's own, but not judge what is closed", async () => {
    const { ann, ben, reviewed } = world
    const pull = await reviewed()
    expect(await pull.must(ann, { event: "COMMENT", body: "Thank you." })).toMatchObject({ state: "COMMENT", official: false })
    await pull.edit(1, { state: "closed" })
    expect((await pull.review(ben, { event: "APPROVED" })).status).toBe(422)
    expect((await pull.review(ben, { event: "REQUEST_CHANGES", body: "x" })).status).toBe(422)
    expect((await pull.review(ben, { event: "COMMENT", body: "A pity." })).status).toBe(200)
  })

  it("are for those who may speak there", async () => {
    const { ann, ben, dee, call, must, reviewed } = world
    const pull = await reviewed()
    expect((await pull.review(undefined, { event: "COMMENT", body: "x" })).status).toBe(401)
    expect((await pull.call(ben, "GET", "reviews/999999")).status).toBe(404)
    expect((await call(ben, `POST ${pull.at}/pulls/99/reviews`, { event: "APPROVED" })).status).toBe(404)
    await must(ann, `PUT ${pull.at}/issues/1/lock`, { lock_reason: "resolved" })
    expect((await pull.review(dee, { event: "COMMENT", body: "x" })).status).toBe(403)
    expect((await pull.review(ben, { event: "COMMENT", body: "x" })).status).toBe(200)
    await must(ann, `DELETE ${pull.at}/issues/1/lock`)
    await must(ann, "PUT /user/blocks/dee")
    expect((await pull.review(dee, { event: "COMMENT", body: "x" })).status).toBe(403)
    await must(ann, "DELETE /user/blocks/dee")
    const hidden = await reviewed({ private: true })
    expect((await hidden.review(dee, { event: "COMMENT", body: "x" })).status).toBe(404)
    expect((await hidden.call(dee, "GET", "reviews")).status).toBe(404)
  })

  it("are dismissed and taken back by administrators, and deleted by their authors", async () => {
    const { ann, ben, dee, reviewed } = world
    const pull = await reviewed()
    const first = await pull.must(ben, { event: "APPROVED", body: "One." })
    const second = await pull.must(ben, { event: "APPROVED", body: "Two." })
    const remark = await pull.must(dee, { event: "COMMENT", body: "Well." })
    const dismiss = (by: string, id: number, body: object = { message: "Things changed." }) =>
      pull.call(by, "POST", `reviews/${id}/dismissals`, body)
    expect((await dismiss(ben, second.id)).status).toBe(403)
    expect((await dismiss(ann, remark.id)).status).toBe(403)
    expect((await dismiss(ann, 999_999)).status).toBe(404)
    expect((await dismiss(ann, second.id, { message: "All.", priors: true })).body).toMatchObject({
      id: second.id,
      dismissed: true,
      official: true,
    })
    expect((await dismiss(ann, second.id)).body.dismissed).toBe(true)
    expect((await pull.timeline(1)).filter((type) => type === "dismiss_review")).toHaveLength(1)

    const back = await pull.call(ann, "POST", `reviews/${first.id}/undismissals`)
    expect(back.body).toMatchObject({ dismissed: false, official: true })
    expect((await pull.call(ann, "POST", `reviews/${second.id}/undismissals`)).body).toMatchObject({ dismissed: false, official: true })
    expect((await pull.call(ann, "GET", `reviews/${first.id}`)).body.official).toBe(false)

    expect((await pull.call(ann, "DELETE", `reviews/${second.id}`)).status).toBe(403)
    expect((await pull.call(undefined, "DELETE", `reviews/${second.id}`)).status).toBe(401)
    expect((await pull.call(ben, "DELETE", `reviews/${second.id}`)).status).toBe(204)
    expect((await pull.call(ben, "GET", `reviews/${second.id}`)).status).toBe(404)
    expect((await pull.call(ben, "GET", `reviews/${first.id}`)).body).toMatchObject({ official: true, dismissed: false })
    expect((await pull.call(world.root, "DELETE", `reviews/${remark.id}`)).status).toBe(204)
    expect((await pull.reviews()).map(({ id }) => id)).toEqual([first.id])
    await pull.edit(1, { state: "closed" })
    expect((await dismiss(ann, first.id)).status).toBe(403)
  })

  it("stay as they are where the repository is archived", async () => {
    const { ann, ben, must } = world
    const pull = await world.reviewed()
    const given = await pull.must(ben, { event: "COMMENT", body: "Fine." })
    const pending = await pull.must(ben, { body: "Not yet.", comments: [{ path: "a.txt", body: "Why 2?", new_position: 2 }] })
    await must(ann, `PATCH ${pull.at}`, { archived: true })
    const before = await pull.reviews(ben)
    for (const [by, method, path, body] of [
      [ben, "POST", "reviews", { event: "COMMENT", body: "One more." }],
      [ben, "POST", `reviews/${pending.id}`, { event: "COMMENT", body: "Done." }],
      [ben, "DELETE", `reviews/${pending.id}`, undefined],
      [ann, "POST", `reviews/${given.id}/dismissals`, { message: "No." }],
      [ann, "POST", `reviews/${given.id}/undismissals`, undefined],
    ] as const)
      expect((await pull.call(by, method, path, body)).status).toBe(423)
    expect(await pull.reviews(ben)).toEqual(before)
    await must(ann, `PATCH ${pull.at}`, { archived: false })
    expect((await pull.call(ben, "POST", `reviews/${pending.id}`, { event: "COMMENT", body: "Done." })).status).toBe(200)
  })

  it("come one page at a time", async () => {
    const { ben, call, reviewed } = world
    const pull = await reviewed()
    for (const body of ["1", "2", "3"]) await pull.must(ben, { event: "COMMENT", body })
    const page = await call(undefined, `GET ${pull.at}/pulls/1/reviews?limit=2&page=2`)
    expect(page.headers.get("x-total-count")).toBe("3")
    expect(page.body.map(({ body }: { body: string }) => body)).toEqual(["3"])
  })

  it("appear in the timeline, in the feed and in the inbox of participants, with mentions and references", async () => {
    const { ann, ben, cyd, must, reviewed } = world
    const pull = await reviewed()
    const issue = await must(ann, `POST ${pull.at}/issues`, { title: "A bug" })
    await must(ann, "PUT /notifications")
    const made = await pull.must(ben, {
      event: "APPROVED",
      body: `Good, @cyd.\nSee #${issue.number}.`,
      comments: [{ path: "a.txt", body: "Nice\nline", new_position: 4 }],
    })
    const entries = await must(ann, `GET ${pull.at}/issues/1/timeline`)
    expect(entries.filter(({ type }: { type: string }) => type === "review" || type === "code")).toMatchObject([
      { type: "review", body: `Good, @cyd.\nSee #${issue.number}.`, review_id: made.id, user: { login: "ben" } },
    ])
    const feed = await must(ben, `GET ${pull.at}/activities/feeds`)
    const rows = feed.filter(({ act_user }: { act_user: { login: string } }) => act_user.login === "ben")
    expect(rows.map(({ op_type, content }: { op_type: string; content: string }) => [op_type, content])).toEqual([
      ["approve_pull_request", "1|Good, @cyd."],
      ["comment_pull", "1|Nice"],
    ])
    for (const told of [ann, cyd])
      expect((await must(told, "GET /notifications")).map(({ subject }: { subject: { title: string } }) => subject.title)).toContain(
        "Bring work",
      )
    const referred = await must(ann, `GET ${pull.at}/issues/${issue.number}/timeline`)
    expect(referred).toMatchObject([{ type: "comment_ref", ref_issue: { number: 1 } }])
  })

  it("that are dismissed, and pull requests that become ready, are in the feed, and comments there are whole", async () => {
    const { ann, ben, call, must, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(ben, { event: "APPROVED", body: "Good." })
    for (const message of ["Things changed.", "Again."])
      expect((await pull.call(ann, "POST", `reviews/${made.id}/dismissals`, { message })).status).toBe(200)
    for (const title of ["WIP: Bring work", "Bring work at last", "Bring all work"]) await must(ann, `PATCH ${pull.at}/pulls/1`, { title })
    const entries = await must(ben, `GET ${pull.at}/activities/feeds`)
    const page = (await pull.get(1)).body.html_url
    expect(entries.slice(0, 3)).toMatchObject([
      { op_type: "pull_request_ready_for_review", content: "1|Bring work at last", act_user: { login: "ann" }, comment: null },
      {
        op_type: "pull_review_dismissed",
        content: "1|ben|Things changed.",
        act_user: { login: "ann" },
        comment: { body: "Things changed.", user: { login: "ann" }, pull_request_url: page, issue_url: "" },
      },
      { op_type: "approve_pull_request", comment: { body: "Good.", user: { login: "ben" }, assets: [] } },
    ])
    // A draft that is closed when its title changes does not become ready.
    await must(ann, `PATCH ${pull.at}/pulls/1`, { title: "WIP: Bring work", state: "closed" })
    await must(ann, `PATCH ${pull.at}/pulls/1`, { title: "Bring work" })
    const [last] = (await call(ben, `GET ${pull.at}/activities/feeds?limit=1`)).body
    expect(last.op_type).toBe("close_pull_request")
  })

  it("are edited and reacted to through the entry that they speak in", async () => {
    const { ann, ben, call, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(ben, { event: "COMMENT", body: "Words.", comments: [{ path: "a.txt", body: "Line.", new_position: 2 }] })
    const header = Number(made.html_url.split("-").at(-1))
    const [line] = await pull.comments(made.id)
    const comments = `${pull.at}/issues/comments`
    expect((await call(ben, `PATCH ${comments}/${header}`, { body: "Other words." })).body).toMatchObject({ body: "Other words." })
    expect((await call(ben, `PATCH ${comments}/${line.id}`, { body: "Other line." })).status).toBe(200)
    expect((await pull.call(ann, "GET", `reviews/${made.id}`)).body.body).toBe("Other words.")
    expect((await pull.comments(made.id)).map(({ body }) => body)).toEqual(["Other line."])
    expect((await call(ann, `POST ${comments}/${line.id}/reactions`, { content: "+1" })).status).toBe(201)
    expect((await call(ann, `GET ${comments}/${line.id}`)).status).toBe(204)
    expect((await call(ben, `DELETE ${comments}/${line.id}`)).status).toBe(204)
    expect((await call(ben, `DELETE ${comments}/${header}`)).status).toBe(204)
    expect((await pull.call(ann, "GET", `reviews/${made.id}`)).body).toMatchObject({ body: "", html_url: "", comments_count: 0 })
  })

  it("count once when many come at the same moment", async () => {
    const { ann, ben, dee, reviewed } = world
    const pull = await reviewed()
    const five = [1, 2, 3, 4, 5]
    await Promise.all(five.map(() => pull.call(ann, "POST", "requested_reviewers", { reviewers: ["dee"] })))
    expect(await pull.reviews()).toMatchObject([{ state: "REQUEST_REVIEW", user: { login: "dee" } }])
    await Promise.all(five.map(() => pull.must(ben, { event: "APPROVED" })))
    await Promise.all(five.map(() => pull.must(dee, { event: "PENDING", body: "Draft." })))
    const found = await pull.reviews(dee)
    expect(found.filter(({ official }) => official)).toHaveLength(1)
    expect(found.filter(({ state }) => state === "PENDING")).toHaveLength(1)
  })
})
