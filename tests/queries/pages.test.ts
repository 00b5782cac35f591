/**
 * The statements of every page, when there are two things of each kind and when there are many: what a page costs must not depend on the length of
 * its lists. How many they are stands in pages.json, which `npm run golden` writes.
 *
 * Slow: 32 things of each kind are made.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { restOf } from "../../src/core/operation.ts"
import type { Page } from "../../src/core/page.ts"
import { backgroundOf } from "../../src/features/code/repositories/background.ts"
import { pages } from "../../src/pages.ts"
import { statementsOf } from "../support/database.ts"
import { freshHearth, PASSWORD, type TestHearth } from "../support/hearth.ts"
import { exchange } from "../support/http.ts"
import { sessionOf } from "../support/session.ts"
import { openWorld, type Person } from "../support/world.ts"

const FEW = 2
const MANY = 32

/** A long timeline is loaded from both of its ends: with the references in the second part, these statements more. */
const BOTH_ENDS: Readonly<Record<string, number>> = { "pull.show": 2, "issue.show": 2 }

/** What shows differences or lanes asks git, once; lists never do. */
const ASKS_GIT: ReadonlySet<string> = new Set([
  "commit.show",
  "code.graph",
  "pull.files",
  "pull.commit",
  "pull.range",
  "pull.versions",
  "pull.conflicts",
])

/** What is computed beside the request, for the next reader. */
const isBeside = (statement: string): boolean => /^(?:history\.(?:put|count|remove)|lock\.|jobs\.|outbox\.)/.test(statement)

/** What pages say of figures that are computed beside the request. */
const IS_COMING = /still being (counted|compared)/

const FILE = new URL("pages.json", import.meta.url)
const isUpdate = process.env["UPDATE_GOLDEN"] !== undefined

const content = (text: string): string => Buffer.from(text).toString("base64")

let forge: TestHearth
let cookie: string
let values: Readonly<Record<string, string>>
let few: ReadonlyMap<string, Measured>
let many: ReadonlyMap<string, Measured>

interface Measured {
  readonly status: number
  readonly statements: readonly string[]
  /** Processes of git that were started. */
  readonly git: number
}

beforeAll(async () => {
  forge = await freshHearth("memory")
  await forge.person("ann")
  cookie = await sessionOf(forge.hearth.url, "ann")
  const grow = await openGrowing(forge)
  values = await grow(0, FEW)
  few = await measureAll()
  await grow(FEW, MANY)
  many = await measureAll()
}, 600_000)
afterAll(() => forge?.close())

const shown = pages.filter(({ method }) => method === "GET")

const addressOf = ({ address }: Page): string =>
  address.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "index") return (/\/pulls?\//.test(address) ? values["pull"] : values["issue"]) ?? "1"
    // Projects of an owner.
    if (address.startsWith("/{username}/-/") && name !== "number") return (name === "id" ? values["own"] : values["org"]) ?? "1"
    if (name === "filepath" && restOf(address) === name) return /\/(tree|blob)\//.test(address) ? "main" : "branch/main"
    return values[name] ?? "1"
  })

async function measureAll(): Promise<ReadonlyMap<string, Measured>> {
  const { services } = forge.hearth
  const settle = async () => {
    await backgroundOf(services).idle()
    await services.jobs.drain()
  }
  await settle()
  const measured = new Map<string, Measured>()
  for (const page of shown) {
    const path = addressOf(page)
    const ask = (query: string) => exchange(`${forge.hearth.url}${path}?${query}`, { headers: { accept: "text/html", cookie } })
    // What git has to say is kept from the first time; the page itself is not, by another address.
    for (let time = 0; IS_COMING.test((await ask(`before=${time}`)).text); time += 1) await settle()
    await settle()
    const started = services.git.spawned()
    let status = 0
    const statements = await statementsOf(services.database, async () => {
      status = (await ask("second")).status
    })
    measured.set(page.id, {
      status,
      statements: statements.map(({ name, sql }) => name ?? sql).filter((each) => !isBeside(each)),
      git: services.git.spawned() - started,
    })
  }
  return measured
}

describe("what a page costs", () => {
  test.each(shown.map((page) => [page.id, page] as const))("%s", (id, page) => {
    const one = few.get(id)
    const other = many.get(id)
    if (!one || !other) throw new TypeError(`${id} was not measured`)
    expect(other.status, addressOf(page)).toBe(one.status)
    const added = [...other.statements]
    for (const statement of one.statements) if (added.includes(statement)) added.splice(added.indexOf(statement), 1)
    const more = other.statements.length - one.statements.length
    expect(more, `${addressOf(page)} asks with many also\n${added.map((sql) => sql.slice(0, 200)).join("\n")}`).toBeLessThanOrEqual(
      BOTH_ENDS[id] ?? 0,
    )
    expect(other.git, `${addressOf(page)} started git`).toBeLessThanOrEqual(ASKS_GIT.has(id) ? 1 : 0)
  })

  test("is the same as before", () => {
    const counts = Object.fromEntries(
      [...many]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, { status, statements }]) => [id, status === 200 ? statements.length : `status ${status}`]),
    )
    if (isUpdate) writeFileSync(FILE, `${JSON.stringify(counts, undefined, 2)}\n`)
    expect(counts, "run npm run golden where this is meant to be").toEqual(JSON.parse(readFileSync(FILE, "utf8")))
  })
})

