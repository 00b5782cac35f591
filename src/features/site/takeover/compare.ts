/** Asks two servers the same questions of the API, as an administrator of both, and finds what they answer differently. */

export interface CompareOptions {
  readonly old: string
  readonly now: string
  readonly token: string
  readonly signal: AbortSignal
  readonly progress: (asked: number, differing: number) => void
  readonly differs: (path: string, differences: readonly string[]) => void
}

export interface Compared {
  readonly asked: number
  readonly differing: number
}

const TIMEOUT_MS = 60_000
const AT_ONCE = 4
const PAGE = 50
/** The most differences of one answer that are told. */
const MOST_TOLD = 5

/** What differs by nature: sizes, moments of use, where pictures and SSH are. */
const IGNORED =
  /(^|_)size$|^(avatar_url|ssh_url|last_login|last_used_at|last_online|download_count|duration|busy|mirror_updated|last_update|last_error|git_size|language|url|html_url|website_url)$/
/** What Hearth answers otherwise on purpose, see docs/takeover.md. */
const MEANT = /(^|\.)commit\.tree\.sha$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Compares accounts, repositories, and what these have. Rejects where a server does not answer at all. */
export async function compareServers({ old, now, token, signal, progress, differs }: CompareOptions): Promise<Compared> {
  const counts = { asked: 0, differing: 0 }

  async function ask(base: string, path: string): Promise<Answer> {
    const response = await fetch(`${base}/api/v1${path}`, {
      headers: { authorization: `token ${token}` },
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get("content-type") ?? "")
    return { status: response.status, body: isJson && text !== "" ? JSON.parse(text.replaceAll(base, "")) : text.length }
  }

  /** Both answers, compared; the old one, for what it lists. */
  async function both(path: string): Promise<unknown> {
    const [was, is] = await Promise.all([ask(old, path), ask(now, path)])
    counts.asked++
    // The old one failed: there is nothing to be equal to.
    if (was.status >= 500) return undefined
    const found = was.status === is.status ? bodiesOf(was, is) : statusesOf(path, was, is)
    if (found.length > 0) {
      counts.differing++
      differs(path, found.slice(0, MOST_TOLD))
    }
    progress(counts.asked, counts.differing)
    return was.status < 300 ? was.body : undefined
  }

  /** All pages of a list, compared one by one; what the old server has in them. */
  async function* pagesOf(path: string): AsyncGenerator<Readonly<Record<string, unknown>>> {
    for (let page = 1; !signal.aborted; page++) {
      const listed = await both(`${path}${path.includes("?") ? "&" : "?"}page=${page}&limit=${PAGE}`)
      const items = Array.isArray(listed) ? listed : []
      yield* items
      if (items.length < PAGE) return
    }
  }

  const each = async (path: string, work: (item: Readonly<Record<string, unknown>>) => readonly string[]): Promise<void> => {
    const paths: string[] = []
    const workers = Array.from({ length: AT_ONCE }, () => undefined)
    for await (const item of pagesOf(path)) {
      paths.push(...work(item))
      if (paths.length >= PAGE) await Promise.all(workers.map(drain))
    }
    await Promise.all(workers.map(drain))

    async function drain(): Promise<void> {
      for (let next = paths.shift(); next !== undefined && !signal.aborted; next = paths.shift())
        if (next.endsWith("…")) for await (const _ of pagesOf(next.slice(0, -1)));
        else await both(next)
    }
  }

  // The words of a refusal are each server's own.
  const bodiesOf = (was: Answer, is: Answer) => (was.status < 400 ? differencesOf(was.body, is.body) : [])
  const statusesOf = (path: string, was: Answer, is: Answer) =>
    isMeant(path, was, is) ? [] : [`status ${was.status}, and now ${is.status}`]
  const part = (value: unknown): string => encodeURIComponent(String(value))
  await each("/admin/users", ({ login }) => [
    `/users/${part(login)}`,
    ...["keys", "gpg_keys", "followers", "following", "starred", "subscriptions", "orgs"].map((list) => `/users/${part(login)}/${list}…`),
  ])
  await each("/admin/orgs", ({ username }) => [
    `/orgs/${part(username)}`,
    ...["members", "teams", "labels", "hooks", "actions/variables", "actions/secrets"].map((list) => `/orgs/${part(username)}/${list}…`),
  ])
  const issues: string[] = []
  for await (const found of searched(pagesOf)) {
    const name = String(found["full_name"] ?? "")
    const repo = `/repos/${name.split("/").map(part).join("/")}`
    await both(repo)
    for (const list of LISTS) for await (const _ of pagesOf(`${repo}/${list}`));
    for await (const issue of pagesOf(`${repo}/issues?state=all&type=issues`)) issues.push(`${repo}/issues/${part(issue["number"])}`)
    for await (const pull of pagesOf(`${repo}/pulls?state=all`)) {
      issues.push(`${repo}/issues/${part(pull["number"])}`)
      for await (const _ of pagesOf(`${repo}/pulls/${part(pull["number"])}/reviews`));
    }
    await drainIssues()
  }
  return counts

  async function drainIssues(): Promise<void> {
    const work = async () => {
      for (let next = issues.shift(); next !== undefined && !signal.aborted; next = issues.shift())
        for await (const _ of pagesOf(`${next}/timeline`));
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
}

/** Lists of a repository. */
const LISTS = [
  "branches",
  "tags",
  "commits",
  "releases",
  "labels",
  "milestones?state=all",
  "collaborators",
  "hooks",
  "keys",
  "branch_protections",
  "tag_protections",
  "stargazers",
  "subscribers",
  "forks",
  "actions/variables",
  "actions/secrets",
  "wiki/pages",
] as const

/** The repositories that a search lists, which wraps them. */
async function* searched(
  pagesOf: (path: string) => AsyncGenerator<Readonly<Record<string, unknown>>>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  for await (const user of pagesOf("/admin/users")) yield* pagesOf(`/users/${encodeURIComponent(String(user["login"]))}/repos`)
  for await (const org of pagesOf("/admin/orgs")) yield* pagesOf(`/orgs/${encodeURIComponent(String(org["username"]))}/repos`)
}

/** Pull requests of an empty repository and pages of a wiki without any: an empty list, and none. */
const isMeant = (path: string, was: Answer, is: Answer): boolean =>
  was.status === 404 && is.status === 200 && /\/(pulls|wiki\/pages)\?/.test(path) && Array.isArray(is.body) && is.body.length === 0

/** What two answers have that is not equal, each with where it is. */
export function differencesOf(was: unknown, is: unknown, at = "", key = ""): readonly string[] {
  if (IGNORED.test(key) || was === is || MEANT.test(at.replaceAll(/\[\d+\]/g, ""))) return []
  const isNothing = (value: unknown) =>
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  if (isNothing(was) && isNothing(is)) return []
  if (typeof was === "string" && typeof is === "string" && TIME.test(was) && TIME.test(is))
    return Math.floor(Date.parse(was) / 1000) === Math.floor(Date.parse(is) / 1000) ? [] : [told(at, was, is)]
  if (typeof was === "string" && typeof is === "string" && was.trimEnd() === is.trimEnd()) return []
  if (Array.isArray(was) && Array.isArray(is)) {
    const length = was.length === is.length ? [] : [`${at || "the list"}: ${was.length} of them, and now ${is.length}`]
    const others = ordered(is, was)
    return [...length, ...was.slice(0, is.length).flatMap((item, index) => differencesOf(item, others[index], `${at}[${index}]`, key))]
  }
  if (isObject(was) && isObject(is))
    return Object.keys(was).flatMap((name) => differencesOf(was[name], is[name], at === "" ? name : `${at}.${name}`, name))
  return [told(at, was, is)]
}

const told = (at: string, was: unknown, is: unknown): string =>
  `${at || "the answer"}: ${JSON.stringify(was)?.slice(0, 120)}, and now ${JSON.stringify(is)?.slice(0, 120)}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A list in the order of another one with the same members: equal moments have no order. */
function ordered(list: readonly unknown[], like: readonly unknown[]): readonly unknown[] {
  const names = like.map(nameOf)
  if (new Set(names).size < names.length || names.toSorted().join() !== list.map(nameOf).toSorted().join()) return list
  const places = new Map(list.map((item) => [nameOf(item), item]))
  return names.map((name) => places.get(name))
}

const NAMES = ["id", "sha", "name", "filename", "rule_name", "title"] as const

/** What a member of a list is known by in both. */
function nameOf(item: unknown): string {
  const name = isObject(item) ? NAMES.map((key) => item[key]).find((value) => value !== undefined) : item
  return JSON.stringify(name ?? item)
}
