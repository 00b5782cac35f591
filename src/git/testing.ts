import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createGunzip } from "node:zlib"
import { inject } from "vitest"
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

/** How the tests' server handles pushes; by default it allows everything. */
export type Policy = { -readonly [K in "check" | "before" | "after" | "maxBytes"]?: NonNullable<ReceiveRequest[K]> }

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
