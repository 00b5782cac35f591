/**
 * Real git clients of tests. A process of tests holds hundreds of megabytes, and the kernel copies its page tables, 10 ms long, for every
 * other one that it begins. So Vitest's global set-up (tests/support/git-clients.ts) begins this file as a small process, which begins the
 * clients.
 */
import { execFile } from "node:child_process"
import { connect, createServer, type Socket } from "node:net"
import { deserialize, serialize } from "node:v8"

/** A client's environment: no configuration of the machine, and a fixed author. */
const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  // What is made here is used once: no time to see whether it should be tidied.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "1700000000 +0100",
  GIT_COMMITTER_NAME: "Ben",
  GIT_COMMITTER_EMAIL: "ben@example.com",
  GIT_COMMITTER_DATE: "1700000100 -0330",
  LC_ALL: "C",
}

interface Order {
  readonly folder: string
  readonly args: readonly string[]
  readonly input: string | Uint8Array | undefined
}

/** The output of a client's git and its exit code. */
export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs git in this process. */
export function runHere({ folder, args, input }: Order): Promise<Run> {
  return new Promise((resolve) => {
    const running = execFile("git", args, { cwd: folder, env: environment, maxBuffer: 1 << 28 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : 1, out, err: err || (error?.message ?? "") }),
    )
    running.stdin?.on("error", () => {})
    running.stdin?.end(input)
  })
}

/** Runs git in the process that listens at this socket. */
export async function runThere(socket: string, order: Order): Promise<Run> {
  const connection = connect({ path: socket, allowHalfOpen: true })
  connection.end(serialize(order))
  return deserialize(await whole(connection))
}

/** What arrives until the other side ends. Unlike an iteration, it leaves this side open. */
function whole(connection: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  connection.on("data", (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    connection.on("end", () => resolve(Buffer.concat(chunks)))
    connection.on("error", reject)
  })
}

if (process.argv[1] === import.meta.filename) {
  const server = createServer({ allowHalfOpen: true }, async (connection) => {
    // A test that has ended waits for no answer.
    const asked = await whole(connection).catch(() => undefined)
    if (asked !== undefined) connection.end(serialize(await runHere(deserialize(asked))))
  })
  server.listen(process.argv[2], () => process.send?.("listening"))
  process.on("disconnect", () => process.exit())
}
