import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase, statementsOf } from "../../../tests/support/database.ts"
import { type Shelf, shelfMigrations } from "../../../tests/support/shelf.ts"
import type { Handle } from "./database.ts"
import { contains, containsLower, inList, list } from "./expressions.ts"
import { type Params, query, registeredQueries } from "./query.ts"

const byName = query("test.shelfByName", (db: Handle<Shelf>, p: Params<{ lowerName: string }>) =>
  db.selectFrom("shelves").selectAll().where("lower_name", "=", p.lowerName).where("size", ">=", 0),
)
const all = query("test.allShelves", (db: Handle<Shelf>) => db.selectFrom("shelves").select("name").orderBy("id"))
const among = query(
  "test.shelvesAmong",
  (db: Handle<Shelf>, p: Params<{ ids: readonly number[]; not: readonly string[]; limit: number }>) =>
    db.selectFrom("shelves").select("name").where("id", "in", p.ids).where("lower_name", "not in", p.not).orderBy("id").limit(p.limit),
)
const amongInList = query("test.shelvesInList", (db: Handle<Shelf>, p: Params<{ names: readonly string[] }>) =>
  db.selectFrom("shelves").select("id").where(inList<string, Shelf>("shelves.lower_name", p.names)),
)
const add = query("test.addShelf", (db: Handle<Shelf>, p: Params<{ name: string; lowerName: string; size: number }>) =>
  db.insertInto("shelves").values({ name: p.name, lower_name: p.lowerName, size: p.size }).returning("id"),
)
const resize = query("test.resizeShelf", (db: Handle<Shelf>, p: Params<{ size: number; lowerName: string }>) =>
  db.updateTable("shelves").set({ size: p.size }).where("lower_name", "=", p.lowerName),
)
const searched = query("test.searchShelves", (db: Handle<Shelf>, p: Params<{ needle: string }>) =>
  db
    .selectFrom("shelves")
    .select("name")
    .where((eb) => contains(eb.ref("name"), p.needle))
    .orderBy("id"),
)

