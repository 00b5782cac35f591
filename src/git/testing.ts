import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { createGunzip } from "node:zlib"
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

/** A client's environment: no configuration of the machine, and a fixed author. */
const clientEnvironment = {
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "1700000000 +0100",
  GIT_COMMITTER_NAME: "Ben",
  GIT_COMMITTER_EMAIL: "ben@example.com",
  GIT_COMMITTER_DATE: "1700000100 -0330",
  LC_ALL: "C",
}

const execute = promisify(execFile)

/** The output of a client's git and its exit code. */
export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a client's git in a folder; it may fail. */
export async function client(folder: string, args: readonly string[], input?: string | Buffer): Promise<Run> {
  const running = execute("git", args, { cwd: folder, env: clientEnvironment, maxBuffer: 1 << 28 })
  running.child.stdin?.on("error", () => {})
  running.child.stdin?.end(input)
  try {
    const { stdout, stderr } = await running
    return { code: 0, out: stdout, err: stderr }
  } catch (error) {
    const failed = error instanceof Error ? error : new Error(String(error))
    const text = (name: "stdout" | "stderr") => (name in failed ? String(Object.getOwnPropertyDescriptor(failed, name)?.value) : "")
    return { code: 1, out: text("stdout"), err: text("stderr") || failed.message }
  }
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
