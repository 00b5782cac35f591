import { setTimeout as sleep } from "node:timers/promises"
import { lightLoad } from "./light.ts"
import type { LightFigure } from "./light-load.ts"
import { ADMIN, basic, type Server } from "./server.ts"

/** Reads as a busy installation has them: many addresses, none of them twice, and writes in between, so that every answer is made anew. */

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 6)
const CONNECTIONS = 32
/** Between two writes: some 20 a second, each of which makes all kept answers void. */
const WRITE_EVERY_MS = 50

export interface SpreadLoad extends LightFigure {
  /** How many requests were answered, about. */
  readonly total: number
}

/** Asks many addresses for some seconds, from a process of its own, while this one writes. */
export async function loadSpread(
  { url }: Pick<Server, "url">,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  write: () => Promise<unknown>,
  seconds = SECONDS,
): Promise<SpreadLoad> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${lines.join("")}\r\n`)
  let isOver = false
  const loaded = lightLoad({ port: Number(new URL(url).port), connections: CONNECTIONS, seconds, requests, status: 2 }).finally(() => {
    isOver = true
  })
  for (; !isOver; await sleep(WRITE_EVERY_MS)) await write()
  const figure = await loaded
  return { ...figure, total: figure.perSecond * (seconds + 1) }
}

const COUNT = 100
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1)
const proposals = numbers.slice(0, 30)
const content = (text: string): string => Buffer.from(text).toString("base64")
const busy = `/repos/${ADMIN.name}/busy`
const labelOf = (index: number): string => `label-${(index % 12) + 1}`

/** The server, or another that speaks the same API. */
export type Target = Pick<Server, "url" | "api">

/**
 * A repository `busy` with files, labelled and discussed issues, and reviewed pull requests; a hundred organisations with a repository each; thirty repositories of one's own; and a person
 * whose comments give notifications.
 */
export async function makeBusy(target: Target): Promise<void> {
  await target.api("POST", "/user/repos", { name: "busy", auto_init: true, default_branch: "main" })
  const files = numbers.map((index) => ({
    operation: "create",
    path: `src/${index % 10}/file-${index}.ts`,
    content: content(`export const it = ${index}\n`),
  }))
  await target.api("POST", `${busy}/contents`, { files })
  const labels = new Map<string, number>()
  for (const index of numbers.slice(0, 12)) {
    const made = await target.api("POST", `${busy}/labels`, { name: labelOf(index), color: "#ff0000", description: "One of twelve" })
    const { id }: { readonly id: number } = JSON.parse(await made.text())
    labels.set(labelOf(index), id)
  }
  await target.api("POST", "/admin/users", { ...OTHER, email: "other@example.com", must_change_password: false })
  const asOther = { authorization: basic(OTHER.username, OTHER.password) }
  for (const index of numbers) {
    await target.api("POST", "/orgs", { username: `org-${index}` })
    await target.api("POST", `/orgs/org-${index}/repos`, { name: "one", description: "One of many", auto_init: true })
    await target.api("POST", `${busy}/issues`, {
      title: `Plan ${index}`,
      body: "What is to be done, and why.",
      assignees: [ADMIN.name],
      labels: [labels.get(labelOf(index)), labels.get(labelOf(index + 5))],
    })
    for (const word of ["Yes", "No", "Perhaps"]) await target.api("POST", `${busy}/issues/${index}/comments`, { body: word })
    await target.api("POST", `${busy}/issues/${index}/comments`, { body: `@${ADMIN.name} what do you think?` }, asOther)
  }
  for (const index of proposals) {
    await target.api("POST", "/user/repos", { name: `mine-${index}`, description: "One of mine", auto_init: true })
    await target.api("POST", `${busy}/contents/proposal-${index}.md`, { content: content("Proposal\n"), new_branch: `change-${index}` })
    await target.api("POST", `${busy}/pulls`, { title: `Proposal ${index}`, head: `change-${index}`, base: "main" })
    for (const word of ["Good", "Very good"])
      await target.api("POST", `${busy}/pulls/${COUNT + index}/reviews`, { body: word, event: "COMMENT" }, asOther)
  }
  await sleep(2000)
}

const OTHER = { username: "other", password: ADMIN.password } as const

/** What is read, how often a second it should be, and from which addresses. */
interface Read {
  readonly name: string
  readonly goal: number
  readonly paths: readonly string[]
}

const SORTS = ["oldest", "recentupdate", "leastupdate"] as const

const READS: readonly Read[] = [
  { name: "my repositories, 30", goal: 2_000, paths: numbers.map((index) => `/user/repos?limit=30&page=${(index % 3) + 1}`) },
  { name: "pulls, 30", goal: 2_000, paths: numbers.map((index) => `${busy}/pulls?state=open&limit=30&sort=${SORTS[index % 3]}`) },
  {
    name: "issues, 30",
    goal: 2_000,
    paths: numbers.map((index) => `${busy}/issues?state=all&type=issues&limit=30&page=${(index % 3) + 1}`),
  },
  {
    name: "issues by label and text",
    goal: 2_000,
    paths: numbers.map((index) => `${busy}/issues?labels=${labelOf(index)}&q=plan&limit=30`),
  },
  {
    name: "feed, 30",
    goal: 2_000,
    paths: numbers.map((index) => `/users/${ADMIN.name}/activities/feeds?limit=30&page=${(index % 10) + 1}`),
  },
  { name: "timeline", goal: 2_500, paths: numbers.map((index) => `${busy}/issues/${index}/timeline?`) },
  { name: "reviews", goal: 2_500, paths: proposals.map((index) => `${busy}/pulls/${COUNT + index}/reviews?`) },
  { name: "search of repositories", goal: 2_500, paths: ["one", "mine", "bus", "o"].map((word) => `/repos/search?q=${word}&limit=30`) },
  { name: "notifications, 30", goal: 2_500, paths: [1, 2, 3].map((page) => `/notifications?all=true&limit=30&page=${page}`) },
  { name: "repository", goal: 6_000, paths: numbers.map((index) => `/repos/org-${index}/one?`) },
  { name: "issue", goal: 6_000, paths: numbers.map((index) => `${busy}/issues/${index}?`) },
  { name: "pull", goal: 6_000, paths: proposals.map((index) => `${busy}/pulls/${COUNT + index}?`) },
  { name: "contents of a file", goal: 5_000, paths: numbers.map((index) => `${busy}/contents/src/${index % 10}/file-${index}.ts?`) },
  { name: "raw file", goal: 8_000, paths: numbers.map((index) => `${busy}/raw/src/${index % 10}/file-${index}.ts?`) },
  { name: "commits, 30", goal: 5_000, paths: proposals.map((index) => `${busy}/commits?limit=30&sha=change-${index}`) },
  { name: "compare", goal: 5_000, paths: proposals.map((index) => `${busy}/compare/main...change-${index}?`) },
  { name: "branches, 30", goal: 5_000, paths: [1, 2].map((page) => `${busy}/branches?limit=30&page=${page}`) },
]
/** Addresses of one path that differ, so that none is asked for again while nothing was written. */
const COPIES = 50
let serial = 0
const addresses = (paths: readonly string[]): readonly string[] =>
  Array.from({ length: COPIES }, () => paths.map((path) => `/api/v1${path}&n=${serial++}`)).flat()

export interface ReadFigure extends Read {
  readonly load: SpreadLoad
  /** The same asked of the other server right after it. */
  readonly beside: SpreadLoad | undefined
}

/** How often each is answered in a second, after what has to be compiled is. */
export async function readFigures(
  target: Target,
  headers: Readonly<Record<string, string>>,
  beside?: { readonly target: Target; readonly headers: Readonly<Record<string, string>> },
): Promise<readonly ReadFigure[]> {
  let written = 0
  const write = (to: Target) => () => to.api("POST", "/repos/org-1/one/issues", { title: `In between ${written++}` })
  const figures: ReadFigure[] = []
  for (const read of READS) {
    await loadSpread(target, addresses(read.paths), headers, write(target), 1)
    const load = await loadSpread(target, addresses(read.paths), headers, write(target))
    const other = beside && (await loadSpread(beside.target, addresses(read.paths), beside.headers, write(beside.target)))
    figures.push({ ...read, load, beside: other })
  }
  return figures
}
