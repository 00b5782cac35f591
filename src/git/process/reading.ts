import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { Context } from "./context.ts"
import type { Limiter } from "./limits.ts"
import type { Command, Configuration } from "./process.ts"
import { recordsOf } from "./records.ts"

/** How the records of a command are read. */
interface Reading {
  readonly separator: "\n" | "\0"
  /** The most bytes of one record. */
  readonly longest: number
  readonly timeoutMs: number
  /** What limits how many such commands run; by default that of ordinary commands. */
  readonly limiter?: Limiter
  readonly config?: Configuration
  /** The exit codes that are no failure; by default only 0. */
  readonly accept?: readonly number[]
  /** Ends the command; by default the caller's. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The records that a command writes, a chunk's worth at a time, as it writes them. The process ends with the reading: who has read enough stops.
 * Throws `failed`, `busy`, `timeout`, `aborted`, `tooLarge`.
 */
export async function* readRecords(
  context: Context,
  repository: Repository,
  command: Command,
  { separator, longest, timeoutMs, limiter = context.commands, config, accept = [0], signal }: Reading,
): AsyncGenerator<readonly Buffer[]> {
  const child = await context.processes.open(limiter, command, {
    repository,
    timeoutMs,
    ...(config && { config }),
    ...(signal && { signal }),
  })
  let failure: unknown
  try {
    child.stdin.end()
    try {
      yield* recordsOf(child.stdout, separator.charCodeAt(0), longest)
    } catch (error) {
      // A process that was ended says why; its output only that it was cut off.
      if (error instanceof GitError) throw error
      failure = error
    }
    const exit = await child.exit
    if (!accept.includes(exit.code)) throw new GitError("failed", `git ${command.name} ended with code ${exit.code}`, exit.stderr)
    if (failure !== undefined) throw failure
  } finally {
    child.kill()
  }
}
