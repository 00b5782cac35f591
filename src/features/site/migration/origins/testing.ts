import { execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createGunzip } from "node:zlib"
import { expect } from "vitest"
import type { FreshKind } from "../../../../../tests/support/database.ts"
import { must } from "../../../code/mirrors/testing.ts"
import { openWorld } from "../../../code/repositories/testing.ts"
import { runImport } from "../import.ts"

/** For tests: a server that gives recorded answers of another forge's API page by page, as GitHub and GitLab do, and a git repository. */

/** What is sent instead of the recorded answer: a text is sent as it is; "drop" ends the connection in the middle. */
export type Instead = { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } | "drop"

/** What is at a path: a list is given page by page, a function is asked with what was sent. */
// biome-ignore lint/suspicious/noExplicitAny: what was sent has every shape
export type Recorded = object | readonly unknown[] | ((sent: any, query: URLSearchParams) => unknown)

export interface Recording {
  readonly url: string
  /** What was asked for, in order: method, path and query, without the requests of git. */
  readonly asked: string[]
  /** By path without query; all but git. May be changed. */
  answers: Readonly<Record<string, Recorded>>
  /** Asked first for every request but git's. */
  instead: ((path: string, asked: number) => Instead | undefined) | undefined
  readonly close: () => Promise<void>
}

/** The commits of the repository that every recording has. */
export interface Commits {
  readonly main: string
  readonly feature: string
  readonly merged: string
}

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`)

/** Makes the repository: `main` with a merged branch, `feature` with another line 20, both also as the other servers name the heads of requests. */
export function makeRepository(folder: string): Commits {
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim()
  const person = "Octo Cat <octo@example.com> 1700000000 +0000"
  const file = (lines: readonly string[]) => `M 100644 inline src/app.txt\ndata ${`${lines.join("\n")}\n`.length}\n${lines.join("\n")}\n\n`
  const commit = (ref: string, mark: number, from: string, lines: readonly string[]) =>
    `commit ${ref}\nmark :${mark}\ncommitter ${person}\ndata 2\nok\n${from}${file(lines)}`
  const input = [
    commit("refs/heads/main", 1, "", LINES),
    commit("refs/heads/feature", 2, "from :1\n", LINES.with(19, "another line 20")),
    commit("refs/heads/done", 3, "from :1\n", [...LINES, "line 41"]),
    commit("refs/heads/main", 4, "from :1\nmerge :3\n", [...LINES, "line 41"]),
    "reset refs/tags/v1\nfrom :4\n\nreset refs/pull/3/head\nfrom :2\n\nreset refs/pull/4/head\nfrom :3\n\n",
    "reset refs/merge-requests/1/head\nfrom :2\n\nreset refs/merge-requests/2/head\nfrom :3\n\ndone\n",
  ].join("")
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", folder])
  execFileSync("git", ["-C", folder, "fast-import", "--quiet", "--done"], { input })
  git("update-ref", "-d", "refs/heads/done")
  return { main: git("rev-parse", "main"), feature: git("rev-parse", "feature"), merged: git("rev-parse", "refs/pull/4/head") }
}

/** Opens a server whose `answers` are made once the address and the commits are known. */
export async function openRecording(make: (url: string, commits: Commits) => Readonly<Record<string, Recorded>>): Promise<Recording> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-recording-"))
  const commits = makeRepository(folder)
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`
  const recording: Recording = {
    url,
    asked: [],
    answers: make(url, commits),
    instead: undefined,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url)
    if (/\/(?:info\/refs|git-upload-pack)$/.test(pathname)) {
      if (pathname.includes(".wiki")) response.writeHead(404).end()
      else serveGit(folder, pathname, request, response)
      return
    }
    const place = `${request.method} ${request.url}`
    recording.asked.push(place)
    const instead = recording.instead?.(request.url ?? "/", recording.asked.filter((before) => before === place).length)
    if (instead === "drop") {
      response.writeHead(200, { "content-length": "1000" }).write("[{")
      setImmediate(() => response.destroy())
    } else if (instead) response.writeHead(instead.status ?? 200, instead.headers ?? {}).end(instead.body ?? "{}")
    else await giveRecorded(pathname, searchParams, request, response)
  }

  async function giveRecorded(path: string, query: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = Object.hasOwn(recording.answers, path) ? recording.answers[path] : undefined
    if (found === undefined) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"message":"Not Found"}')
      return
    }
    if (Buffer.isBuffer(found)) {
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(found)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const sent: unknown = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString("utf8"))
    const given = typeof found === "function" ? found(sent, query) : found
    const { body, headers } = Array.isArray(given) ? pageOf(url + path, given, query) : { body: given, headers: {} }
    const text = JSON.stringify(body)
    const tag = `"${createHash("sha256").update(text).digest("hex")}"`
    response.writeHead(200, { "content-type": "application/json; charset=utf-8", etag: tag, ...headers }).end(text)
  }

  return recording
}

/** Which records have changed since then, where a request asks for those alone. */
function changed(list: readonly unknown[], query: URLSearchParams): readonly unknown[] {
  const since = query.get("since") ?? query.get("updated_after")
  const changedAt = (record: unknown) => String((typeof record === "object" && record !== null && Reflect.get(record, "updated_at")) ?? "")
  const all = since === null ? list : list.filter((record) => Date.parse(changedAt(record)) >= Date.parse(since))
  const by = query.get("sort") === "updated" && query.get("direction") === "desc"
  return by ? all.toSorted((a, b) => changedAt(b).localeCompare(changedAt(a))) : all
}

