import { describe, expect, test as plain } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { type Actor, anonymous, signedInAs } from "../../../core/actor.ts"
import type { IssuePart } from "../../../core/database/expressions.ts"
import { inState } from "../issues/list-store.ts"
import { searchIssueTexts } from "./issues.ts"
import { markWords, snippetOf } from "./snippet.ts"

const PAGE = { number: 1, limit: 20, offset: 0 }

describe("a snippet", () => {
  plain("is around the first word, with all of them marked", () => {
    const text = `${"Before it stands much. ".repeat(10)}\n\n  The *Quokka* jumps; quokkas  jump.${" And after it.".repeat(30)}`
    const snippet = snippetOf(text, "quok JUMP")
    expect(snippet.marks.map(([from, to]) => snippet.text.slice(from, to))).toEqual(["Quok", "jump", "quok", "jump"])
    expect([snippet.isCutBefore, snippet.isCutAfter, snippet.text.length]).toEqual([true, true, 240])
    expect(snippetOf("short", "missing")).toEqual({ text: "short", marks: [], isCutBefore: false, isCutAfter: false })
    expect(snippetOf(`${"x".repeat(500)} word`, "word").text).toBe("word")
    expect(snippetOf("", "a").text).toBe("")
  })
  plain("marks beginnings of words only", () => {
    expect(markWords("ÄRGER mit Ärgernis, kein Geärger", "ärger")).toEqual([
      [0, 5],
      [10, 15],
    ])
  })
})

withHearth("the search of issues", { on: databaseKinds, people: ["ann", "ben"] }, ({ test, forge, call, ann, ben }) => {
  const search = async (name: string | undefined, q: string, parts?: readonly IssuePart[], onlyOpen = false) => {
    const { database } = forge.hearth.services
    const user =
      name === undefined
        ? undefined
        : await database.read.selectFrom("users").selectAll().where("lower_name", "=", name).executeTakeFirstOrThrow()
    const actor: Actor = user ? signedInAs(user) : anonymous
    return searchIssueTexts(database.read, actor, { q, ...(parts && { parts }), conditions: onlyOpen ? [inState(0)] : [] }, PAGE)
  }
  const titles = async (...given: Parameters<typeof search>) => (await search(...given)).rows.map(({ issue }) => issue.title)

  test("looks where it is told to, and marks what it finds", async () => {
    await call(ann, "POST /user/repos", { name: "open" })
    const made = async (title: string, body: string, ...comments: readonly string[]) => {
      const { number } = (await call(ann, "POST /repos/ann/open/issues", { title, body })).body
      for (const text of comments) await call(ann, `POST /repos/ann/open/issues/${number}/comments`, { body: text })
      return number
    }
    await made("A quoll in the title", "Nothing here", "nothing there")
    await made("Second", "There is a Quoll in the body", "and a quoll here")
    const third = await made("Third", "Nothing", "nothing", "the first quoll", "the second quoll")
    const all = ["Third", "Second", "A quoll in the title"]
    const table: readonly (readonly [readonly IssuePart[] | undefined, readonly string[]])[] = [
      [undefined, all],
      [["title", "body", "comments"], all],
      [["title"], ["A quoll in the title"]],
      [["body"], ["Second"]],
      [["comments"], ["Third", "Second"]],
      [
        ["title", "body"],
        ["Second", "A quoll in the title"],
      ],
      [
        ["title", "comments"],
        ["Third", "Second", "A quoll in the title"],
      ],
      [
        ["body", "comments"],
        ["Third", "Second"],
      ],
      [[], []],
    ]
    for (const [parts, expected] of table) expect([parts, await titles("ann", "quol", parts)]).toEqual([parts, expected])
    expect(await titles("ann", "quoll title", ["title"])).toEqual(["A quoll in the title"])
    for (const q of ["", "  ", "!?", "uoll"]) expect(await titles("ann", q)).toEqual([])

    const { rows, total } = await search("ann", "quoll")
    expect(total).toBe(3)
    expect(rows.map(({ titleMarks, snippet }) => [titleMarks, snippet?.text, snippet?.commentId !== undefined])).toEqual([
      [[], "the first quoll", true],
      [[], "There is a Quoll in the body", false],
      [[[2, 7]], undefined, false],
    ])
    await call(ann, `PATCH /repos/ann/open/issues/${third}`, { state: "closed" })
    expect(await titles("ann", "quoll", undefined, true)).toEqual(["Second", "A quoll in the title"])
  })

  test("follows edits and deletion, and finds only what may be read", async () => {
    await call(ann, "POST /user/repos", { name: "hush", private: true })
    await call(ann, "POST /repos/ann/hush/issues", { title: "A bandicoot", body: "one" })
    const { id } = (await call(ann, "POST /repos/ann/hush/issues/1/comments", { body: "a potoroo" })).body
    const seen = async (q: string) => [await titles(undefined, q), await titles("ben", q), await titles("ann", q)]
    expect(await seen("bandicoot")).toEqual([[], [], ["A bandicoot"]])
    expect(await seen("potoroo")).toEqual([[], [], ["A bandicoot"]])
    expect((await call(ann, "PUT /repos/ann/hush/collaborators/ben", { permission: "read" })).status).toBe(204)
    expect((await call(ben, "GET /repos/ann/hush")).status).toBe(200)
    expect(await seen("potoroo")).toEqual([[], ["A bandicoot"], ["A bandicoot"]])
    await call(ann, `PATCH /repos/ann/hush/issues/comments/${id}`, { body: "a bettong" })
    expect([await titles("ann", "potoroo"), await titles("ann", "bettong")]).toEqual([[], ["A bandicoot"]])
    await call(ann, `DELETE /repos/ann/hush/issues/comments/${id}`)
    expect(await titles("ann", "bettong")).toEqual([])
    await call(ann, "PATCH /repos/ann/hush", { has_issues: false })
    expect(await titles("ann", "bandicoot")).toEqual([])
  })

  test("takes as many queries for many as for one", async () => {
    await call(ann, "POST /user/repos", { name: "many" })
    for (let index = 0; index < 12; index++) {
      await call(ann, "POST /repos/ann/many/issues", { title: `An antechinus ${index}`, body: "text" })
      await call(ann, `POST /repos/ann/many/issues/${index + 1}/comments`, { body: `antechinus no. ${index}` })
    }
    const { database } = forge.hearth.services
    const count = async (q: string) => (await statementsOf(database, () => search("ann", q))).length
    expect(await count("antechinus")).toBe(await count("antechinus 7"))
    expect((await search("ann", "antechinus")).rows.every(({ snippet }) => snippet?.commentId !== undefined)).toBe(true)
  })
})
