import { CompiledQuery, type Insertable, type Updateable } from "kysely"
import type { Database, Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { TakeoverKindsTable } from "../../../core/database/tables/takeover.ts"
import type { Table } from "./mapping/table.ts"

/** The one place that writes rows of other features' tables, by the mapping: nothing has happened, so no verb is called and nobody is told. */

/** The primary keys of tables that have no id of their own, and null for those without one. */
export const KEYS: Readonly<Partial<Record<Table, readonly string[] | null>>> = {
  action_counters: ["repository_id"],
  action_steps: ["task_id", "number"],
  action_summaries: ["job_id", "step"],
  branch_protection_lists: null,
  branch_redirects: ["repository_id", "name"],
  collaborations: ["repository_id", "user_id"],
  disabled_workflows: ["repository_id", "workflow"],
  follows: ["follower_id", "followed_id"],
  former_hashes: ["kind", "subject_id"],
  gpg_key_emails: ["gpg_key_id", "lower_email"],
  issue_counters: ["repository_id"],
  issue_dependencies: ["issue_id", "dependency_id"],
  issue_labels: ["issue_id", "label_id"],
  issue_mentions: ["issue_id", "user_id"],
  issue_watches: ["issue_id", "user_id"],
  lfs_links: ["repository_id", "object_id"],
  mirrors: ["repository_id"],
  organization_members: ["organization_id", "user_id"],
  package_tags: ["package_id", "name"],
  project_cards: ["project_id", "issue_id"],
  pull_schedules: ["pull_id"],
  repository_languages: ["repository_id"],
  repository_redirects: ["owner_id", "lower_name"],
  repository_topics: ["repository_id", "topic_id"],
  repository_transfers: ["repository_id"],
  review_comments: ["comment_id"],
  stars: ["user_id", "repository_id"],
  stopwatches: ["user_id", "issue_id"],
  tag_protection_lists: null,
  team_members: ["team_id", "user_id"],
  team_repositories: ["team_id", "repository_id"],
  team_units: ["team_id", "unit"],
  two_factors: ["user_id"],
  user_badges: ["user_id", "badge_id"],
  user_redirects: ["lower_name"],
  viewed_files: ["user_id", "pull_id", "path"],
  watches: ["user_id", "repository_id"],
}

export const keysOf = (table: Table): readonly string[] => KEYS[table] ?? ["id"]
const hasKey = (table: Table): boolean => KEYS[table] !== null

export type Plain = string | number | null
export type Row = Readonly<Record<string, Plain>>

/** Places in a statement, of which PostgreSQL takes 65,535 and SQLite 32,766. */
const MOST_PLACES = 16_000

/** Conditions of one statement: SQLite parses a thousand, one inside the other. */
const MOST_CONDITIONS = 400

type Kind = Database["kind"]
const place = (kind: Kind, at: number): string => (kind === "postgres" ? `$${at}` : "?")
const names = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(", ")

/** A list of rows of values, with places for them. */
function placesFor(kind: Kind, rows: number, columns: number): string {
  let at = 0
  const row = () => `(${Array.from({ length: columns }, () => place(kind, ++at)).join(", ")})`
  return Array.from({ length: rows }, row).join(", ")
}

/** Writes rows with the same columns; those that are there get these values. */
export async function putRows(tx: Transaction, kind: Kind, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const keys = keysOf(table)
  const others = columns.filter((column) => !keys.includes(column))
  const action = others.length === 0 ? "nothing" : `update set ${others.map((column) => `"${column}" = excluded."${column}"`).join(", ")}`
  const conflict = hasKey(table) ? ` on conflict (${names(keys)}) do ${action}` : ""
  const most = Math.max(1, Math.floor(MOST_PLACES / Math.max(1, columns.length)))
  for (let start = 0; start < rows.length; start += most) {
    const slice = rows.slice(start, start + most)
    const text = `insert into "${table}" (${names(columns)}) values ${placesFor(kind, slice.length, columns.length)}${conflict}`
    await tx.executeQuery(
      CompiledQuery.raw(
        text,
        slice.flatMap((row) => columns.map((column) => row[column] ?? null)),
      ),
    )
  }
}

/** Removes rows by their keys. */
export async function removeRows(tx: Transaction, kind: Kind, table: Table, keys: readonly (readonly Plain[])[]): Promise<void> {
  const columns = keysOf(table)
  const most = Math.max(1, Math.floor(MOST_CONDITIONS / columns.length))
  for (let start = 0; start < keys.length; start += most) {
    const slice = keys.slice(start, start + most)
    let at = 0
    const condition = slice.map(() => `(${columns.map((column) => `"${column}" = ${place(kind, ++at)}`).join(" and ")})`).join(" or ")
    await tx.executeQuery(CompiledQuery.raw(`delete from "${table}" where ${condition}`, slice.flat()))
  }
}

/** Removes the rows that have one of these ids in a column. */
export async function clearRows(tx: Transaction, kind: Kind, table: Table, column: string, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += MOST_PLACES / 4) {
    const slice = ids.slice(start, start + MOST_PLACES / 4)
    const places = slice.map((_, index) => place(kind, index + 1)).join(", ")
    await tx.executeQuery(CompiledQuery.raw(`delete from "${table}" where "${column}" in (${places})`, slice))
  }
}

