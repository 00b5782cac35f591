import type { Logger } from "pino"
import type { Git } from "../git/index.ts"
import type { Config } from "./config.ts"
import type { Database, Transaction } from "./database/database.ts"
import type { Extensions } from "./extensions.ts"
import type { Jobs } from "./jobs/types.ts"
import type { Outgoing } from "./outgoing/request.ts"
import type { Secrets } from "./secrets.ts"
import type { Site } from "./site.ts"

/** The parts of one running forge; made in app.ts and passed as an argument. None of them is global. */
export interface Services {
  readonly config: Config
  readonly site: Site
  readonly database: Database
  readonly git: Git
  readonly jobs: Jobs
  readonly events: Events
  readonly extensions: Extensions
  readonly secrets: Secrets
  readonly passwords: Passwords
  readonly mailer: Mailer
  readonly outgoing: Outgoing
  readonly log: Logger
  /** The current time in whole seconds. */
  readonly now: () => number
}

export interface Events {
  /**
   * Delivers the events that the transaction has published to the listeners now, and not only before it commits: of a deletion they must know while
   * the subject still exists.
   */
  readonly deliver: (tx: Transaction) => Promise<void>
}

/** Hashing and verifying of passwords, with limited concurrency. */
export interface Passwords {
  /** The hash to store, as text. */
  readonly hash: (password: string) => Promise<string>
  /** Whether the password is the one stored. An empty hash matches nothing, but takes as long, so that names can't be probed. */
  readonly verify: (password: string, hash: string) => Promise<boolean>
}

/** A mail to one person. */
export interface Mail {
  readonly to: string
  /** The name beside the sender's address. */
  readonly fromName: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  /** The ids of earlier mails of the thread, oldest first. */
  readonly references: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Sends mails. */
export interface Mailer {
  /** Passes the mail to the server. Rejects with the error of the server or the connection. */
  readonly send: (mail: Mail, signal: AbortSignal) => Promise<void>
  /** Closes the connections. */
  readonly close: () => void
}