/** One page, with the headers of both servers. */
function pageOf(at: string, list: readonly unknown[], query: URLSearchParams) {
  const records = changed(list, query)
  const [size, page] = [Number(query.get("per_page") ?? 30), Number(query.get("page") ?? 1)]
  const last = Math.max(1, Math.ceil(records.length / size))
  const linked = (to: number, rel: string) => {
    const next = new URLSearchParams(query)
    next.set("page", String(to))
    return `<${at}?${next}>; rel="${rel}"`
  }
  return {
    body: records.slice((page - 1) * size, page * size),
    headers: {
      "x-total": String(records.length),
      "x-next-page": page < last ? String(page + 1) : "",
      ...(last > 1 && { link: [...(page < last ? [linked(page + 1, "next")] : []), linked(last, "last")].join(", ") }),
    },
  }
}

function serveGit(folder: string, path: string, request: IncomingMessage, response: ServerResponse): void {
  const isListing = path.endsWith("/info/refs")
  const kind = isListing ? "advertisement" : "result"
  response.writeHead(200, { "content-type": `application/x-git-upload-pack-${kind}`, "cache-control": "no-cache" })
  const options = isListing ? ["--http-backend-info-refs"] : []
  const version = request.headers["git-protocol"]
  const git = spawn("git", ["-c", "uploadpack.allowAnySHA1InWant=true", "upload-pack", "--stateless-rpc", ...options, folder], {
    env: { ...process.env, GIT_PROTOCOL: String(version ?? "") },
    stdio: ["pipe", "pipe", "inherit"],
  })
  if (isListing) response.write("001e# service=git-upload-pack\n0000")
  const body = request.headers["content-encoding"] === "gzip" ? request.pipe(createGunzip()) : request
  if (isListing) git.stdin.end()
  else body.pipe(git.stdin)
  git.stdout.pipe(response)
}

/** A forge with ann, who brings a repository that is recorded. */
export async function openImports(
  kind: FreshKind,
  service: string,
  path: string,
  records: (url: string, commits: Commits) => Readonly<Record<string, Recorded>>,
) {
  const world = await openWorld(kind, { outgoing: { allowedHosts: "loopback" } })
  const ann = await world.person("ann")
  const { services } = world.hearth
  const recordings: Recording[] = []
  const everything = { issues: true, labels: true, milestones: true, pull_requests: true, releases: true, service }
  return {
    ...world,
    ann,
    async record(): Promise<Recording> {
      const recording = await openRecording(records)
      recordings.push(recording)
      return recording
    },
    /** Starts an import, and runs it as far as it goes. */
    async bring(url: string, repo_name: string, options: object = {}) {
      const asked = { clone_addr: `${url}/${path}.git`, repo_name, ...everything, ...options }
      const { status, body } = await ann.call("POST", "/repos/migrate?wait=false", asked)
      expect([status, body.message]).toEqual([201, undefined])
      await services.jobs.drain()
    },
    /** Lets time pass until all that waits is due. */
    async wait() {
      await services.database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("state", "=", "waiting").execute())
      await services.jobs.drain()
    },
    row: () => services.database.read.selectFrom("imports").selectAll().orderBy("id", "desc").executeTakeFirstOrThrow(),
    get: (address: string) => must(ann, "GET", `/repos/ann${address}`),
    /** Runs the last import once more, as if it had ended then. */
    async again(since: number) {
      const { id } = await services.database.read.selectFrom("imports").select("id").orderBy("id", "desc").executeTakeFirstOrThrow()
      const anew = { phase: "records", cursor: "{}", progress: "", since } as const
      await services.database.write((tx) => tx.updateTable("imports").set(anew).where("id", "=", id).execute())
      await runImport(services, id, { signal: new AbortController().signal, isLast: true })
    },
    /** The title of the only board, and of each of its columns with the numbers of its cards. */
    async board(address: string) {
      const db = services.database.read
      const [board] = await must(ann, "GET", `/repos/ann${address}/projects`)
      const columns = await db
        .selectFrom("project_columns")
        .select(["id", "title"])
        .where("project_id", "=", board.id)
        .orderBy("sorting")
        .execute()
      const cards = await db
        .selectFrom("project_cards")
        .innerJoin("issues", "issues.id", "issue_id")
        .select(["column_id", "number"])
        .where("project_id", "=", board.id)
        .orderBy("sorting")
        .execute()
      return [
        board.title,
        ...columns.map(({ id, title }) => [title, ...cards.flatMap(({ column_id, number }) => (column_id === id ? number : []))]),
      ]
    },
    /** The reactions that wait for who gave them. */
    async waiting(address: string): Promise<readonly string[]> {
      const { id } = await must(ann, "GET", `/repos/ann${address}`)
      const rows = await services.database.read
        .selectFrom("imported_reactions")
        .innerJoin("imported_people", "imported_people.id", "imported_reactions.person_id")
        .innerJoin("issues", "issues.id", "imported_reactions.issue_id")
        .leftJoin("comments", "comments.id", "imported_reactions.comment_id")
        .select(["login", "imported_reactions.content as reaction", "issues.title", "comments.content"])
        .where("issues.repository_id", "=", id)
        .execute()
      return rows.map(({ login, reaction, title, content }) => `${login}: ${reaction} on ${content ?? title}`).toSorted()
    },
    /** What each step has brought, with what it has not. */
    left: (steps: readonly { readonly name: string; readonly done: number; readonly missing: number }[]) =>
      Object.fromEntries(steps.map(({ name, done, missing }) => [name, missing === 0 ? done : [done, missing]])),
    async close() {
      for (const recording of recordings) await recording.close()
      await world.close()
    },
  }
}
