import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import { issuesOfWithWords, issuesWithWords } from "./expressions.ts"

describe.each(databaseKinds)("the words of issues on %s", (kind) => {
  let fresh: FreshDatabase
  let repository: number
  let issue: number
  beforeAll(async () => {
    fresh = await freshDatabase(kind)
    await fresh.database.write(async (tx) => {
      const at = { created_at: 0, updated_at: 0 }
      const user = await tx
        .insertInto("users")
        .values({ ...at, kind: "person", name: "ann", lower_name: "ann" })
        .returning("id")
        .executeTakeFirstOrThrow()
      const made = await tx
        .insertInto("repositories")
        .values({ ...at, owner_id: user.id, default_branch: "main", object_format: "sha1", name: "box", lower_name: "box", storage: "box" })
        .returning("id")
        .executeTakeFirstOrThrow()
      repository = made.id
      const content = "Ärger: v1.20 von foo.bar@example.com, http://a.example/b?c=d — 日本語 007 it's -5 don't snake_case"
      const row = await tx
        .insertInto("issues")
        .values({ ...at, repository_id: repository, number: 1, is_pull: 0, author_id: user.id, title: "Title", content })
        .returning("id")
        .executeTakeFirstOrThrow()
      issue = row.id
      for (const each of ["comment", "close"])
        await tx
          .insertInto("comments")
          .values({ ...at, issue_id: issue, kind: each, author_id: user.id, content: `said in a ${each}` })
          .execute()
    })
  })
  afterAll(() => fresh.drop())

  const found = async (text: string): Promise<unknown> => {
    const words = issuesWithWords(text)
    if (!words) return undefined
    const { database } = fresh
    return (await database.read.selectFrom("issues").select("id").where(sql<boolean>`id in ${words}`).execute()).length > 0
  }

  it.each([
    "title",
    "TIT",
    "ärger",
    "ÄRGER title",
    "v1",
    "20",
    "v1.20",
    "foo",
    "bar@example.com",
    "example/b",
    "日本",
    "007",
    "it's",
    "5",
    "snake_case",
    "case",
    "comment said",
  ])("are found by %j", async (text) => expect(await found(text)).toBe(true))
  it.each(["itle", "arger", "1.20", "title missing", "title said", "close", "08"])("are not found by %j", async (text) =>
    expect(await found(text)).toBe(false),
  )
  it.each(["", " ", "!'\"*():&|", "\\"])("are not looked for by %j", async (text) => expect(await found(text)).toBe(undefined))

  it("are found in their repository alone, be they few or many", async () => {
    const { database } = fresh
    const inRepository = async (id: number, text: string) =>
      (
        await database.read
          .selectFrom("issues")
          .select("id")
          .where("repository_id", "=", id)
          .where(sql<boolean>`id in ${issuesOfWithWords(id, text)}`)
          .execute()
      ).length
    expect(issuesOfWithWords(repository, "!")).toBe(undefined)
    const all = async () => [
      await inRepository(repository, "title"),
      await inRepository(repository, "said comment"),
      await inRepository(repository, "close"),
    ]
    expect(await all()).toEqual([1, 1, 0])
    // Issues of another repository have the same words, as many as make SQLite look at the repository's own texts.
    await database.write(async (tx) => {
      const { author_id } = await tx.selectFrom("issues").select("author_id").where("id", "=", issue).executeTakeFirstOrThrow()
      const { id: other } = await tx
        .insertInto("repositories")
        .values({
          ...{ created_at: 0, updated_at: 0, default_branch: "main", object_format: "sha1" },
          ...{ owner_id: author_id, name: "other", lower_name: "other", storage: "other" },
        })
        .returning("id")
        .executeTakeFirstOrThrow()
      await sql`insert into issues (repository_id, number, author_id, title, content, created_at, updated_at)
        with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 2500)
        select ${sql.lit(other)}, number, ${sql.lit(author_id)}, 'title said in a comment', '', 0, 0 from numbers`.execute(tx)
    })
    expect(await all()).toEqual([1, 1, 0])
    const { id: other } = await database.read.selectFrom("repositories").select("id").where("name", "=", "other").executeTakeFirstOrThrow()
    expect([await inRepository(other, "title"), await inRepository(other, "close")]).toEqual([2500, 0])
    await database.write((tx) => tx.deleteFrom("repositories").where("id", "=", other).execute())
  })

  it("are read from the index", async () => {
    const words = issuesWithWords("title")
    const plan = await fresh.database.write(async (tx) => {
      // PostgreSQL prefers a sequential scan of tables as small as these.
      if (kind === "postgres") await sql`set local enable_seqscan = off`.execute(tx)
      const explain = kind === "postgres" ? sql`explain` : sql`explain query plan`
      return JSON.stringify((await sql`${explain} select id from issues where id in ${words}`.execute(tx)).rows)
    })
    expect(plan).toContain(kind === "postgres" ? "issues_words" : "VIRTUAL TABLE INDEX")
  })

  it("know nothing of what was rolled back", async () => {
    const { database } = fresh
    const fail = database.write(async (tx) => {
      await tx.updateTable("issues").set({ content: "unwritten" }).where("id", "=", issue).execute()
      throw new Error("stop")
    })
    await expect(fail).rejects.toThrow("stop")
    expect([await found("unwritten"), await found("ärger")]).toEqual([false, true])
    if (kind === "sqlite") await database.write((tx) => sql`insert into issue_words (issue_words) values ('integrity-check')`.execute(tx))
  })

  it("hold texts of any length", async () => {
    const { database } = fresh
    const content = Array.from({ length: 300_000 }, (_, i) => `word${i}`).join(" ")
    await database.write((tx) => tx.updateTable("issues").set({ content }).where("id", "=", issue).execute())
    expect([await found("word1"), await found("ärger")]).toEqual([true, false])
  })

  it("go with what they stand in", async () => {
    const { database } = fresh
    await database.write((tx) => tx.deleteFrom("repositories").where("id", "=", repository).execute())
    for (const word of ["title", "comment", "word1"]) expect(await found(word)).toBe(false)
    if (kind === "sqlite")
      expect(
        (await sql<{ n: number }>`select count(*) as n from issue_words where issue_words match 'word1*'`.execute(database.read)).rows,
      ).toEqual([{ n: 0 }])
  })
})
