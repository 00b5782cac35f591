import { expect } from "vitest"
import { withWorld } from "../../../../tests/support/fixture.ts"
import { openReviewWorld } from "./testing.ts"

withWorld("blank texts", { open: openReviewWorld }, ({ test, world }) => {
  const blanks = [" ", "\t\r\n ", "\u00a0", "\u3000\u2028", " ".repeat(300)]

  test("are refused everywhere as empty ones are, and change nothing", async () => {
    const { ann, call, must, reviewed } = world
    const pull = await reviewed()
    const at = pull.at
    await pull.commit("more", "b.txt")
    const issue = await must(ann, `POST ${at}/issues`, { title: "kept" })
    const comment = await must(ann, `POST ${at}/issues/${issue.number}/comments`, { body: "kept" })
    const label = await must(ann, `POST ${at}/labels`, { name: "kept", color: "#00aabb" })
    const milestone = await must(ann, `POST ${at}/milestones`, { title: "kept" })
    const project = await must(ann, `POST ${at}/projects`, { title: "kept", template_type: "basic_kanban" })
    const [column] = await must(ann, `GET ${at}/projects/${project.id}/columns`)
    const mine = await must(ann, "POST /user/projects", { title: "kept" })
    await must(ann, "POST /orgs", { username: "blanks" })
    const review = await pull.must(ann, { event: "COMMENT", comments: [{ path: "a.txt", body: "kept", new_position: 2 }] })
    const [onLine] = await pull.comments(review.id)
    const readings = [
      `${at}/issues/1`,
      `${at}/issues/${issue.number}`,
      `${at}/issues/comments/${comment.id}`,
      `${at}/labels`,
      `${at}/milestones?state=all`,
      `${at}/projects`,
      `${at}/projects/${project.id}/columns`,
      "/user/projects",
      "/orgs/blanks/labels",
      "/orgs/blanks/projects",
      `${at}/pulls?state=all`,
      `${at}/pulls/1/reviews`,
      `${at}/pulls/1/reviews/${review.id}/comments`,
    ]
    const state = () => Promise.all(readings.map((path) => must(ann, `GET ${path}`)))
    const before = await state()

    const pulled = { head: "more", base: "main" }
    const line = { path: "a.txt", new_position: 2 }
    const refused: readonly (readonly [string, string, (text: string) => object])[] = [
      [`POST ${at}/issues`, "title", (title) => ({ title })],
      [`PATCH ${at}/issues/${issue.number}`, "title", (title) => ({ title })],
      [`POST ${at}/pulls`, "title", (title) => ({ title, ...pulled })],
      [`PATCH ${at}/pulls/1`, "title", (title) => ({ title })],
      [`POST ${at}/labels`, "name", (name) => ({ name, color: "#00aabb" })],
      [`PATCH ${at}/labels/${label.id}`, "name", (name) => ({ name })],
      ["POST /orgs/blanks/labels", "name", (name) => ({ name, color: "#00aabb" })],
      [`POST ${at}/milestones`, "title", (title) => ({ title })],
      [`PATCH ${at}/milestones/${milestone.id}`, "title", (title) => ({ title })],
      ...[`${at}/projects`, "/user/projects", "/orgs/blanks/projects"].map(
        (path) => [`POST ${path}`, "title", (title: string) => ({ title })] as const,
      ),
      [`PATCH ${at}/projects/${project.id}`, "title", (title) => ({ title })],
      [`PATCH /user/projects/${mine.id}`, "title", (title) => ({ title })],
      [`POST ${at}/projects/${project.id}/columns`, "title", (title) => ({ title })],
      [`PATCH ${at}/projects/${project.id}/columns/${column.id}`, "title", (title) => ({ title })],
      [`POST ${at}/issues/${issue.number}/comments`, "body", (body) => ({ body })],
      [`PATCH ${at}/issues/comments/${comment.id}`, "body", (body) => ({ body })],
      [`POST ${at}/pulls/1/comments/${onLine.id}/replies`, "body", (body) => ({ body })],
      [`POST ${at}/pulls/1/reviews`, "body", (body) => ({ event: "COMMENT", body })],
      [`POST ${at}/pulls/1/reviews`, "body", (body) => ({ event: "REQUEST_CHANGES", body, comments: [{ ...line, body: "x" }] })],
      [`POST ${at}/pulls/1/reviews`, "body", (body) => ({ event: "PENDING", body })],
      [`POST ${at}/pulls/1/reviews`, "comments", (body) => ({ event: "COMMENT", body: "x", comments: [{ ...line, body }] })],
      [
        `POST ${at}/pulls/1/reviews`,
        "comments",
        (body) => ({
          event: "COMMENT",
          comments: [
            { ...line, body: "x" },
            { ...line, body },
          ],
        }),
      ],
    ]
    for (const [route, field, body] of refused)
      for (const blank of blanks) {
        const { status, body: refusal } = await call(ann, route, body(blank))
        expect([route, blank, status, refusal.message]).toEqual([route, blank, 422, expect.stringContaining(field)])
      }
    // Empty ones are refused too, except by edits that leave such a title alone, as clients send all members.
    for (const [route, field, body] of refused) {
      const { status } = await call(ann, route, body(""))
      const isLeft = /^PATCH \S+\/(issues|pulls|milestones)\/\d+$/.test(route) && field === "title"
      expect([route, status]).toEqual([route, isLeft ? expect.toBeOneOf([200, 201]) : 422])
    }
    const after = await state()
    expect(after.map((record) => stripped(record))).toEqual(before.map((record) => stripped(record)))
  })

  test("around words are no harm", async () => {
    const { ann, must, reviewed } = world
    const { at } = await reviewed()
    const padded = `${" ".repeat(300)}words `
    expect((await must(ann, `POST ${at}/issues`, { title: padded })).title).toBe("words")
    expect((await must(ann, `POST ${at}/milestones`, { title: "  words " })).title).toBe("words")
    expect((await must(ann, `POST ${at}/issues/1/comments`, { body: " words\n" })).body).toBe(" words\n")
  })
})

/** Without the times of the last change. */
const stripped = (record: unknown): unknown =>
  JSON.parse(JSON.stringify(record, (name, value) => (name === "updated_at" ? undefined : value)))
