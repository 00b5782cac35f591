/**
 * The cost of a list must not depend on its length, and reads may not start git: what a list shows is stored when it changes.
 * A query for each entry is the most common cause of slow forges.
 *
 * Slow: each list is filled with 31 entries.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import type { ObservedStatement } from "../../src/core/database/database.ts"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { type PreparedCall, prepareCall } from "../examples/prepare.ts"
import { statementsOf } from "../support/database.ts"
import { openWorld, type World } from "../support/world.ts"

/** So many entries that a default page (30) isn't all there is. */
const MANY = 31

/** No list runs more statements than this, including sign-in and access. */
const LIST_BOUND = 11

/**
 * Lists that need more: a team leads to its organisation and two memberships, an entry of a feed to repository, people and comment with its author and files, issues of
 * other repositories to these, an issue on a board to the projects that it is in, which may be hidden, and to how much is in them, a pull request to all that an issue leads to and to
 * its reviewers; of runs in several repositories it matters whose pull requests may be read; a merge queue
 * has its rule, its trials and the checks of the one that is tested.
 */
const DEEPER: Readonly<Record<string, number>> = {
  orgListActivityFeeds: 13,
  orgListTeamActivityFeeds: 15,
  issueListIssueDependencies: 12,
  issueListBlocks: 12,
  issueSearchIssues: 12,
  userCurrentListProjectColumnIssues: 14,
  orgListProjectColumnIssues: 15,
  repoListProjectColumnIssues: 14,
  repoListPullRequests: 13,
  getOrgWorkflowRuns: 12,
  repoGetMergeQueue: 13,
}

/** Lists that are short by nature: topics of a repository are at most 25, columns of a project 20, what waits of one person 10, and there are as many tasks as there are. */
const SHORT: Readonly<Record<string, number>> = {
  repoListTopics: 20,
  userCurrentListProjectColumns: 20,
  orgListProjectColumns: 20,
  repoListProjectColumns: 20,
  adminCronList: 10,
  userListHeldRequests: 10,
  userListSigningKeys: 20,
}

/** Answers that only git can compute; they are cached, so that only the first request starts git. */
const MADE_ONCE: ReadonlySet<string> = new Set([
  "repoGetArchive",
  "repoGetPullRequestCommits",
  "repoGetAllCommits",
  "repoGetSingleCommit",
  "repoGetNote",
  "repoCompareDiff",
  "repoGetWikiPage",
  "repoGetWikiPageRevisions",
])
/** Answers that git makes each time, streamed or of a bounded length, without caching. */
const UNCACHED: ReadonlySet<string> = new Set([
  "repoComparePullRequestVersions",
  "repoDownloadPullDiffOrPatch",
  "repoDownloadCommitDiffOrPatch",
])

/** The number of statements of the most frequent requests, including sign-in by token. */
const SINGLE: Readonly<Record<string, number>> = {
  getVersion: 1,
  userGetCurrent: 1,
  userGet: 2,
  orgGet: 3,
  orgGetTeam: 7,
  repoGet: 4,
  repoGetByID: 4,
  userCurrentCheckStarring: 5,
}

describe("the number of queries", () => {
  let hearth: Hearth
  let world: World
  beforeAll(async () => {
    hearth = await startHearth({ halted: true, memory: true })
    world = openWorld(hearth)
  })
  afterAll(() => hearth.close())

  interface Measured {
    readonly statements: readonly ObservedStatement[]
    readonly length: number
  }

  /** Sends a call and returns its statements and the number of entries; git must not have been started. */
  async function measure(operation: Operation, call: PreparedCall, query?: Readonly<Record<string, string>>): Promise<Measured> {
    await hearth.services.jobs.drain()
    const spawned = hearth.services.git.spawned()
    let list = "[]"
    const statements = await statementsOf(hearth.services.database, async () => {
      const answer = await call.send(query)
      expect(call.isRight(answer.status), `${operation.id} was answered with ${answer.status} ${answer.text}`).toBe(true)
      if (answer.headers.get("content-type")?.startsWith("application/json;")) list = answer.text
    })
    expect(hearth.services.git.spawned() - spawned, `${operation.id} started git`).toBe(0)
    return { statements, length: lengthOf(JSON.parse(list)) }
  }

  const texts = ({ statements }: Measured) => statements.map(({ name, sql }) => name ?? sql)

  describe("of a list is the same whatever its length", () => {
    const lists = operations.filter(({ paged }) => paged)
    it.each(lists.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
      const call = await prepareCall(world, operation, MANY)
      if (MADE_ONCE.has(operation.id)) await call.send({ limit: "50" })
      const ask = (page: string, limit: string) => measure(operation, call, { page, limit })
      // The first entry may be of a kind that needs less, such as the owners' team, so the second is checked too.
      const first = await ask("1", "1")
      const second = await ask("2", "1")
      const one = first.statements.length > second.statements.length ? first : second
      const many = await ask("1", "50")
      expect([first.length, second.length]).toEqual([1, 1])
      expect(many.length).toBeGreaterThanOrEqual(SHORT[operation.id] ?? MANY)
      expect(many.statements.length, `for many: ${texts(many).join("; ")}; for one: ${texts(one).join("; ")}`).toBe(one.statements.length)
      expect(many.statements.length, texts(many).join("\n")).toBeLessThanOrEqual(DEEPER[operation.id] ?? LIST_BOUND)
    })
  })

  describe("of what is asked for most is stated", () => {
    it.each(Object.entries(SINGLE))("%s: %i", async (id, bound) => {
      const operation = operations.find((known) => known.id === id)
      if (!operation) throw new Error(`there is no operation ${id}`)
      const asked = texts(await measure(operation, await prepareCall(world, operation)))
      expect(asked.length, asked.join("\n")).toBe(bound)
    })
  })

  it("starts git for no read at all", async () => {
    for (const operation of operations.filter(({ id, method }) => method === "GET" && !UNCACHED.has(id))) {
      const call = await prepareCall(world, operation)
      if (MADE_ONCE.has(operation.id)) await call.send()
      await measure(operation, call)
    }
  })
})

/** The entries of a list, also if they are wrapped in a record. */
function lengthOf(body: unknown): number {
  if (Array.isArray(body)) return body.length
  if (typeof body !== "object" || body === null) return 0
  const inner = Object.values(body).find((member) => Array.isArray(member))
  return Array.isArray(inner) ? inner.length : 0
}
