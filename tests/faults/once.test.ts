import { setTimeout as sleep } from "node:timers/promises"
import { sql } from "kysely"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { currentCaller } from "../../src/core/caller.ts"
import type { Database } from "../../src/core/database/database.ts"
import { SWITCHES } from "../../src/features/actions/external/names.ts"
import { type MergeWorld, openMergeWorld } from "../../src/features/review/merging/testing.ts"
import { recountCounters } from "../../src/features/site/administration/counters.ts"
import { databaseKinds } from "../support/database.ts"
import type { Call, Scene } from "./once/case.ts"
import { issueCases } from "./once/issues.ts"
import { packageCases } from "./once/packages.ts"
import { peopleCases } from "./once/people.ts"
import { pullCases } from "./once/pulls.ts"
import { repositoryCases } from "./once/repositories.ts"

/**
 * What must happen once happens once for any number of concurrent callers: each is answered as if they had called one after another, and nothing is
 * written twice.
 *
 * On PostgreSQL the callers are made to overlap: another connection locks every row, or every table, until each caller has reached its first write;
 * by then all have checked that it is allowed. SQLite has one writer at a time; there each waits before its first transaction. On a slow machine a
 * caller may still come after the first is done. What it is answered then is known from calling one after another ("turns"), and is always allowed.
 */

const CALLERS = 3
/** Tables that are not compared: queued jobs, what is written independently of requests, caches that jobs fill, and events, which are looked at by themselves. */
const ASIDE = new Set([
  ...["jobs", "schedule", "migrations", "events", "sign_in_addresses"],
  ...["tree_histories", "branch_comparisons", "repository_contributions"],
  // The name of the log is made when it is first needed.
  "event_logs",
  ...["code_indexes", "code_blobs", "code_files", "code_grams"],
  // One for each comment, by a trigger; its totals are compared.
  "placed_comments",
])
/** Totals that triggers keep, and what they count. */
const TOTALS = {
  activity_totals: "activities",
  notification_totals: "notifications",
  project_card_totals: "project_cards",
  issue_totals: "issues",
  comment_totals: "placed_comments",
  repository_totals: "repositories",
  branch_totals: "branches",
  tag_totals: "tags",
} as const
/** The time after which the callers go on in any case: those that wait for one another elsewhere never all reach the database. */
const GATHER_MS = 2_000

const meetings = { sqlite: ["turns", "transactions"], postgres: ["rows", "tables"] } as const
type Write = Database["write"]
type Meeting = (typeof meetings)[keyof typeof meetings][number]

