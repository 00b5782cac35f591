import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { ok } from "../../../git/testing.ts"
import { commitIn, push } from "../pulls/testing.ts"
import { openReviewWorld } from "./testing.ts"

const lines = (count: number, of = "line"): string => Array.from({ length: count }, (_, at) => `${of} ${at + 1}\n`).join("")

withWorld("comments on lines", { open: openReviewWorld }, ({ test: it, world }) => {
  it("tell of their line, its surroundings and who touched it last", async () => {
    const { ben, dee, reviewed } = world
    const pull = await reviewed()
    const comments = [
      { path: "a.txt", body: "Why four?", new_position: 4, old_position: 0 },
      { path: "a.txt", body: "Why not two?", old_position: 2, new_position: 9 },
      { path: "a.txt", body: "One.", new_position: 1 },
    ]
    const made = await pull.must(ben, { event: "COMMENT", comments })
    expect(made).toMatchObject({ body: "", comments_count: 3 })
    const base = (await pull.get(1)).body.merge_base
    const found = await pull.comments(made.id, dee)
    const shown = found.map(({ body, position, original_position, commit_id, diff_hunk }) => ({
      body,
      at: [position, original_position],
      commit_id,
      diff_hunk,
    }))
    expect(shown).toEqual([
      { body: "Why not two?", at: [0, 2], commit_id: pull.head, diff_hunk: "@@ -1,3 +1,4 @@\n one\n-two" },
      { body: "One.", at: [1, 0], commit_id: base, diff_hunk: "@@ -1,3 +1,4 @@\n one" },
      { body: "Why four?", at: [4, 0], commit_id: pull.head, diff_hunk: "@@ -2,2 +2,3 @@\n-two\n+2\n three\n+four" },
    ])
    expect(found[0]).toMatchObject({ path: "a.txt", resolver: null, original_commit_id: "", user: { login: "ben" } })
  })

  it("may be about any line of a file, shown by the diff or not, and on either side of a rename", async () => {
    const { ann, ben, must, repository, call } = world
    const place = await repository()
    await place.commit("main", "long.txt", lines(40))
    await place.commit("main", "other.txt", lines(5, "other"))
    const work = await place.clone()
    await ok(work, "checkout", "-q", "-b", "work")
    await ok(work, "mv", "long.txt", "new name.txt")
    await commitIn(work, "new name.txt", lines(40).replace("line 20\n", "twenty\n"))
    expect((await push(work, "work")).code).toBe(0)
    await place.pull("work")
    const at = `${place.at}/pulls/1/reviews`
    const on = (path: string, where: object) => ({ event: "COMMENT", comments: [{ path, body: "x", ...where }] })
    for (const [path, where, hunk] of [
      ["new name.txt", { new_position: 20 }, "@@ -18,3 +18,3 @@\n line 18\n line 19\n-line 20\n+twenty"],
      ["new name.txt", { old_position: 20 }, "@@ -17,7 +17,7 @@ line 16\n line 17\n line 18\n line 19\n-line 20"],
      // The lines up to one that the diff doesn't show are unchanged ones of the file.
      ["new name.txt", { new_position: 2 }, "@@ -1,2 +1,2 @@\n line 1\n line 2"],
      ["long.txt", { old_position: 40 }, "@@ -37,4 +37,4 @@\n line 37\n line 38\n line 39\n line 40"],
      ["other.txt", { new_position: 5 }, "@@ -2,4 +2,4 @@\n other 2\n other 3\n other 4\n other 5"],
      ["other.txt", { new_position: 5, lines: 5 }, "@@ -1,5 +1,5 @@\n other 1\n other 2\n other 3\n other 4\n other 5"],
    ] as const) {
      const { id } = await must(ben, `POST ${at}`, on(path, where))
      const [comment] = await must(ann, `GET ${at}/${id}/comments`)
      expect([path, where, comment.diff_hunk]).toEqual([path, where, hunk])
    }
    for (const [path, where] of [
      ["new name.txt", { new_position: 41 }],
      ["long.txt", { new_position: 1 }],
      ["nothing.txt", { new_position: 1 }],
      ["other.txt", { old_position: 6 }],
      ["other.txt", {}],
      ["other.txt", { new_position: -1 }],
      ["../other.txt", { new_position: 1 }],
      ["", { new_position: 1 }],
    ] as const)
      expect((await call(ben, `POST ${at}`, on(path, where))).status, `${path} ${JSON.stringify(where)}`).toBe(422)
    expect((await must(ann, `GET ${at}`)).length).toBe(6)
  })

  it("follow their lines when the head moves, and stay where they were once these have changed", async () => {
    const { ann, ben, reviewed } = world
    const pull = await reviewed()
    const comments = [
      { path: "a.txt", body: "on 2", new_position: 2 },
      { path: "a.txt", body: "on four", new_position: 4 },
      { path: "a.txt", body: "on two", old_position: 2 },
    ]
    const made = await pull.must(ben, { event: "COMMENT", comments })
    const where = async () =>
      (await pull.comments(made.id)).map(({ body, position, original_position }) => [body, position, original_position])
    await pull.push("a.txt", "zero\none\n2\nthree\nfour\n")
    expect(await where()).toEqual([
      ["on two", 0, 2],
      ["on 2", 3, 0],
      ["on four", 5, 0],
    ])
    await pull.push("a.txt", "one\nTWO\nthree\nfour\n")
    expect(await where()).toEqual([
      ["on two", 0, 2],
      ["on 2", 3, 0],
      ["on four", 4, 0],
    ])
    const [, , four] = await pull.comments(made.id)
    const answer = await pull.call(ann, "POST", `comments/${four.id}/replies`, { body: "So?" })
    expect(answer.body).toMatchObject({
      position: 4,
      pull_request_review_id: made.id,
      diff_hunk: four.diff_hunk,
      commit_id: four.commit_id,
    })
  })

  it("about an older head are put where their lines are now", async () => {
    const { ben, reviewed } = world
    const pull = await reviewed()
    await pull.push("a.txt", "zero\none\nII\nthree\nfour\n")
    const comments = [
      { path: "a.txt", body: "on 2", new_position: 2 },
      { path: "a.txt", body: "on four", new_position: 4 },
    ]
    const made = await pull.must(ben, { event: "APPROVED", commit_id: pull.head.toUpperCase(), comments })
    expect(made).toMatchObject({ stale: true, commit_id: pull.head })
    expect((await pull.comments(made.id)).map(({ body, position }) => [body, position])).toEqual([
      ["on 2", 2],
      ["on four", 5],
    ])
  })

  it("are answered by users who may comment there, with notifications", async () => {
    const { ann, ben, cyd, dee, call, must, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(ben, { event: "COMMENT", body: "Look.", comments: [{ path: "a.txt", body: "Why 2?", new_position: 2 }] })
    const [comment] = await pull.comments(made.id)
    const plain = await must(ann, `POST ${pull.at}/issues/1/comments`, { body: "plain" })
    const issue = await must(ann, `POST ${pull.at}/issues`, { title: "An issue" })
    const onIssue = await must(ann, `POST ${pull.at}/issues/${issue.number}/comments`, { body: "there" })
    const reply = (by: string | undefined, id: number, body: object = { body: "Because, @cyd." }) =>
      pull.call(by, "POST", `comments/${id}/replies`, body)
    await must(ann, "PUT /notifications")

    const first = await reply(dee, comment.id)
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({ path: "a.txt", position: 2, body: "Because, @cyd.", resolver: null, user: { login: "dee" } })
    expect((await reply(ann, first.body.id, { body: "Indeed." })).status).toBe(201)
    expect((await pull.comments(made.id)).map(({ body }) => body)).toEqual(["Why 2?", "Because, @cyd.", "Indeed."])
    expect((await pull.call(ann, "GET", `reviews/${made.id}`)).body.comments_count).toBe(3)
    expect(await pull.reviews()).toHaveLength(1)
    for (const told of [ann, cyd]) expect((await must(told, "GET /notifications")).length).toBeGreaterThan(0)
    const feed = await must(dee, `GET ${pull.at}/activities/feeds`)
    expect(feed.find(({ act_user }: { act_user: { login: string } }) => act_user.login === "dee")).toMatchObject({
      op_type: "comment_pull",
      content: "1|Because, @cyd.",
    })

    expect((await reply(undefined, comment.id)).status).toBe(401)
    for (const body of ["", " \n"]) expect((await reply(dee, comment.id, { body })).status).toBe(422)
    expect((await reply(dee, comment.id, {})).status).toBe(422)
    expect((await reply(dee, 999_999)).status).toBe(404)
    // A comment that is on no line is no review comment.
    for (const { id } of [plain, onIssue]) expect(await reply(dee, id)).toMatchObject({ status: 404, body: undefined })
    await pull.commit("more", "b.txt")
    const other = await pull.pull("more")
    expect((await call(dee, `POST ${pull.at}/pulls/${other}/comments/${comment.id}/replies`, { body: "x" })).status).toBe(404)
    const elsewhere = await reviewed()
    expect((await elsewhere.call(dee, "POST", `comments/${comment.id}/replies`, { body: "x" })).status).toBe(404)
    await must(ann, `PUT ${pull.at}/issues/1/lock`, { lock_reason: "heated" })
    expect((await reply(dee, comment.id)).status).toBe(403)
    await must(ann, `PATCH ${pull.at}`, { archived: true })
    expect((await reply(ann, comment.id)).status).toBe(423)
  })

  it("are resolved by the author and those whose word counts", async () => {
    const { ann, ben, dee, call, must, reviewed } = world
    const pull = await reviewed()
    const made = await pull.must(dee, { event: "COMMENT", comments: [{ path: "a.txt", body: "Why 2?", new_position: 2 }] })
    const [comment] = await pull.comments(made.id)
    const settle = (by: string | undefined, id: number, verb = "resolve") => call(by, `POST ${pull.at}/pulls/comments/${id}/${verb}`)
    const resolver = async () => (await pull.comments(made.id))[0]?.resolver?.login
    expect((await settle(dee, comment.id)).status).toBe(403)
    expect((await settle(undefined, comment.id)).status).toBe(401)
    expect((await settle(ben, comment.id)).status).toBe(204)
    expect(await resolver()).toBe("ben")
    // A second time says nothing new.
    expect((await settle(ann, comment.id)).status).toBe(204)
    expect(await resolver()).toBe("ben")
    expect((await settle(ann, comment.id, "unresolve")).status).toBe(204)
    expect(await resolver()).toBeUndefined()
    const plain = await must(ann, `POST ${pull.at}/issues/1/comments`, { body: "plain" })
    expect((await settle(ann, plain.id)).status).toBe(400)
    expect((await settle(ann, 999_999)).status).toBe(404)
    await must(ann, `PATCH ${pull.at}`, { archived: true })
    expect((await settle(ann, comment.id)).status).toBe(423)
  })
})
