import { describe, expect, it } from "vitest"
import { queryRefusals, readRefusals, writeRefusals } from "./queries.ts"
import { OTHER_WRITERS, QUERIES_OUTSIDE_STORES, UPWARD_READS } from "./tables.ts"

const pairs = (listed: typeof OTHER_WRITERS) =>
  Object.entries(listed).flatMap(([table, folders]) => Object.keys(folders).map((folder) => ({ table, folder })))

describe("the check of queries", () => {
  const before = QUERIES_OUTSIDE_STORES.map((folder) => [`${folder}/old.ts`, 'db.selectFrom("users")'] as const)
  const more = (file: string, text: string) => queryRefusals([...before, [file, text]])

  it("keeps them in stores", () => {
    for (const file of ["features/new/feature/rules.ts", "pages/search/page.ts", "access/policies/code.ts", "features/new/restore.ts"])
      expect(more(file, 'first\n  .selectFrom("users")')).toEqual([expect.stringContaining(`${file}:2 has a query of its own`)])
    for (const file of ["features/code/stars/store.ts", "features/code/stars/list-store.ts", "core/database/lock.ts"])
      expect(more(file, 'db.selectFrom("stars")')).toEqual([])
    expect(more("pages/search/page.ts", "findStars(db)")).toEqual([])
  })
  it("keeps conditions out of pages, servers and operations", () => {
    for (const file of ["pages/search/page.ts", "servers/web/raw.ts", "features/new/feature/edit-operations.ts"])
      expect(more(file, "sql<number>`1`")).toHaveLength(1)
    expect(more("features/new/feature/filters.ts", "sql<number>`1`")).toEqual([])
  })
  it("asks for the end of what is listed without need", () => {
    if (before.length > 0) expect(queryRefusals(before.slice(1))).toEqual([expect.stringContaining("has its queries in stores")])
  })
})

describe("the check of writers", () => {
  const before = pairs(OTHER_WRITERS).map(({ table, folder }) => [`${folder}/old.ts`, `db.updateTable("${table}")`] as const)
  const more = (file: string, text: string) => writeRefusals([...before, [file, text]])

  it("lets only the owner of a table write it, and others as they are listed", () => {
    expect(more("features/code/stars/store.ts", 'db.insertInto("stars")')).toEqual([])
    expect(more("features/code/stars/below/store.ts", 'db\n .insertInto("stars")')).toEqual([])
    for (const text of ['db.deleteFrom("stars")', "sql`delete from stars where id = 1`", "sql<number>`update stars set id = 1`"])
      expect(more("features/planning/labels/rules.ts", text)).toEqual([expect.stringContaining("which is features/code/stars's")])
    expect(more("features/planning/labels/rules.ts", 'db.deleteFrom("pins")')).toEqual([expect.stringContaining("has no owner")])
    expect(more("features/planning/labels/rules.ts", 'db.selectFrom("stars")')).toEqual([])
    expect(writeRefusals(before.slice(1))).toEqual([expect.stringContaining("nothing is written there any more")])
  })
})

describe("the check of readers", () => {
  const before = pairs(UPWARD_READS).map(({ table, folder }) => [`${folder}/old.ts`, `db.selectFrom("${table}")`] as const)
  const more = (file: string, text: string) => readRefusals([...before, [file, text]])

  it("lets groups read their own tables and those of lower groups", () => {
    for (const text of ['db.selectFrom("stars as mine")', 'db.innerJoin("users", "users.id", "stars.user_id")'])
      for (const file of ["features/code/topics/store.ts", "features/planning/labels/store.ts", "access/store.ts", "pages/search/page.ts"])
        expect(more(file, text)).toEqual([])
  })
  it.each([
    'db\n  .selectFrom("stars as mine")',
    'db.selectFrom(["users", "stars"])',
    'db.leftJoin("stars", "stars.user_id", "users.id")',
    "sql`select 1 from users join stars on stars.user_id = users.id`",
  ])("refuses what a lower group reads of a higher one: %s", (text) => {
    expect(more("features/people/blocks/store.ts", text)).toEqual([expect.stringContaining("reads stars, which is features/code/stars's")])
  })
  it("asks for the end of what is listed without need", () => {
    expect(readRefusals(before.slice(1))).toEqual([expect.stringContaining("nothing is read there any more")])
  })
})
