import type { Logger } from "pino"
import type { Git } from "../git/index.ts"
import type { Config } from "./config.ts"
import type { Database, Transaction } from "./database/database.ts"
import type { Extensions } from "./extensions.ts"
import type { Jobs } from "./jobs/types.ts"
import type { Outgoing } from "./outgoing/request.ts"
import type { Secrets } from "./secrets.ts"
import type { Site } from "./site.ts"

/** What one running forge consists of; made in app.ts, handed to whoever acts. Nothing of it is global. */
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
   * Has the listeners hear now of what the transaction has published, and not only before it commits: where what happened is that something ends,
   * they hear of it while it is still there.
   */
  readonly deliver: (tx: Transaction) => Promise<void>
}

/** Slow checks of passwords, bounded in number. */
export interface Passwords {
  /** The text to store. */
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
  /** The mails that this one follows, the first of the thread at the front. */
  readonly references: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** The way to the mail server. */
export interface Mailer {
  /** Hands the mail over to the server. Rejects with what the server or the connection says. */
  readonly send: (mail: Mail, signal: AbortSignal) => Promise<void>
  /** Ends the connections. */
  readonly close: () => void
}