/** Gives rows names of their own for a moment, so that others can have those that they had. */
export async function parkRows(tx: Transaction, kind: Kind, table: Table, column: string, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += MOST_PLACES / 4) {
    const slice = ids.slice(start, start + MOST_PLACES / 4)
    const places = slice.map((_, index) => place(kind, index + 1)).join(", ")
    await tx.executeQuery(CompiledQuery.raw(`update "${table}" set "${column}" = '/' || id where id in (${places})`, slice))
  }
}

// --- what was taken, and what is told about it ---------------------------------------------------------------------------------------

/** What is known of the rows of a kind whose keys are in a range of chunks. */
export const findChunks = query("takeover.findChunks", (db, p: Params<{ kind: string; from: number; to: number }>) =>
  db
    .selectFrom("takeover_chunks")
    .select(["chunk", "content"])
    .where("kind", "=", p.kind)
    .where("chunk", ">=", p.from)
    .where("chunk", "<=", p.to)
    .orderBy("chunk"),
)

/** Whether anything was taken over before. */
export const findAnyChunk = (db: Handle) => db.selectFrom("takeover_chunks").select("kind").limit(1).executeTakeFirst()

export const putChunk = query("takeover.putChunk", (db, p: Params<{ kind: string; chunk: number; content: string }>) =>
  db
    .insertInto("takeover_chunks")
    .values({ kind: p.kind, chunk: p.chunk, content: p.content })
    .onConflict((conflict) => conflict.columns(["kind", "chunk"]).doUpdateSet((eb) => ({ content: eb.ref("excluded.content") }))),
)

export const removeChunk = query("takeover.removeChunk", (db, p: Params<{ kind: string; chunk: number }>) =>
  db.deleteFrom("takeover_chunks").where("kind", "=", p.kind).where("chunk", "=", p.chunk),
)

export const findReport = (db: Handle) => db.selectFrom("takeover_kinds").selectAll().orderBy("position").execute()

export const findRemarks = (db: Handle, limit: number) =>
  db.selectFrom("takeover_remarks").select(["kind", "source_key", "content"]).orderBy("id").limit(limit).execute()

/** Replaces what the last run said of a kind. */
export async function putReport(
  tx: Transaction,
  row: Insertable<TakeoverKindsTable>,
  remarks: readonly { readonly key: string; readonly content: string }[],
): Promise<void> {
  await tx.deleteFrom("takeover_kinds").where("kind", "=", row.kind).execute()
  await tx.insertInto("takeover_kinds").values(row).execute()
  await tx.deleteFrom("takeover_remarks").where("kind", "=", row.kind).execute()
  for (let start = 0; start < remarks.length; start += 500)
    await tx
      .insertInto("takeover_remarks")
      .values(remarks.slice(start, start + 500).map(({ key, content }) => ({ kind: row.kind, source_key: key, content })))
      .execute()
}

export const findAnyAccount = (db: Handle) => db.selectFrom("users").select("id").limit(1).executeTakeFirst()

// --- what follows from git -----------------------------------------------------------------------------------------------------------

export const putGitSize = query("takeover.putGitSize", (db, p: Params<{ id: number; size: number }>) =>
  db.updateTable("repositories").set({ git_size: p.size }).where("id", "=", p.id),
)

export async function findBranchesAndTags(tx: Transaction, repositoryId: number) {
  const names = async (table: "branches" | "tags") =>
    (await tx.selectFrom(table).select("name").where("repository_id", "=", repositoryId).execute()).map(({ name }) => name)
  return { branches: await names("branches"), tags: await names("tags") }
}

export async function removeNamed(
  tx: Transaction,
  table: "branches" | "tags",
  repositoryId: number,
  gone: readonly string[],
): Promise<void> {
  for (let start = 0; start < gone.length; start += 500)
    await tx
      .deleteFrom(table)
      .where("repository_id", "=", repositoryId)
      .where("name", "in", gone.slice(start, start + 500))
      .execute()
}

export const findRepositoryOf = query("takeover.findRepository", (db, p: Params<{ id: number }>) =>
  db.selectFrom("repositories").select(["storage", "object_format"]).where("id", "=", p.id),
)