describe.each(databaseKinds)("at once on %s", (kind) => {
  let world: MergeWorld
  let tables: readonly string[]
  let count = 0
  let answered = 0
  const database = () => world.hearth.services.database
  beforeAll(async () => {
    world = await openMergeWorld(kind)
    // The first sign-in is counted, which is a transaction of its own.
    for (const caller of [world.alice, world.bob, world.carol]) await world.call(caller, "GET /user")
    // The account that has what was deleted is made with the first deletion.
    await world.call(world.alice, "POST /user/repos", { name: "first" })
    await world.call(world.alice, "DELETE /repos/alice/first")
    tables = await tablesOf(kind)
  })
  afterAll(() => world.close())

  async function tablesOf(of: typeof kind): Promise<readonly string[]> {
    const names =
      of === "postgres"
        ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`
        : sql<{ name: string }>`select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%'`
    return (await names.execute(database().read)).rows.map(({ name }) => name).filter((name) => !ASIDE.has(name) && !(name in TOTALS))
  }

  async function countRows(): Promise<ReadonlyMap<string, number>> {
    await world.hearth.services.jobs.drain()
    const counts = tables.map((table) => sql`select ${sql.lit(table)} as name, count(*) as total from ${sql.ref(table)}`)
    const { rows } = await sql<{ name: string; total: number }>`${sql.join(counts, sql` union all `)}`.execute(database().read)
    return new Map(rows.map(({ name, total }) => [name, total]))
  }

  async function scene(): Promise<Scene> {
    const must: Scene["must"] = async (caller, route, body) => {
      const answer = await world.call(caller, route, body)
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const repo = await world.repository()
    const hook = { type: "gitea", config: { url: "http://127.0.0.1:9", content_type: "json" }, events: SWITCHES, active: true }
    await must(world.alice, `POST ${repo.at}/hooks`, hook)
    return { world, repo, must, unique: (stem) => `${stem}-${++count}` }
  }

  async function meet(how: Meeting, { by, route, body }: Call): Promise<readonly number[]> {
    const ask = async () => (await world.call(by, route, body)).status
    if (how === "turns") {
      const answers: number[] = []
      while (answers.length < CALLERS) answers.push(await ask())
      return answers
    }
    answered = 0
    const askAll = () => Promise.all(Array.from({ length: CALLERS }, () => ask().finally(() => answered++)))
    return how === "transactions" ? together(askAll) : behind(how, askAll)
  }

  /** Changes how the callers' transactions are run, but not those of jobs, of the clock, and of signing in. Gives the function that ends it. */
  function changeWrite(of: (write: Write, caller: object) => Write): () => void {
    const { write } = database()
    const spy = vi.spyOn(database(), "write").mockImplementation((work) => {
      const caller = currentCaller()
      return caller.account === undefined ? write(work) : of(write, caller)(work)
    })
    return () => spy.mockRestore()
  }

  /** Delays the first transactions until all callers wait, or are answered. */
  async function together(ask: () => Promise<readonly number[]>): Promise<readonly number[]> {
    const gate = Promise.withResolvers<void>()
    const waiting = new Set<object>()
    const restore = changeWrite((write, caller) => async (work) => {
      waiting.add(caller)
      if (waiting.size === CALLERS) gate.resolve()
      await gate.promise
      return write(work)
    })
    const late = setTimeout(gate.resolve, GATHER_MS)
    try {
      return await ask()
    } finally {
      clearTimeout(late)
      gate.resolve()
      restore()
    }
  }

  /** Blocks the writes of all calls until all of them wait, or are answered. */
  async function behind(held: "rows" | "tables", ask: () => Promise<readonly number[]>): Promise<readonly number[]> {
    const client = new pg.Client({ connectionString: world.hearth.services.config.databaseUrl })
    const backends = new Set<number>()
    const restore = changeWrite((write) => async (work) => {
      let backend = 0
      try {
        return await write(async (tx) => {
          backend = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]?.pid ?? 0
          backends.add(backend)
          return work(tx)
        })
      } finally {
        backends.delete(backend)
      }
    })
    await client.connect()
    try {
      await client.query("begin")
      for (const table of tables)
        await client.query(held === "rows" ? `select 1 from "${table}" for update` : `lock table "${table}" in share mode`)
      const asked = ask()
      const until = Date.now() + GATHER_MS
      while (answered + (await blocked(client, backends)) < CALLERS && Date.now() < until) await sleep(2)
      await client.query("commit")
      return await asked
    } finally {
      restore()
      await client.end()
    }
  }
  async function blocked(client: pg.Client, backends: ReadonlySet<number>): Promise<number> {
    // Within a transaction this snapshot is cached.
    await client.query("select pg_stat_clear_snapshot()")
    const { rows } = await client.query("select 1 from pg_stat_activity where wait_event_type = 'Lock' and pid = any($1)", [[...backends]])
    return rows.length
  }

  async function wrongTotals(): Promise<readonly string[]> {
    const wrong: string[] = []
    for (const [totals, counted] of Object.entries(TOTALS)) {
      const of = sql`select (select coalesce(sum(total), 0) from ${sql.ref(totals)}) as told, (select count(*) from ${sql.ref(counted)}) as there`
      const { rows } = await sql<{ told: number; there: number }>`${of}`.execute(database().read)
      for (const { told, there } of rows) if (Number(told) !== Number(there)) wrong.push(`${totals}: ${told} of ${there}`)
    }
    return wrong
  }

  const lastEvent = async (): Promise<number> =>
    (await database().read.selectFrom("events").select("id").orderBy("id", "desc").limit(1).executeTakeFirst())?.id ?? 0

  /** What was published more than once since then. */
  async function publishedTwice(since: number): Promise<readonly string[]> {
    const rows = await database()
      .read.selectFrom("events")
      .select(["kind", (eb) => eb.fn.countAll<number>().as("times")])
      .where("id", ">", since)
      .groupBy(["kind", "actor_id", "repository_id", "issue_id", "data"])
      .execute()
    return rows.filter(({ times }) => Number(times) > 1).map((row) => row.kind)
  }

  const lastEntry = async (): Promise<number> =>
    (await database().read.selectFrom("audit_entries").select("id").orderBy("id", "desc").limit(1).executeTakeFirst())?.id ?? 0

  /** What was written into an audit log more than once since then. */
  async function auditedTwice(since: number): Promise<readonly string[]> {
    const rows = await database()
      .read.selectFrom("audit_entries")
      .select(["kind", (eb) => eb.fn.countAll<number>().as("times")])
      .where("id", ">", since)
      .groupBy(["organization_id", "kind", "actor_id", "repository_id", "subject", "details"])
      .execute()
    return rows.filter(({ times }) => Number(times) > 1).map((row) => row.kind)
  }

  describe.each(meetings[kind])("(%s)", (how) => {
    test.each([...issueCases, ...pullCases, ...repositoryCases, ...packageCases, ...peopleCases])(
      "$name",
      async ({ prepare, first, others, overlapping = [], leaves, each = [] }) => {
        const call = await prepare(await scene())
        const before = await countRows()
        const since = await lastEvent()
        const entry = await lastEntry()
        const statuses = await meet(how, call)
        const after = await countRows()
        const left = [...after].map(([name, total]) => [name, total - (before.get(name) ?? 0)] as const)
        const changed = Object.fromEntries(left.filter(([, more]) => more !== 0))
        expect(statuses).toContain(first)
        const rest = statuses.toSpliced(statuses.indexOf(first), 1)
        const possible = how === "turns" ? [others] : [others, ...overlapping]
        expect(rest.filter((status) => !possible.includes(status))).toEqual([])
        const { deletions = 0, audit_entries: _, ...rows } = changed
        expect(rows).toEqual(leaves)
        // What was deleted is kept once.
        expect(deletions).toBeLessThanOrEqual(1)
        expect(await publishedTwice(since)).toEqual(each)
        expect(await auditedTwice(entry)).toEqual([])
        expect(await wrongTotals()).toEqual([])
        expect(await recountCounters.run(world.hearth.services, new AbortController().signal)).toBe("0 counters put right")
      },
    )
  })
})
