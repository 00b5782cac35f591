import { sql } from "kysely"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { SWITCHES } from "../../src/features/events/webhooks/events/kinds.ts"
import { type MergeWorld, openMergeWorld } from "../../src/features/review/merging/testing.ts"
import { recountCounters } from "../../src/features/site/administration/counters.ts"
import { databaseKinds } from "../support/database.ts"
import { haltClock } from "../support/halt-clock.ts"
import type { Answer } from "../support/hearth.ts"
import type { Call, Scene } from "./once/case.ts"
import { issueCases } from "./once/issues.ts"
import { peopleCases } from "./once/people.ts"
import { pullCases } from "./once/pulls.ts"
import { repositoryCases } from "./once/repositories.ts"

/**
 * What must happen once happens once for any number of concurrent callers: each is answered as if they had called one after another, and nothing is
 * written twice.
 *
 * On PostgreSQL the callers are forced to overlap: another connection locks every row, or every table, until each caller has reached its first write;
 * by then all have checked that it is allowed. SQLite has one writer at a time; there each waits before its first transaction.
 */

const CALLERS = 3
/** Tables that are not compared: queued jobs, what is written independently of requests, and events, which are looked at by themselves. */
const ASIDE = new Set(["jobs", "schedule", "migrations", "events"])
/** Totals that triggers keep, and what they count. */
const TOTALS = { activity_totals: "activities", notification_totals: "notifications", project_card_totals: "project_cards" } as const
/** The time after which the locks are released: callers that wait for one another elsewhere never all reach the database. */
const GATHER_MS = 2_000

const meetings = { sqlite: ["transactions"], postgres: ["rows", "tables"] } as const
type Meeting = (typeof meetings)[keyof typeof meetings][number]

describe.each(databaseKinds)("at once on %s", (kind) => {
  let world: MergeWorld
  let tables: readonly string[]
  let count = 0
  let answered = 0
  const database = () => world.hearth.services.database
  beforeAll(async () => {
    world = await openMergeWorld(kind)
    await haltClock(world.hearth)
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
    answered = 0
    const ask = () =>
      Promise.all(
        Array.from({ length: CALLERS }, async () => {
          const answer = await world.call(by, route, body)
          answered += 1
          return answer
        }),
      )
    const answers = await (how === "transactions" ? together(ask) : behind(how, ask))
    return answers.map(({ status }) => status).sort()
  }

  /** Delays the first transactions until as many wait as there are callers, or all are answered. */
  async function together(ask: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
    const gate = Promise.withResolvers<void>()
    const { write } = database()
    let waiting = 0
    const spy = vi.spyOn(database(), "write").mockImplementation(async (work) => {
      waiting += 1
      if (waiting === CALLERS) gate.resolve()
      await gate.promise
      return write(work)
    })
    const late = setTimeout(gate.resolve, GATHER_MS)
    try {
      return await ask()
    } finally {
      clearTimeout(late)
      gate.resolve()
      spy.mockRestore()
    }
  }

  /** Blocks the writes of all calls until all of them wait, or are answered. */
  async function behind(held: "rows" | "tables", ask: () => Promise<readonly Answer[]>): Promise<readonly Answer[]> {
    const client = new pg.Client({ connectionString: world.hearth.services.config.databaseUrl })
    await client.connect()
    try {
      await client.query("begin")
      for (const table of tables)
        await client.query(held === "rows" ? `select 1 from "${table}" for update` : `lock table "${table}" in share mode`)
      const asked = ask()
      const until = Date.now() + GATHER_MS
      while (answered + (await waiting(client)) < CALLERS && Date.now() < until) await new Promise(setImmediate)
      await client.query("commit")
      return await asked
    } finally {
      await client.end()
    }
  }
  async function waiting(client: pg.Client): Promise<number> {
    // Within a transaction this snapshot is cached.
    await client.query("select pg_stat_clear_snapshot()")
    const { rows } = await client.query("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
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

  describe.each(meetings[kind])("(%s)", (how) => {
    test.each([...issueCases, ...pullCases, ...repositoryCases, ...peopleCases])(
      "$name",
      async ({ prepare, first, others, leaves, each = [] }) => {
        const call = await prepare(await scene())
        const before = await countRows()
        const since = await lastEvent()
        const statuses = await meet(how, call)
        const after = await countRows()
        const left = [...after].map(([name, total]) => [name, total - (before.get(name) ?? 0)] as const)
        const changed = Object.fromEntries(left.filter(([, more]) => more !== 0))
        expect(statuses).toContain(first)
        const rest = statuses.toSpliced(statuses.indexOf(first), 1)
        expect(rest.filter((status) => !others.includes(status))).toEqual([])
        expect(changed).toEqual(leaves)
        expect(await publishedTwice(since)).toEqual(each)
        expect(await wrongTotals()).toEqual([])
        expect(await recountCounters.run(world.hearth.services, new AbortController().signal)).toBe("0 counters put right")
      },
    )
  })
})
