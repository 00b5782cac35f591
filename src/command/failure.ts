import { StorageRefused } from "../core/blobs/blobs.ts"
import { ConfigRefused } from "../core/config.ts"
import { DatabaseRefused } from "../core/database/failures.ts"
import { Refusal } from "../core/errors.ts"
import { redact } from "../core/redact.ts"
import { KeyRefused } from "../core/secrets.ts"
import { SshRefused } from "../servers/ssh/refused.ts"

/** The exit codes: done; failed; command line or configuration refused. */
export const DONE = 0
export const FAILED = 1
export const REFUSED = 2
export type ExitCode = typeof DONE | typeof FAILED | typeof REFUSED

/** A command can't do what it was asked. `advice` says what to do next. */
export class CommandFailed extends Error {
  readonly advice: string

  constructor(message: string, advice: string) {
    super(message)
    this.name = "CommandFailed"
    this.advice = advice
  }
}

/** The message for an error and its advice, without secrets. */
export function explain(error: unknown): { readonly text: string; readonly code: ExitCode } {
  if (error instanceof ConfigRefused) return { text: redact(error.message), code: REFUSED }
  return { text: redact(wordsFor(error)), code: FAILED }
}

function wordsFor(error: unknown): string {
  if (error instanceof CommandFailed || error instanceof DatabaseRefused || error instanceof StorageRefused)
    return `${error.message}\n${error.advice}`
  if (error instanceof KeyRefused) return error.message
  if (error instanceof Refusal) return refusalWords(error)
  if (error instanceof SshRefused && error.cause instanceof Error) {
    const words = systemWords(error.cause, "HEARTH_SSH")
    if (words !== undefined) return words
  }
  if (!(error instanceof Error)) return `Something went wrong: ${String(error)}`
  return systemWords(error) ?? `Something went wrong that should not. Please report this:\n${error.stack ?? error.message}`
}

/** The command line's terms for what the rules call by the API's names. */
const CALLED: Readonly<Record<string, string>> = {
  username: "the name",
  new_username: "the new name",
  name: "the name",
  email: "the address",
  full_name: "the full name",
  password: "the password",
}

/** The message of a refusal, without the name of a JSON field in front. */
function refusalWords({ message }: Refusal): string {
  const [, field = "", reason = message] = /^\[(\w+)\]: (.*)$/s.exec(message) ?? []
  const needsSubject = /^(must|is|can't)\b/.test(reason)
  return `Refused: ${needsSubject ? `${CALLED[field] ?? field} ` : ""}${reason}.\nNothing was changed.`
}

/** The message for a system error that an operator can act on; `listener` is the prefix of the settings of the server that could not listen. */
function systemWords(error: Error, listener: "HEARTH_HTTP" | "HEARTH_SSH" = "HEARTH_HTTP"): string | undefined {
  const of = (name: string): string => String(Reflect.get(error, name) ?? "")
  const [code, path, address, port] = [of("code"), of("path"), of("address"), of("port")]
  if (code === "EADDRINUSE")
    return `Port ${port} at ${address} is taken.\nStop what listens there, or choose another with ${listener}_PORT.`
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `This machine has no address ${address || of("hostname")}.\nSet ${listener}_HOST to one that it has.`
  if (code === "EACCES" && of("syscall") === "listen")
    return `Port ${port} may not be used by this user.\nChoose one above 1023 with ${listener}_PORT, and let a proxy or the firewall lead there.`
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `${path} can't be written or read.\nLet the user that Hearth runs as use it, or choose another folder with HEARTH_DATA_DIR.`
  if (code === "ENOSPC") return "The disk is full.\nMake room, or choose a folder on another disk with HEARTH_DATA_DIR."
  if (code === "ENOTDIR" || code === "EEXIST")
    return `${path} is in the way: a folder is needed there.\nMove it away, or choose another folder with HEARTH_DATA_DIR.`
  return undefined
}
