/*
 * Someone writes comments of 33 MB: nothing but the request's body had a limit. Everyone who then reads the issue or the feed makes the server hold and write gigabytes, without an
 * account. Now every text of people has a bound, `limits.textBytes`, which is held at the one door of bodies and said by the name of the field; a body without files has one
 * as a whole, before it is read; and imported texts are cut.
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { longestTickOf } from "../support/ticks.ts"
import { visit } from "../support/visitor.ts"

const LONG = "x".repeat(256 * 1024)
const TOO_LONG = `${LONG}x`

withHearth("texts that are too long", { people: ["ann"] }, ({ test, forge, call, status, ann }) => {
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
    await call(ann, "POST /repos/ann/tool/issues", { title: "one" })
  })

  test("are refused by their name, whatever they are the text of", async () => {
    for (const [request, body, field] of [
      ["POST /repos/ann/tool/issues", { title: "two", body: TOO_LONG }, "body"],
      ["POST /repos/ann/tool/issues/1/comments", { body: TOO_LONG }, "body"],
      // Half as many characters, of two bytes each.
      ["POST /repos/ann/tool/issues/1/comments", { body: "ä".repeat(128 * 1024 + 1) }, "body"],
      ["PATCH /repos/ann/tool/issues/1", { body: TOO_LONG }, "body"],
      ["POST /repos/ann/tool/releases", { tag_name: "v1", body: TOO_LONG }, "body"],
      ["POST /repos/ann/tool/milestones", { title: "first", description: TOO_LONG }, "description"],
      ["POST /repos/ann/tool/issues", { title: TOO_LONG }, "title"],
    ] as const) {
      const { status: answered, body: said } = await call(ann, request, body)
      expect([answered, said.message]).toEqual([422, `[${field}]: must have at most 262144 bytes`])
    }
    // Each issue in a list bears its labels.
    const label = { name: "bug", color: "ff0000", description: "x".repeat(1001) }
    expect((await call(ann, "POST /repos/ann/tool/labels", label)).body.message).toBe(
      "[description]: must not have more than 1000 characters",
    )
    expect(await status(ann, "POST /repos/ann/tool/issues/1/comments", { body: LONG })).toBe(201)
    // A title is cut, as it always was.
    expect(await status(ann, "POST /repos/ann/tool/issues", { title: "x".repeat(5000) })).toBe(201)
  })

  test("are refused before they are read where the body is larger than any text", async () => {
    const longest = await longestTickOf(async () => {
      expect(await status(ann, "POST /repos/ann/tool/issues/1/comments", { body: "x".repeat(8 * 2 ** 20) })).toBe(413)
    })
    expect(longest).toBeLessThan(250)
  })

  test("of an issue together are cut in its list and on its page, also those from before there was a bound", async () => {
    const { database, now } = forge.hearth.services
    const { number } = (await call(ann, "POST /repos/ann/tool/issues", { title: "many" })).body
    const first = (await call(ann, `POST /repos/ann/tool/issues/${number}/comments`, { body: "first" })).body
    const { issue_id, author_id } = await database.read
      .selectFrom("comments")
      .select(["issue_id", "author_id"])
      .where("id", "=", first.id)
      .executeTakeFirstOrThrow()
    const at = now()
    await database.write(async (tx) => {
      for (let made = 0; made < 30; made++)
        await tx
          .insertInto("comments")
          .values({ issue_id, author_id, kind: "comment", content: made === 25 ? LONG.repeat(8) : LONG, created_at: at, updated_at: at })
          .execute()
    })
    const sizes: number[] = []
    const longest = await longestTickOf(async () => {
      const listed = await call(ann, `GET /repos/ann/tool/issues/${number}/comments`)
      expect(listed.body).toHaveLength(31)
      sizes.push(listed.body.reduce((sum: number, { body }: { body: string }) => sum + body.length, 0))
      sizes.push((await (await visit(forge, "ann")).get(`/ann/tool/issues/${number}`)).html.length)
    })
    for (const size of sizes) expect(size).toBeLessThan(5 * 2 ** 20)
    expect(longest).toBeLessThan(250)
    // On its own each is whole.
    const longer = await database.read
      .selectFrom("comments")
      .select("id")
      .where("issue_id", "=", issue_id)
      .orderBy("id")
      .offset(26)
      .limit(1)
      .execute()
    expect((await call(ann, `GET /repos/ann/tool/issues/comments/${longer[0]?.id}`)).body.body).toHaveLength(8 * LONG.length)
  })

  test("come back with the form where they were typed into one", async () => {
    const { send } = await visit(forge, "ann")
    const { html, status: answered } = await send("/ann/tool/issues/1/comments", { body: TOO_LONG })
    expect(answered).toBe(422)
    expect(html.includes("must have at most 262144 bytes")).toBe(true)
    expect((html.match(/x+/g) ?? []).some(({ length }) => length === TOO_LONG.length)).toBe(true)
  })
})
