/** Which address shows which page, and one address of every page in the example. */
import type { File } from "../../src/core/file.ts"
import { restOf } from "../../src/core/operation.ts"
import type { Page } from "../../src/core/page.ts"
import { pages } from "../../src/pages.ts"
import { crawl } from "./crawl.ts"
import { type DemoWorld, VISITORS, type Visitor } from "./world.ts"

/**
 * Addresses with names in them that no link leads to: older forms, what programs ask for, and what belongs to one reader. A new page that nothing links to needs a line
 * here.
 */
const UNLINKED: Readonly<Record<string, string>> = {
  "code.home": "/dewpoint/sprinkle/src",
  "code.tree": "/dewpoint/sprinkle/tree/main/src",
  "code.list": "/dewpoint/sprinkle/tree-list/branch/main/src",
  "code.refs": "/dewpoint/sprinkle/ref-list/branch/main/src?kind=tag",
  "files.editor": "/dewpoint/sprinkle/_edit/main/package.json",
  "files.writingStyle": "/dewpoint/sprinkle/_editorconfig/main/package.json",
  "files.patch": "/dewpoint/sprinkle/_diffpatch/main",
  "files.delete": "/dewpoint/sprinkle/_delete/main/package.json",
  "code.blob": "/dewpoint/sprinkle/blob/main/README.md",
  "releases.latest": "/dewpoint/sprinkle/releases/latest",
  "wiki.page": "/dewpoint/sprinkle/wiki/Home",
  "wiki.editor": "/dewpoint/sprinkle/wiki/_edit/Beds",
  "wiki.confirmDelete": "/dewpoint/sprinkle/wiki/_delete/Beds",
  "milestone.shown": "/dewpoint/sprinkle/milestones/1",
  "issue.shown": "/dewpoint/sprinkle/issue/1",
  "pull.shown": "/dewpoint/sprinkle/pull/7",
  "repository.elsewhere": "/dewpoint/sprinkle/-/merge_requests/7",
  "site.sitemap.repos": "/explore/repos/sitemap-1.xml",
  "site.sitemap.users": "/explore/users/sitemap-1.xml",
  "provider.begin": "/user/oauth2/elsewhere",
  "provider.callback": "/user/oauth2/elsewhere/callback",
  "mail.unsubscribing": "/user/unsubscribe/1.1.none",
  "feed.account.rss": "/dewpoint.rss",
  "feed.account.atom": "/dewpoint.atom",
  "feed.repository.rss": "/dewpoint/sprinkle.rss",
  "feed.repository.atom": "/dewpoint/sprinkle.atom",
  "profile.picture": "/mira.png",
  "profile.repositories": "/dewpoint/-/repositories",
  "organization.dashboard": "/org/dewpoint/dashboard",
  "composer.complete": "/dewpoint/sprinkle/complete?sign=%23&q=1",
  "commits.rss": "/dewpoint/sprinkle/rss/branch/main",
  "pull.lines": "/dewpoint/sprinkle/pulls/7/lines?comment=src/log.js:R:4-5",
  "pull.new": "/dewpoint/sprinkle/pulls/new/balcony",
  "pull.conflicts": "/dewpoint/sprinkle/pulls/7/conflicts",
}

/** Streams of events, which don't end, and what only a job that has run has; `features/actions/pages` and `features/site/migration` test them. */
const OF_JOBS: ReadonlySet<string> = new Set([
  "actions.runEvents",
  "actions.jobEvents",
  "actions.artifact",
  "actions.log",
  "actions.logOfJob",
  "migration.progress",
])

