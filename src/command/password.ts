import { randomBytes } from "node:crypto"
import type { Config } from "../core/config.ts"
import { requirePassword } from "../features/people/users/passwords.ts"
import { CommandFailed } from "./failure.ts"
import type { Terminal } from "./terminal.ts"

export interface ChosenPassword {
  readonly password: string
  /** Whether it was generated here, so that it must be printed. */
  readonly isGenerated: boolean
}

/** 96 random bits, as letters that can be typed. */
const generate = (): string => randomBytes(12).toString("base64url")

/**
 * The password that the operator wants: piped in, typed without echo, or generated where nothing can be asked. It is never an argument, which every
 * user of the machine could read. Refuses `badRequest` one that is too weak; fails with {@link CommandFailed} for one that was mistyped.
 */
export async function choosePassword(terminal: Terminal, config: Config, name: string, fromStdin: boolean): Promise<ChosenPassword> {
  if (!fromStdin && !terminal.interactive) return { password: generate(), isGenerated: true }
  const password = terminal.interactive ? await typed(terminal, config, name) : (await terminal.input()).replace(/\r?\n$/, "")
  requirePassword(config, password)
  return { password, isGenerated: false }
}

/** Typed twice, since typing errors can't be seen. */
async function typed(terminal: Terminal, config: Config, name: string): Promise<string> {
  const password = await terminal.ask(`New password for ${name}: `, { hidden: true })
  requirePassword(config, password)
  if ((await terminal.ask("The same again: ", { hidden: true })) === password) return password
  throw new CommandFailed("The two passwords differ.", "Nothing was changed. Try again.")
}
