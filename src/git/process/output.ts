import { Readable } from "node:stream"
import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { Context } from "./context.ts"
import type { Limiter } from "./limits.ts"
import type { Command } from "./process.ts"

interface OutputOptions {
  readonly input?: string
  /** Comes before git's output. */
  readonly head?: string
  /** The most bytes; more fail with `tooLarge`. */
  readonly most?: number
}

/**
 * The output of a command as a stream, for a client that may take its time. The process starts with the first read, once the limiter has a permit, and ends
 * with the stream, so that an unread stream leaves nothing behind. The stream fails with `busy`, `failed`, `tooLarge`, `timeout`, or `aborted`.
 */
export function outputOf(
  context: Context,
  limiter: Limiter,
  repository: Repository,
  command: Command,
  { input = "", head = "", most = Number.POSITIVE_INFINITY }: OutputOptions = {},
): Readable {
  // The first read happens in the context of the connection.
  const caller = context.caller()
  async function* output() {
    const process = await context.processes.open(limiter, command, { repository, caller, timeoutMs: context.limits.transferMs })
    let size = 0
    try {
      process.stdin.end(input)
      if (head !== "") yield Buffer.from(head)
      for await (const chunk of process.stdout) {
        size += chunk.length
        if (size > most) throw new GitError("tooLarge", `git ${command.name} wrote more than ${most} bytes`)
        yield chunk
      }
      const exit = await process.exit
      if (exit.code !== 0) throw new GitError("failed", `git ${command.name} ended with code ${exit.code}`, exit.stderr)
    } finally {
      process.kill()
    }
  }
  return Readable.from(output(), { objectMode: false })
}
