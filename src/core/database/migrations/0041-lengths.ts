import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"
import { keepTotals } from "./totals.ts"

/** What long lists are ordered and counted by, so that a page of them costs the same however long they are. */
export const lengths = { id: 41, name: "lengths", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await countIssues(db, types)
  await placeComments(db, types)
  await countRepositories(db, types)
  const { index } = tableMaker(db, types)
  await index("issues_by_author", "issues", ["author_id", "repository_id", "number"])
  await sql`create index issues_pinned on issues (repository_id, is_pull, pin_order, id) where pin_order > 0`.execute(db)
  await sql`create index pulls_merged on pulls (repository_id) where is_merged = 1`.execute(db)
  await index("repositories_updated", "repositories", ["updated_at"])
  await index("repositories_created", "repositories", ["created_at"])
  // Most have none: among them the order is that of the ids.
  await sql`create index repositories_stars on repositories (stars_count desc, id)`.execute(db)
  await sql`create index repositories_forks on repositories (forks_count desc, id)`.execute(db)
  await sql`create index repositories_size on repositories ((git_size + lfs_size))`.execute(db)
  await index("labels_name", "labels", ["name"])
  // Who gave a star, or watches, in the order of the list.
  await index("stars_given", "stars", ["repository_id", "created_at", "user_id"])
  await index("watches_begun", "watches", ["repository_id", "created_at", "user_id"])
  await index("follows_begun", "follows", ["followed_id", "created_at", "follower_id"])
  // Few accounts are hidden from anyone.
  await sql`create index users_hidden on users (visibility) where visibility in ('limited', 'private')`.execute(db)
}

async function countIssues(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  const key = ["repository_id", "is_pull", "is_closed"]
  await table(
    "issue_totals",
    { repository_id: "reference", is_pull: "flag", is_closed: "flag", total: "integer" },
    { repository_id: "repositories" },
    key,
  )
  await sql`insert into issue_totals (repository_id, is_pull, is_closed, total)
    select repository_id, is_pull, is_closed, count(*) from issues group by repository_id, is_pull, is_closed`.execute(db)
  await keepTotals(db, types, { table: "issues", totals: "issue_totals", key, seldomMoved: true })
}

/** Where plain comments are: a narrow table, in the order of a repository's list, in which the issue of a comment is found without its text. */
async function placeComments(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "placed_comments",
    { comment_id: "reference", issue_id: "integer", repository_id: "integer", is_pull: "flag", created_at: "time" },
    { comment_id: "comments" },
    ["comment_id"],
  )
  const place = (where: string) => `insert into placed_comments (comment_id, issue_id, repository_id, is_pull, created_at)
    select comments.id, comments.issue_id, issues.repository_id, issues.is_pull, comments.created_at
    from comments join issues on issues.id = comments.issue_id where comments.kind = 'comment'${where}`
  await sql.raw(place("")).execute(db)
  await index("placed_comments_list", "placed_comments", ["repository_id", "created_at", "comment_id", "is_pull"])
  const key = ["repository_id", "is_pull"]
  await table("comment_totals", { repository_id: "reference", is_pull: "flag", total: "integer" }, { repository_id: "repositories" }, key)
  await sql`insert into comment_totals (repository_id, is_pull, total)
    select repository_id, is_pull, count(*) from placed_comments group by repository_id, is_pull`.execute(db)
  await keepTotals(db, types, { table: "placed_comments", totals: "comment_totals", key, seldomMoved: true })
  const move = `update placed_comments set repository_id = new.repository_id, is_pull = new.is_pull
    where comment_id in (select id from comments where issue_id = new.id and kind = 'comment')`
  await follow(db, types, {
    name: "placed_comments_of_new_comment",
    when: "after insert on comments",
    only: "new.kind = 'comment'",
    change: place(" and comments.id = new.id"),
  })
  await follow(db, types, {
    name: "placed_comments_of_issue",
    when: "after update of repository_id, is_pull on issues",
    only: "new.repository_id <> old.repository_id or new.is_pull <> old.is_pull",
    change: move,
  })
}

/** How open each repository is, by itself and its owner, and how many there are of each openness in each language. */
async function countRepositories(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  await db.schema
    .alterTable("repositories")
    .addColumn("openness", types.integer, (column) => column.notNull().defaultTo(2))
    .execute()
  const openness = (row: string, lock: string) => `case when ${row}.is_private = 1 then 2 else
    (select case users.visibility when 'public' then 0 when 'limited' then 1 else 2 end from users where users.id = ${row}.owner_id${lock}) end`
  const open = (where: string) => `update repositories set openness = ${openness("repositories", "")} where ${where}`
  await sql.raw(open("1 = 1")).execute(db)
  const key = ["openness", "language"]
  await table("repository_totals", { openness: "integer", language: "text", total: "integer" }, {}, key)
  await sql`insert into repository_totals (openness, language, total)
    select openness, language, count(*) from repositories group by openness, language`.execute(db)
  await keepTotals(db, types, { table: "repositories", totals: "repository_totals", key, seldomMoved: true })
  await follow(db, types, {
    name: "openness_of_owner",
    when: "after update of visibility on users",
    only: "new.visibility <> old.visibility",
    change: open("owner_id = new.id"),
  })
  if (types.kind === "postgres") {
    // Before the row is written, so that only one of the counts changes, and with the owner as it will stay. Its lock is the one that counting
    // the owner's repositories takes next: two that held a weaker one together would wait for each other.
    await sql
      .raw(
        `create function openness_of_repository() returns trigger language plpgsql as $$
          begin new.openness = ${openness("new", " for no key update")}; return new; end $$`,
      )
      .execute(db)
    await sql`create trigger openness_of_repository before insert or update of is_private, owner_id on repositories
      for each row execute function openness_of_repository()`.execute(db)
    return
  }
  const change = open("id = new.id")
  // Whichever trigger SQLite runs first, there is a count to take it from.
  const counted = "insert into repository_totals (openness, language, total) values (new.openness, new.language, 0) on conflict do nothing"
  await follow(db, types, {
    name: "openness_of_new_repository",
    when: "after insert on repositories",
    only: "1 = 1",
    change: `${counted}; ${change}`,
  })
  await follow(db, types, {
    name: "openness_of_repository",
    when: "after update of is_private, owner_id on repositories",
    only: "new.is_private <> old.is_private or new.owner_id <> old.owner_id",
    change,
  })
}

interface Following {
  readonly name: string
  readonly when: string
  readonly only: string
  readonly change: string
}

/** A trigger for each row. */
async function follow(db: Kysely<unknown>, types: ColumnTypes, { name, when, only, change }: Following): Promise<void> {
  if (types.kind === "sqlite") {
    await sql.raw(`create trigger ${name} ${when} when ${only} begin ${change}; end`).execute(db)
    return
  }
  await sql.raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${change}; return null; end $$`).execute(db)
  await sql.raw(`create trigger ${name} ${when} for each row when (${only}) execute function ${name}()`).execute(db)
}