/** Where there are webhooks, secrets and variables, and who manages them there. */
const PLACES = [
  { id: "repo", api: "/repos/dewpoint/sprinkle", at: "/dewpoint/sprinkle/settings", who: "mira" },
  { id: "org", api: "/orgs/dewpoint", at: "/org/dewpoint/settings", who: "mira" },
  { id: "user", api: "/user", at: "/user/settings", who: "mira" },
  { id: "admin", api: "/admin", at: "/-/admin", who: "root" },
] as const
const VARIABLES = PLACES.filter(({ id }) => id !== "admin")
const NEW_HOOK = {
  type: "gitea",
  // No such server is asked: it is a private address.
  config: { url: "http://127.0.0.1:1/in", content_type: "json" },
  events: ["push", "package"],
  active: true,
  is_system_webhook: true,
}

const WORKFLOW = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n"

/** Likewise, with what only the API says. */
async function unlinkedOf(world: DemoWorld): Promise<Readonly<Record<string, string>>> {
  // Untyped, for tests.
  // biome-ignore lint/suspicious/noExplicitAny: records of several kinds
  const record = async (route: string, body?: object, who = "mira"): Promise<any> => (await world.call(who, route, body)).json()
  const hooks: Record<string, number> = {}
  for (const { id, api, who } of PLACES) hooks[id] = (await record(`POST ${api}/hooks`, NEW_HOOK, who)).id
  for (const { api } of VARIABLES) await world.call("mira", `POST ${api}/actions/variables/TONE`, { value: "low" })
  await record("POST /repos/dewpoint/sprinkle/wiki/new", {
    title: "Beds",
    content_base64: Buffer.from("Issue tracker").toString("base64"),
  })
  const { commits: revisions } = await record("GET /repos/dewpoint/sprinkle/wiki/revisions/Beds")
  const project = await record("POST /orgs/dewpoint/projects", { title: "The year" })
  const [commit, earlier] = await record("GET /repos/dewpoint/sprinkle/pulls/7/commits")
  const file = await record("GET /repos/dewpoint/sprinkle/contents/package.json")
  const content = Buffer.from(WORKFLOW).toString("base64")
  await record("POST /repos/dewpoint/sprinkle/contents/.gitea/workflows/test.yml", { content, message: "Test each push", branch: "main" })
  await world.settle()
  const run = (await record("GET /repos/dewpoint/sprinkle/actions/runs")).workflow_runs[0]
  const job = (await record(`GET /repos/dewpoint/sprinkle/actions/runs/${run.id}/jobs`)).jobs[0]
  const runAt = new URL(run.html_url).pathname
  await world.store("mira", "/api/packages/mira/generic/hose/1.0/hose.txt", "a hose")
  const [packaged] = await record("GET /packages/mira")
  const packageAt = new URL(packaged.html_url).pathname
  const [packageFile] = await record("GET /packages/mira/generic/hose/1.0/files")
  await record("POST /user/repos", { name: "trowel" })
  await record("POST /repos/mira/trowel/transfer", { new_owner: "noor" })
  await record("POST /repos/dewpoint/sprinkle/branch_protections", { rule_name: "release/*", required_approvals: 1 })
  await record("POST /repos/dewpoint/sprinkle/branch_protections", { rule_name: "balcony", enable_merge_queue: true })
  const tagRule = await record("POST /repos/dewpoint/sprinkle/tag_protections", { name_pattern: "v*", whitelist_usernames: ["mira"] })
  const [thread] = await record("GET /notifications?all=true")
  const application = await record("POST /user/applications/oauth2", {
    name: "Garden planner",
    redirect_uris: ["https://planner.example/"],
  })
  await world.settle()
  const hookPages = await Promise.all(
    PLACES.map(async ({ id, api, at, who }) => {
      const [first] = await record(`GET ${api}/hooks/${hooks[id]}/deliveries`, undefined, who)
      const hookAt = `${at}/hooks/${hooks[id]}`
      return { [`${id}Hooks.edit`]: hookAt, [`${id}Hooks.delivery`]: `${hookAt}/deliveries/${first.id}` }
    }),
  )
  const [said] = await record("GET /repos/dewpoint/sprinkle/issues/1/comments")
  await record(`PATCH /repos/dewpoint/sprinkle/issues/comments/${said.id}`, { body: `${said.body}\n\nI have seen it again.` })
  await record("PATCH /repos/dewpoint/sprinkle/issues/1", { body: "It drips.\n\nOnly at night." })
  await fetch(`${world.url}/user/settings/replies`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: await world.signIn("mira"), "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ name: "Version", content: "Which **version** is it?" }),
  })
  const task = await record("POST /users/mira/tokens", {
    name: "Weeds",
    scopes: ["write:issue"],
    repositories: ["dewpoint/sprinkle"],
    branches: ["weeds/*"],
    writes: 3,
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  const label = await record("POST /orgs/dewpoint/labels", { name: "water", color: "0075ca" })
  await record("POST /user/repos", { name: "seed", auto_init: true, template: true })
  return {
    ...Object.fromEntries(pages.filter(isFilled).map((page) => [page.id, formAddress(page)])),
    ...UNLINKED,
    "ownerProject.show": `/dewpoint/-/projects/${project.id}`,
    "personal.tokenDeeds": `/user/settings/applications/${task.id}/deeds`,
    "actions.run": runAt,
    "actions.attempt": `${runAt}/attempts/1`,
    "actions.workflowFile": `${runAt}/workflow`,
    "actions.job": `${runAt}/jobs/${job.id}`,
    "code.excerpt": `/dewpoint/sprinkle/blob_excerpt/${file.sha}?path=package.json&from=1&to=5`,
    "package.show": packageAt.replace(/\/[^/]+$/, ""),
    "package.versions": packageAt.replace(/[^/]+$/, "versions"),
    "package.version": packageAt,
    "package.file": `${packageAt}/files/${packageFile.id}`,
    "organization.label": `/org/dewpoint/settings/labels/${label.id}`,
    "repository.generate": "/mira/seed/generate",
    "pull.range": `/dewpoint/sprinkle/pulls/7/files/${earlier.sha}..${commit.sha}`,
    "pull.commit": `/dewpoint/sprinkle/pulls/7/commits/${commit.sha}`,
    "commit.picking": `/dewpoint/sprinkle/_cherrypick/${commit.sha}/main`,
    "wiki.older": `/dewpoint/sprinkle/wiki/_revert/Beds?revision=${revisions[0].sha}`,
    "settings.branchRule": "/dewpoint/sprinkle/settings/branches/edit/release/*",
    "queue.show": "/dewpoint/sprinkle/queue/balcony",
    "settings.tagRule": `/dewpoint/sprinkle/settings/tags/${tagRule.id}`,
    "repository.offer": "/mira/trowel/transfer",
    "oauth2.authorize": `/login/oauth/authorize?${new URLSearchParams({
      client_id: application.client_id,
      redirect_uri: "https://planner.example/",
      response_type: "code",
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
    })}`,
    "personal.application": `/user/settings/applications/oauth2/${application.id}`,
    "issue.commentHistory": `/dewpoint/sprinkle/issues/1/comments/${said.id}/history`,
    // The first one that anyone saves.
    "personal.reply": "/user/settings/replies/1",
    "personal.replyText": "/user/settings/replies/1/text",
    "notifications.open": `/notifications/threads/${thread.id}`,
    ...Object.assign({}, ...hookPages),
    ...Object.fromEntries(PLACES.map(({ id, at }) => [`${id}Hooks.new`, `${at}/hooks/gitea/new`])),
    ...Object.fromEntries(VARIABLES.map(({ id, at }) => [`${id}Variables.edit`, `${at}/actions/variables/TONE`])),
  }
}

/** Addresses that are matched before others have fewer values, and these later in the path: the router's order. */
const patterns = pages
  .filter(({ method }) => method === "GET")
  .map((page) => {
    const rest = restOf(page.address)
    const source = page.address
      .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
      .replace(/\{(\w+)\}/g, (_, name: string) => (name === rest ? ".*" : "[^/]+?"))
    const rank = page.address
      .split("/")
      .map((part) => (part.startsWith("{") ? (part.endsWith("}") ? (part === `{${rest}}` ? 3 : 2) : 1) : 0))
      .join("")
    return { page, rank, pattern: new RegExp(`^${source}/?$`) }
  })
  .sort((a, b) => a.rank.localeCompare(b.rank))

/** The page that a path leads to, or undefined. */
export const pageAt = (path: string): Page | undefined => {
  const [address = ""] = path.split("?", 1)
  return patterns.find(({ pattern }) => pattern.test(address))?.page
}

export interface Place {
  readonly page: Page
  readonly path: string
}

export const ENTRIES = ["/", "/explore/repos", "/dewpoint/sprinkle", "/mira"] as const
const OWN_ENTRIES = ["/issues", "/pulls", "/milestones", "/notifications"]

/** Where a visitor begins to follow links. */
export const entriesOf = (visitor: Visitor): readonly string[] =>
  visitor === "anonymous" ? [...ENTRIES, "/user/login"] : [...ENTRIES, ...OWN_ENTRIES]

/**
 * For each of these visitors one address of every GET page, found by following links as one of them; throws with the names of pages for which there
 * is none.
 */
export async function placesOf(world: DemoWorld, visitors: readonly Visitor[] = VISITORS): Promise<ReadonlyMap<Visitor, readonly Place[]>> {
  const unlinked = await unlinkedOf(world)
  const reached = new Map<Visitor, Map<string, string>>()
  for (const visitor of visitors) {
    const visited = await crawl({
      url: world.url,
      cookie: await world.signIn(visitor),
      entries: entriesOf(visitor),
      most: 600,
      ofOneShape: 2,
    })
    const found = new Map<string, string>()
    for (const { path } of visited) {
      const id = pageAt(path)?.id
      if (id !== undefined && !found.has(id)) found.set(id, path)
    }
    reached.set(visitor, found)
  }
  const anybodys = new Map([...reached.values()].toReversed().flatMap((found) => [...found]))
  const missing = pages.filter(({ id, method }) => method === "GET" && !OF_JOBS.has(id) && !anybodys.has(id) && unlinked[id] === undefined)
  if (missing.length > 0)
    throw new Error(
      `no link leads to these pages, and tests/pages/addresses.ts has no address of them: ${missing.map(({ id, address }) => `${id} (${address})`).join(", ")}`,
    )
  return new Map(
    visitors.map((visitor) => [
      visitor,
      pages
        .filter(({ id, method }) => method === "GET" && !OF_JOBS.has(id))
        .map((page) => ({ page, path: reached.get(visitor)?.get(page.id) ?? anybodys.get(page.id) ?? unlinked[page.id] ?? "" })),
    ]),
  )
}

/** Values for the names in addresses of forms, which no one gets to by a link. */
const VALUES: Readonly<Record<string, string>> = {
  owner: "dewpoint",
  repo: "sprinkle",
  username: "tomas",
  user: "tomas",
  org: "dewpoint",
  team: "builders",
  index: "1",
}

/** What stands for the names in addresses of files. */
const VALUES_OF_FILES: Readonly<Record<string, string>> = {
  "code.raw": "branch/main/README.md",
  "code.media": "branch/main/README.md",
  "code.archive": "main.tar.gz",
  "releases.download": "v0.2.0/none.zip",
  "releases.downloadLatest": "none.zip",
  "actions.badge": "test.yml",
  "site.avatar": "0".repeat(32),
}

/** An address of a file in the example. */
export const fileAddress = ({ id, address }: File): string =>
  address.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? (name === "diffType" ? "diff" : (VALUES_OF_FILES[id] ?? "1")))

const isFilled = ({ address }: Page): boolean => [...address.matchAll(/\{(\w+)\}/g)].every(([, name = ""]) => VALUES[name] !== undefined)

/** An address of a form in the example, or of another page whose names are all known. */
export const formAddress = ({ address }: Page): string => address.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? "1")
