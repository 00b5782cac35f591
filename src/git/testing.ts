import { createHash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createGunzip } from "node:zlib"
import { expect, inject } from "vitest"
import { type Run, runHere, runThere } from "./client.fixture.ts"
import {
  type Git,
  type GitOptions,
  isGitError,
  openGit,
  type PushOutcome,
  type ReceiveRequest,
  type Repository,
  servicePreamble,
} from "./index.ts"

export type { Run } from "./client.fixture.ts"

/** Shared by tests of git: a temporary folder, a real git client, and a minimal server for it. */

/** A temporary folder with git opened in it. */
export interface World {
  readonly git: Git
  readonly folder: string
  close(): Promise<void>
}

export async function openWorld(options: Partial<GitOptions> = {}, root = "repositories"): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-git-"))
  const git = openGit({ root: join(folder, root), agent: "hearth/test", durable: false, ...options })
  const close = async () => {
    await git.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { git, folder, close }
}

/** Runs a client's git in a folder; it may fail. */
export function client(folder: string, args: readonly string[], input?: string | Buffer): Promise<Run> {
  const clients = inject("gitClients")
  const order = { folder, args, input }
  return clients === undefined ? runHere(order) : runThere(clients, order)
}

/** Runs a client's git that must succeed, and returns its output, trimmed. */
export async function ok(folder: string, ...args: readonly string[]): Promise<string> {
  const run = await client(folder, args)
  if (run.code !== 0) throw new Error(`git ${args.join(" ")}: ${run.err}`)
  return run.out.trim()
}

/** A commit of `writeHistory`. */
export interface Step {
  /** The branch that goes on; a new one begins at `from`, or with no history. */
  readonly branch?: string
  readonly from?: string
  readonly message?: string
  readonly files?: Readonly<Record<string, string>>
}

/** Adds these commits to a client's repository by one process, and gives their ids. The work tree stays as it was. */
export async function writeHistory(folder: string, steps: readonly Step[]): Promise<readonly string[]> {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const lines = steps.map(({ branch = "main", from, message = "More", files = {} }, index) =>
    [
      `commit refs/heads/${branch}\nmark :${index + 1}\n`,
      `author Ada <ada@example.com> 1700000000 +0100\ncommitter Ben <ben@example.com> ${1_700_000_100 + index} -0330\n`,
      data(message),
      from === undefined ? "" : `from ${from}\n`,
      ...Object.entries(files).map(([path, content]) => `M 100644 inline ${JSON.stringify(path)}\n${data(content)}`),
      `\nget-mark :${index + 1}\n`,
    ].join(""),
  )
  const { code, out, err } = await client(folder, ["fast-import", "--quiet", "--force"], lines.join(""))
  if (code !== 0) throw new Error(`git fast-import: ${err}`)
  return out.trim().split("\n")
}

/**
 * Writes trees into a client's repository, each of which holds the one before it so many times, the first a file. Gives the commit of the
 * last one: it is small, and beyond all measure where it is read whole.
 */
export async function writeKnot(folder: string, { levels, width, file }: { levels: number; width: number; file: string }): Promise<string> {
  const blob = (await client(folder, ["hash-object", "-w", "--stdin"], "0123456789")).out.trim()
  const listings: string[] = []
  let entry = { mode: "100644", type: "blob", id: blob, name: (_index: number) => file }
  for (let level = 0; level <= levels; level++) {
    const names = Array.from({ length: level === 0 ? 1 : width }, (_, index) => entry.name(index))
    listings.push(names.map((name) => `${entry.mode} ${entry.type} ${entry.id}\t${name}\n`).join(""))
    const raw = names.flatMap((name) => [Buffer.from(`${Number(entry.mode)} ${name}\0`), Buffer.from(entry.id, "hex")])
    const size = raw.reduce((sum, { length }) => sum + length, 0)
    const id = createHash("sha1")
      .update(Buffer.concat([Buffer.from(`tree ${size}\0`), ...raw]))
      .digest("hex")
    entry = { mode: "040000", type: "tree", id, name: (index) => `d${index}` }
  }
  const made = await client(folder, ["mktree", "--batch", "--missing"], listings.join("\n"))
  expect(made.out.trim().split("\n").at(-1)).toBe(entry.id)
  return ok(folder, "commit-tree", entry.id, "-m", "knot")
}

/** How the tests' server handles pushes; by default it allows everything. */
export type Policy = {
  -readonly [K in "check" | "before" | "after" | "make" | "maxBytes" | "maxReferences"]?: NonNullable<ReceiveRequest[K]>
}

/** A minimal smart HTTP server. */
export interface TestServer {
  readonly url: (repository: Repository) => string
  readonly policy: Policy
  readonly outcomes: PushOutcome[]
  close(): Promise<void>
}

export async function serve(git: Git): Promise<TestServer> {
  const policy: Policy = {}
  const outcomes: PushOutcome[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost")
    const [, key = "", path = ""] = /^\/(.+?)\.git\/(.+)$/.exec(url.pathname) ?? []
    const repository = await git.open(key)
    const header = request.headers["git-protocol"]
    const protocol = typeof header === "string" ? header : undefined
    const input = request.headers["content-encoding"] === "gzip" ? request.pipe(createGunzip()) : request
    const service = path === "info/refs" ? url.searchParams.get("service") : path
    if (path === "info/refs") {
      const pushes = service === "git-receive-pack"
      response.setHeader("Content-Type", `application/x-${service}-advertisement`)
      response.write(servicePreamble(pushes ? "git-receive-pack" : "git-upload-pack"))
      response.end(await git.transport[pushes ? "advertiseReceive" : "advertiseUpload"](repository, { protocol }))
      return
    }
    response.setHeader("Content-Type", `application/x-${service}-result`)
    if (service === "git-upload-pack") {
      await git.transport.upload(repository, { input, output: response, protocol, stateless: true })
      return
    }
    const { check = async () => ({ refused: new Map() }), ...rest } = policy
    outcomes.push(await git.transport.receive(repository, { input, output: response, check, stateless: true, ...rest }))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(isGitError(error, "busy") ? 503 : isGitError(error, "protocol") ? 400 : 500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: (repository) => `http://127.0.0.1:${port}/${repository.key}.git`,
    policy,
    outcomes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