describe.each(databaseKinds)("prepared queries: %s", (kind) => {
  let fresh: FreshDatabase<Shelf>
  const shelves = ["Northern Lights", "100% Wool", "under_score", "ÉCOLE Ünïted", "back\\slash"]

  beforeAll(async () => {
    fresh = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations })
    await fresh.database.write(async (tx) => {
      for (const name of shelves) await add(tx, { name, lowerName: name.toLowerCase(), size: 4 })
    })
  })
  afterAll(() => fresh.drop())

  it("answers what the builder answers", async () => {
    const { read } = fresh.database
    const lowerName = "100% wool"
    const built = await read.selectFrom("shelves").selectAll().where("lower_name", "=", lowerName).where("size", ">=", 0).execute()
    expect(built).toHaveLength(1)
    expect(await byName(read, { lowerName })).toEqual(built)
    expect(await byName.first(read, { lowerName })).toEqual(built[0])
    expect(await byName.first(read, { lowerName: "nowhere" })).toBeUndefined()
    expect((await all(read)).map((row) => row.name)).toEqual(shelves)
  })

  it("reads inside a transaction what the transaction wrote", async () => {
    await fresh.database
      .write(async (tx) => {
        const [added] = await add(tx, { name: "Draft", lowerName: "draft", size: 1 })
        expect((await byName.first(tx, { lowerName: "draft" }))?.id).toBe(added?.id)
        expect(await byName.first(fresh.database.read, { lowerName: "draft" })).toBeUndefined()
        throw new Error("enough")
      })
      .catch((error: unknown) => expect(String(error)).toContain("enough"))
    expect(await byName.first(fresh.database.read, { lowerName: "draft" })).toBeUndefined()
  })

  it("counts what it changed", async () => {
    expect(await fresh.database.write((tx) => resize.changes(tx, { size: 9, lowerName: "under_score" }))).toBe(1)
    expect(await fresh.database.write((tx) => resize.changes(tx, { size: 9, lowerName: "nowhere" }))).toBe(0)
    expect((await byName.first(fresh.database.read, { lowerName: "under_score" }))?.size).toBe(9)
  })

  it("keeps one SQL text for lists of any length, empty ones too", async () => {
    const { read } = fresh.database
    const ids = (await read.selectFrom("shelves").select("id").orderBy("id").execute()).map((row) => row.id)
    const seen = await statementsOf(fresh.database, async () => {
      expect(await among(read, { ids, not: ["100% wool"], limit: 2 })).toEqual([{ name: "Northern Lights" }, { name: "under_score" }])
      expect(await among(read, { ids: ids.slice(0, 1), not: [], limit: 10 })).toEqual([{ name: "Northern Lights" }])
      expect(await among(read, { ids: [], not: [], limit: 10 })).toEqual([])
    })
    expect(new Set(seen.map(({ sql }) => sql)).size).toBe(1)
    expect(seen[0]?.name).toBe("test.shelvesAmong")
    expect(await amongInList(read, { names: ["under_score", 'quo"te', "o'neill"] })).toHaveLength(1)
  })

  it("takes lists in builders on the spot as well", async () => {
    const { read } = fresh.database
    const names = ["under_score", "100% wool"]
    const plain = await read.selectFrom("shelves").select("id").where("lower_name", "in", names).orderBy("id").execute()
    expect(await read.selectFrom("shelves").select("id").where("lower_name", "in", list(names)).orderBy("id").execute()).toEqual(plain)
    expect(await read.selectFrom("shelves").select("id").where(inList<string, Shelf>("lower_name", names)).orderBy("id").execute()).toEqual(
      plain,
    )
    expect(await read.selectFrom("shelves").select("id").where("lower_name", "in", list<string>([])).execute()).toEqual([])
  })

  it("finds a text in any letter case, and takes wildcards as they are", async () => {
    const found = async (needle: string) => (await searched(fresh.database.read, { needle })).map((row) => row.name)
    expect(await found("LIGHT")).toEqual(["Northern Lights"])
    expect(await found("école ünÏ")).toEqual(["ÉCOLE Ünïted"])
    expect(await found("0%")).toEqual(["100% Wool"])
    expect(await found("%")).toEqual(["100% Wool"])
    expect(await found("_")).toEqual(["under_score"])
    expect(await found("\\")).toEqual(["back\\slash"])
    expect(await found("")).toHaveLength(5)
    const lower = await fresh.database.read
      .selectFrom("shelves")
      .select("name")
      .where((eb) => containsLower(eb.ref("lower_name"), "école"))
      .execute()
    expect(lower).toEqual([{ name: "ÉCOLE Ünïted" }])
  })

  it("refuses a parameter that is missing, and a single value where a list belongs", async () => {
    const { read } = fresh.database
    const missing = Object.fromEntries([["lower_name", "x"]])
    // @ts-expect-error the type refuses it too
    await expect(byName(read, missing)).rejects.toThrow('test.shelfByName was not given its parameter "lowerName"')
    // @ts-expect-error the type refuses it too
    await expect(among(read, { ids: 3, not: [], limit: 1 })).rejects.toThrow("must be given an array")
  })

  it("refuses a handle that the database didn't make", async () => {
    await expect(byName(fresh.database.read.withoutPlugins(), { lowerName: "x" })).rejects.toThrow("not one that the database made")
  })
})

describe("the registry of queries", () => {
  it("refuses a second query of the same name, and a name that PostgreSQL would cut", () => {
    expect(() => query("test.allShelves", (db: Handle<Shelf>) => db.selectFrom("shelves").select("id"))).toThrow(
      "two prepared queries named test.allShelves",
    )
    expect(() => query(`test.${"x".repeat(60)}`, (db: Handle<Shelf>) => db.selectFrom("shelves").select("id"))).toThrow("longer than 63")
  })

  it("shows the text of every query on both databases", () => {
    expect(registeredQueries().find(({ name }) => name === "test.shelvesAmong")).toEqual({
      name: "test.shelvesAmong",
      sqlite:
        'select "name" from "shelves" where "id" in (select value from json_each(?)) and "lower_name" not in (select value from json_each(?)) order by "id" limit ?',
      postgres: 'select "name" from "shelves" where "id" = any($1) and "lower_name" <> all($2) order by "id" limit $3',
    })
    const names = registeredQueries().map(({ name }) => name)
    expect(names).toEqual([...names].sort())
  })
})
