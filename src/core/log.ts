import pino, { type Logger } from "pino"
import type { Config } from "./config.ts"
import { type LogOutput, openLogOutput } from "./log-output.ts"
import { redact } from "./redact.ts"

export type { Logger } from "pino"

/** Removes from a terminal's last line the progress of something that may be shown there. */
const WIPE = "\r\u001b[K"

/**
 * Creates the log of one forge. Every line is passed through {@link redact}. Lines go to standard error, unless `output` says
 * otherwise, so that standard output is only for the results of commands. On a terminal that is for a person: what is wrong, in short.
 * There is nothing to close.
 */
export function openLog({ log: { level, format } }: Pick<Config, "log">, output: LogOutput = openLogOutput()): Logger {
  const isTerminal = format !== "json" && output.isTerminal()
  const isBrief = format === "auto" && isTerminal
  const shape = isBrief ? brief : format === "text" ? readable : undefined
  const destination = {
    write: (line: string) => output.write(shape ? `${isTerminal ? WIPE : ""}${shape(redact(line))}` : redact(line)),
    // Called by Pino after a fatal line.
    flushSync: output.flush,
  }
  const log = pino(
    {
      level: level === "auto" ? (isBrief ? "warn" : "info") : level,
      base: null,
      messageKey: "message",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, req: describeRequest, res: describeReply },
    },
    destination,
  )
  output.onResumed((lines) => log.warn({ lines }, "lines of the log were dropped because their reader was too slow"))
  return log
}

interface DescribedError {
  readonly type: string
  readonly message: string
  readonly code?: unknown
  readonly detail?: unknown
  readonly stack: string | undefined
  readonly cause?: DescribedError
}

/** Only these members: the errors of databases contain rows, which may contain what must not be logged. */
function describeError(error: unknown, depth = 0): DescribedError | unknown {
  if (!(error instanceof Error)) return error
  return {
    type: error.name,
    message: error.message,
    ...("code" in error && { code: error.code }),
    // What git wrote.
    ...(error.name === "GitError" && "detail" in error && { detail: error.detail }),
    stack: error.stack,
    ...(error.cause instanceof Error && depth < 4 && { cause: describeError(error.cause, depth + 1) }),
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const describeRequest = (request: unknown) => ({
  method: member(request, "method"),
  url: member(request, "url"),
  ip: member(request, "ip"),
})
const describeReply = (reply: unknown) => ({ status: member(reply, "statusCode") })

/** A line for a terminal: time, level, message, the rest as name=value, stacks below. */
function readable(line: string): string {
  const { head, err } = parts(line, (level) => level.toUpperCase().padEnd(5))
  return `${head}\n${stacks(err)}`
}

/** What a line says, for a person who looks at a terminal: errors without stacks. */
function brief(line: string): string {
  const { head, err } = parts(line, (level) => `${level === "warn" ? "warning" : level}:`)
  return `${head}${reasons(err)}\n`
}

function parts(line: string, levelled: (level: string) => string) {
  const { time, level, message, err, ...rest }: Readonly<Record<string, unknown>> = JSON.parse(line)
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const head = [String(time).slice(11, 19), levelled(String(level)), printable(String(message ?? "")), ...fields].join(" ")
  return { head, err }
}

function reasons(error: unknown): string {
  if (error === undefined) return ""
  const [first = ""] = String(member(error, "message") ?? JSON.stringify(error)).split("\n")
  return `: ${printable(first)}${reasons(member(error, "cause"))}`
}

function stacks(error: unknown): string {
  if (error === undefined) return ""
  const stack = member(error, "stack")
  const text = typeof stack === "string" ? stack : JSON.stringify(error)
  const cause = member(error, "cause")
  return `${printable(text).replace(/^/gm, "  ")}\n${cause === undefined ? "" : `  caused by\n${stacks(cause)}`}`
}

/** Removes control characters that could move a terminal's cursor or change its title. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const printable = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "�")