/** Closed pull requests whose changes are not counted. */
export const findUncountedPulls = query(
  "takeover.findUncountedPulls",
  (db, p: Params<{ repositoryId: number; after: number; limit: number }>) =>
    db
      .selectFrom("pulls")
      .innerJoin("issues", "issues.id", "pulls.issue_id")
      .select(["pulls.id", "pulls.merge_base", "pulls.head_id"])
      .where("pulls.repository_id", "=", p.repositoryId)
      .where("pulls.id", ">", p.after)
      .where("issues.is_closed", "=", 1)
      .where("pulls.base_id", "=", "")
      .orderBy("pulls.id")
      .limit(p.limit),
)
export type UncountedPull = Awaited<ReturnType<typeof findUncountedPulls>>[number]

export const findPullsIn = query("takeover.findPulls", (db, p: Params<{ repositoryId: number; after: number; limit: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select([
      "pulls.id",
      "pulls.repository_id",
      "pulls.head_repository_id",
      "pulls.head_branch",
      "pulls.head_id",
      "issues.number",
      "issues.is_closed",
    ])
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.id", ">", p.after)
    .orderBy("pulls.id")
    .limit(p.limit),
)
export type PullInGit = Awaited<ReturnType<typeof findPullsIn>>[number]

export const putPullFacts = (tx: Transaction, { id, ...facts }: { readonly id: number } & Partial<Updateable<Tables["pulls"]>>) =>
  tx.updateTable("pulls").set(facts).where("id", "=", id).execute()

// --- what is counted -----------------------------------------------------------------------------------------------------------------

/** Counters that rows of other tables have: all of them anew. */
const COUNTERS: readonly string[] = [
  `update users set
     followers_count = (select count(*) from follows where follows.followed_id = users.id),
     following_count = (select count(*) from follows where follows.follower_id = users.id),
     stars_count = (select count(*) from stars where stars.user_id = users.id),
     repositories_count = (select count(*) from repositories where repositories.owner_id = users.id)`,
  `update repositories set
     stars_count = (select count(*) from stars where stars.repository_id = repositories.id),
     watchers_count = (select count(*) from watches where watches.repository_id = repositories.id and watches.mode <> 'declined'),
     forks_count = (select count(*) from repositories fork where fork.fork_of_id = repositories.id),
     branches_count = (select count(*) from branches where branches.repository_id = repositories.id),
     open_issues_count = (select count(*) from issues where issues.repository_id = repositories.id and issues.is_closed = 0 and issues.is_pull = 0),
     open_pulls_count = (select count(*) from issues where issues.repository_id = repositories.id and issues.is_closed = 0 and issues.is_pull = 1),
     releases_count = (select count(*) from releases where releases.repository_id = repositories.id and releases.is_draft = 0)`,
  `update topics set repositories_count = (select count(*) from repository_topics where repository_topics.topic_id = topics.id)`,
  `update milestones set
     open_issues_count = (select count(*) from issues where issues.milestone_id = milestones.id and issues.is_closed = 0),
     closed_issues_count = (select count(*) from issues where issues.milestone_id = milestones.id and issues.is_closed = 1)`,
  `insert into issue_counters (repository_id, last_number)
     select repository_id, max(number) from issues where true group by repository_id
     on conflict (repository_id) do update set last_number = excluded.last_number where issue_counters.last_number < excluded.last_number`,
  `insert into action_counters (repository_id, last_number)
     select repository_id, max(number) from action_runs where true group by repository_id
     on conflict (repository_id) do update set last_number = excluded.last_number where action_counters.last_number < excluded.last_number`,
]

export async function recount(tx: Transaction): Promise<void> {
  for (const text of COUNTERS) await tx.executeQuery(CompiledQuery.raw(text))
}

/** Tables with ids that the database gives. */
const WITH_IDS =
  "select table_name from information_schema.columns where table_schema = current_schema() and column_name = 'id' and is_identity = 'YES'"

/** Ids that were given by hand are not counted by PostgreSQL: the next one comes after the largest. SQLite sees them itself. */
export async function advanceIds(tx: Transaction, kind: Kind): Promise<void> {
  if (kind !== "postgres") return
  const { rows } = await tx.executeQuery<{ table_name: string }>(CompiledQuery.raw(WITH_IDS))
  for (const { table_name: table } of rows)
    await tx.executeQuery(
      CompiledQuery.raw(
        `select setval(pg_get_serial_sequence('"${table}"', 'id'), greatest((select coalesce(max(id), 0) from "${table}"), (select last_value from pg_sequences where sequencename = '${table}_id_seq' and schemaname = current_schema()), 1))`,
      ),
    )
}

/** Applications that come with every site: those of the old server have ids that grants name. */
export const removeOwnApplications = (tx: Transaction) => tx.deleteFrom("oauth2_applications").where("owner_id", "is", null).execute()