/** Makes things from one number to another of each kind; gives the names in addresses. */
async function openGrowing({ hearth, call }: TestHearth) {
  const world = openWorld(hearth)
  const { jobs } = hearth.services
  const ann = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString("base64")}`
  const must = async (caller: string, route: string, body?: object) => {
    const answer = await call(caller, route, body)
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await must(ann, "POST /orgs", { username: "garden" })
  const at = "/repos/garden/beds"
  await must(ann, "POST /orgs/garden/repos", { name: "beds", auto_init: true, has_wiki: true })
  const team = await must(ann, "POST /orgs/garden/teams", { name: "builders", units_map: { "repo.code": "write" } })
  const board = await must(ann, `POST ${at}/projects`, { title: "Board" })
  const column = await must(ann, `POST ${at}/projects/${board.id}/columns`, { title: "To do" })
  const ownBoard = await must(ann, "POST /orgs/garden/projects", { title: "Board" })
  const milestone = await must(ann, `POST ${at}/milestones`, { title: "First" })
  const label = await must(ann, `POST ${at}/labels`, { name: "first", color: "#ff0000" })
  const issue = await must(ann, `POST ${at}/issues`, { title: "First", labels: [label.id], milestone: milestone.id, assignees: ["ann"] })
  await must(ann, `POST ${at}/contents`, {
    files: [{ operation: "create", path: "proposal.md", content: content("text\n") }],
    new_branch: "proposal",
  })
  const pull = await must(ann, `POST ${at}/pulls`, { title: "First", head: "proposal", base: "main" })

  async function add(index: number, person: Person): Promise<void> {
    const theirs = person.authorization
    await must(ann, "POST /orgs/garden/repos", { name: `bed-${index}`, description: "One of many" })
    await must(ann, "POST /user/repos", { name: `own-${index}` })
    await must(ann, `POST /orgs/garden/teams`, { name: `team-${index}`, units_map: { "repo.code": "read" } })
    await must(ann, `PUT /teams/${team.id}/members/${person.name}`)
    await must(ann, `PUT /teams/${team.id}/repos/garden/bed-${index}`)
    await must(theirs, `PUT /user/starred/garden/beds`)
    await must(ann, `PUT /user/starred/garden/bed-${index}`)
    await must(ann, `PUT /repos/garden/bed-${index}/subscription`)
    await must(theirs, `PUT ${at}/subscription`)
    await must(theirs, `POST ${at}/forks`, {})
    await must(theirs, "PUT /user/following/ann")
    await must(ann, `PUT /user/following/${person.name}`)
    await must(theirs, "POST /orgs", { username: `org-${index}` })
    const mark = await must(ann, `POST ${at}/labels`, { name: `label-${index}`, color: "#00ff00" })
    const goal = await must(ann, `POST ${at}/milestones`, { title: `Milestone ${index}` })
    await must(ann, `POST ${at}/projects`, { title: `Board ${index}` })
    await must(ann, "POST /orgs/garden/projects", { title: `Board ${index}` })
    const made = await must(theirs, `POST ${at}/issues`, { title: `Issue ${index}`, body: "For @ann" })
    await must(ann, `PATCH ${at}/issues/${made.number}`, { milestone: milestone.id, assignees: ["ann"] })
    await must(ann, `POST ${at}/issues/${made.number}/labels`, { labels: [mark.id, label.id] })
    await must(theirs, `POST ${at}/issues`, { title: `Goal ${index}` }).then(({ number }) =>
      must(ann, `PATCH ${at}/issues/${number}`, { milestone: goal.id }),
    )
    await must(ann, `POST ${at}/projects/${board.id}/columns/${column.id}/issues/${made.id}`)
    for (const number of [issue.number, pull.number]) {
      await must(theirs, `POST ${at}/issues/${number}/comments`, { body: `Comment ${index}, see #${made.number}` })
      await must(theirs, `POST ${at}/issues/${number}/reactions`, { content: "heart" })
    }
    await must(ann, `POST ${at}/contents/file-${index}.md`, { content: content(`${index}\n`), branch: "proposal" })
    await must(ann, `POST ${at}/contents/plan-${index}.md`, { content: content(`${index}\n`), new_branch: `change-${index}` })
    await must(ann, `POST ${at}/pulls`, { title: `Change ${index}`, head: `change-${index}`, base: "main", body: "Mine" })
    await must(theirs, `POST ${at}/pulls/${pull.number}/reviews`, { event: "COMMENT", body: `Review ${index}` })
    await must(ann, `POST ${at}/releases`, { tag_name: `v${index}.0.0`, target_commitish: "main", name: `Release ${index}`, body: "text" })
    await must(ann, `POST ${at}/wiki/new`, { title: index === 0 ? "Home" : `Page ${index}`, content_base64: content("text") })
  }

  return async (from: number, to: number): Promise<Readonly<Record<string, string>>> => {
    const people = await world.crowd(to)
    for (let index = from; index < to; index++) {
      const person = people[index]
      if (person) await add(index, person)
    }
    await jobs.drain()
    const [commit] = await must(ann, `GET ${at}/pulls/${pull.number}/commits`)
    const [thread] = await must(ann, "GET /notifications?all=true")
    return {
      owner: "garden",
      repo: "beds",
      username: "ann",
      org: "garden",
      team: "builders",
      tag: "v0.0.0",
      pageName: "Home",
      issue: String(issue.number),
      pull: String(pull.number),
      sha: commit.sha,
      thread: String(thread?.id ?? 1),
      project: String(board.id),
      own: String(ownBoard.id),
    }
  }
}
