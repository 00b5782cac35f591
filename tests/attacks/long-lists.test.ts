/*
 * Someone gives an issue two thousand labels, adds as many assignees, or asks for as many names at once: the statement had a place for each and SQLite refused it, an error of the
 * server's. Now a list has at most `limits.listItems` entries, said by its name, and what it leads to is written in statements of a bounded size.
 */
import { expect } from "vitest"
import { withHearth } from "../support/fixture.ts"
import { longestTickOf } from "../support/ticks.ts"

const LABELS = 2000
const AT_ONCE = 1000

withHearth("lists that are too long", { people: ["ann"] }, ({ test, forge, call, status, ann }) => {
  const ids: number[] = []
  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "tool", auto_init: true })
    await call(ann, "POST /repos/ann/tool/issues", { title: "one" })
    const { database, now } = forge.hearth.services
    const { id } = (await call(ann, "GET /repos/ann/tool")).body
    await database.write(async (tx) => {
      for (let from = 0; from < LABELS; from += 100) {
        const rows = Array.from({ length: 100 }, (_, index) => ({
          repository_id: id,
          organization_id: null,
          name: `label ${from + index}`,
          description: "",
          color: "ff0000",
          exclusive: 0 as const,
          is_archived: 0 as const,
          created_at: now(),
          updated_at: now(),
        }))
        ids.push(...(await tx.insertInto("labels").values(rows).returning("id").execute()).map((row) => row.id))
      }
    })
  })

  test("are refused by their name", async () => {
    for (const [request, body, field] of [
      ["POST /repos/ann/tool/issues/1/labels", { labels: ids }, "labels"],
      ["POST /repos/ann/tool/issues", { title: "two", labels: ids }, "labels"],
      ["PATCH /repos/ann/tool/issues/1", { assignees: ids.map(() => "ann") }, "assignees"],
      ["PUT /repos/ann/tool/topics", { topics: ids.map((id) => `t${id}`) }, "topics"],
    ] as const) {
      const answer = await call(ann, request, body)
      expect([answer.status, answer.body.message]).toEqual([422, `[${field}]: must have at most ${AT_ONCE} entries`])
    }
  })

  test("of millions of values are refused before they are parsed", async () => {
    const members = `{"more":{${Array.from({ length: 1_000_000 }, (_, index) => `"a${index}":1`).join()}}}`
    const lists = `{"more":[${Array.from({ length: 1000 }, () => `[${"1,".repeat(1000)}1]`).join()}]}`
    const longest = await longestTickOf(async () => {
      // Bodies of files may be as large as any.
      for (const body of [members, lists]) {
        const answer = await call(ann, "POST /repos/ann/tool/contents", body)
        expect([answer.status, answer.body.message]).toEqual([422, "[body]: must have at most 20000 values"])
      }
    })
    expect(longest).toBeLessThan(250)
  })

  test("are written in parts where they are allowed", async () => {
    for (const part of [ids.slice(0, AT_ONCE), ids.slice(AT_ONCE)])
      expect(await status(ann, "POST /repos/ann/tool/issues/1/labels", { labels: part })).toBe(200)
    expect((await call(ann, "GET /repos/ann/tool/issues/1/labels")).body).toHaveLength(LABELS)
    expect(await status(ann, "DELETE /repos/ann/tool/issues/1/labels")).toBe(204)
    const { headers } = await call(ann, "GET /repos/ann/tool/issues/1/timeline")
    expect(headers.get("x-total-count")).toBe(String(2 * LABELS))
  })

  test("of a query are refused too: each name was a condition, and a thousand of them too deep for SQLite", async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `m${index}`).join(",")
    for (const field of ["labels", "milestones"]) {
      const answer = await call(ann, `GET /repos/ann/tool/issues?${field}=${names}`)
      expect([answer.status, answer.body.message]).toEqual([422, `[${field}]: must have at most 100 entries`])
    }
  })
})
