/** Slow: every list is asked on both databases with each of its filters, for the SQL that it runs and for how the database would run it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startHearth } from "../../src/app.ts"
import type { User } from "../../src/core/actor.ts"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { prepareCall } from "../examples/prepare.ts"
import { type FreshKind, freshUrl, statementsOf } from "../support/database.ts"
import { openWorld } from "../support/world.ts"
import { expectGolden } from "./files.ts"
import { filtersOf } from "./filters.ts"
import { type Fragment, visibilityFragments } from "./fragments.ts"
import { openPlans } from "./plans.ts"
import { common, onBoth, type Texts } from "./readable.ts"

/** Lists that may read a whole table, by operation and table, each with the reason. */
const MAY_SCAN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  adminGetAllEmails: { emails: "it lists all addresses there are, in the order of an index, and counts them" },
  adminListImportedPeople: { imported_people: "it lists all people of imports, and counts them" },
  adminListDeleted: { deletions: "it lists all that can be restored, newest first, by their ids; nearly all rows are that" },
  adminListDeeds: { deeds: "it lists all deeds there are, newest first, and counts them" },
  adminSearchEmails: { emails: "it looks for a part of an address" },
  adminListTokens: { access_tokens: "it lists all tokens there are, those used last first, and counts them" },
  issueSearchIssues: { milestones: "a milestone is named by its title in any letter case, whatever repository it belongs to" },
  listAdminWorkflowRuns: { action_runs: "it lists all runs there are, newest first, and counts them" },
  listAdminWorkflowJobs: { action_jobs: "it lists all jobs there are, oldest first, and counts them" },
  repoSearch: {
    repositories: "it looks for a part of a name among all repositories, and counts those that the caller may see",
    topics: "it looks for a part of a name among all topics",
  },
  topicSearch: { topics: "it looks for a part of a name among all topics" },
}

/** One call of a list: its filters, and the statements that it ran, by name where they are prepared. */
interface Recorded {
  readonly label: string
  readonly statements: readonly { readonly name: string | undefined; readonly sql: string }[]
}

/** The statements of all lists, by the operation's id and the caller. */
interface Recording {
  readonly calls: ReadonlyMap<string, readonly Recorded[]>
  readonly caller: User
}

const lists = operations.filter(({ paged, method }) => paged && method === "GET")

/** The look-ups of caller and subject are the same for every operation, and not shown here. */
const isOfTheWayIn = (name: string | undefined): boolean =>
  name?.startsWith("access.find") === true || name?.startsWith("authentication.find") === true

/** Calls every list without a filter and with each one, and records the statements. */
async function record(kind: FreshKind): Promise<Recording> {
  const fresh = await freshUrl(kind)
  const hearth = await startHearth({ halted: true, memory: true, config: { databaseUrl: fresh.url } })
  const world = openWorld(hearth)
  // An ordinary person: what the site's administrator sees is everything, and needs no condition.
  const { id, authorization } = await world.person()
  const recorded = new Map<string, readonly Recorded[]>()
  try {
    for (const operation of lists) {
      const caller = operation.rule.needs === "siteAdministrator" ? world.root : authorization
      const call = await prepareCall(world, operation, 2, caller)
      await hearth.services.jobs.drain()
      const calls: Recorded[] = []
      for (const filters of [{}, ...filtersOf(operation)]) {
        let status = 0
        const statements = await statementsOf(hearth.services.database, async () => {
          status = (await call.send(filters)).status
        })
        // A value that this list doesn't accept is refused; the others are enough.
        if (status >= 400 && status < 500 && Object.keys(filters).length > 0) continue
        if (status !== 200) throw new Error(`GET ${operation.path} ${JSON.stringify(filters)} was answered with ${status}`)
        const label = Object.entries(filters)
          .map(([name, value]) => `${name}=${value}`)
          .join("&")
        calls.push({ label, statements: statements.filter((each) => !isOfTheWayIn(each.name)) })
      }
      recorded.set(operation.id, calls)
    }
    const caller = await hearth.services.database.read.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow()
    return { calls: recorded, caller }
  } finally {
    await hearth.close()
    await fresh.drop()
  }
}

const shortened = (fragments: readonly Fragment[], kind: keyof Texts, sql: string): string =>
  fragments.reduce((text, { name, texts }) => text.replaceAll(common(texts[kind]), name), common(sql))

/** The statements of a list, call by call, without repetitions. */
function describeList(
  operation: Operation,
  fragments: readonly Fragment[],
  sqlite: readonly Recorded[],
  postgres: readonly Recorded[],
): string {
  let text = `\n-- === ${operation.method} ${operation.path} ===\n`
  const shown = new Set<string>()
  const textOf = (one: string, other: string): string =>
    `${onBoth({ sqlite: shortened(fragments, "sqlite", one), postgres: shortened(fragments, "postgres", other) })};`
  for (const { label, statements } of sqlite) {
    const others = postgres.find((call) => call.label === label)?.statements
    const told = [statements, others].map((list) => list?.map(({ name, sql }) => name ?? sql).join("; ")).join(" and ")
    expect(others?.length, `${operation.id} ${label} runs as many statements on both databases: ${told}`).toBe(statements.length)
    const fresh = statements.flatMap(({ name, sql }, index) => {
      const written = name === undefined ? textOf(sql, others?.[index]?.sql ?? "") : `-- prepared: ${name}`
      if (shown.has(written)) return []
      shown.add(written)
      return [written]
    })
    if (fresh.length > 0) text += `\n-- ${label || "without filters"}\n${fresh.join("\n")}\n`
  }
  return text
}

describe("the lists", () => {
  let sqlite: Recording
  let postgres: Recording
  beforeAll(async () => {
    sqlite = await record("sqlite")
    postgres = await record("postgres")
  })

  it("ask what was read in review", async () => {
    const fragments = visibilityFragments(sqlite.caller)
    const texts = new Map([["fragments", fragments.map(({ name, texts }) => `\n-- ${name}\n${onBoth(texts)}\n`).join("")]])
    for (const operation of lists) {
      const [one = [], other = []] = [sqlite.calls.get(operation.id), postgres.calls.get(operation.id)]
      texts.set(operation.tag, (texts.get(operation.tag) ?? "") + describeList(operation, fragments, one, other))
    }
    await expectGolden("lists", texts)
  })

  describe("find what they show by an index", () => {
    const plans = openPlans()
    afterAll(async () => (await plans).close())

    it.each(lists.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
      const { scans } = await plans
      const found = (sqlite.calls.get(operation.id) ?? []).flatMap(({ label, statements }) =>
        statements.flatMap(({ sql }) =>
          scans(sql).map((table) => ({ table, words: `${label || "without filters"} reads the whole of ${table}: ${sql}` })),
        ),
      )
      const excepted = Object.keys(MAY_SCAN[operation.id] ?? {})
      expect(found.filter(({ table }) => !excepted.includes(table)).map(({ words }) => words)).toEqual([])
      // An exception that is no longer needed would hide the next mistake.
      expect(excepted.filter((name) => !found.some(({ table }) => table === name))).toEqual([])
    })
  })
})
