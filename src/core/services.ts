import type { Logger } from "pino"
import type { Git } from "../git/index.ts"
import type { Config, EffectiveSetting } from "./config.ts"
import type { Database, Transaction } from "./database/database.ts"
import type { Extensions } from "./extensions.ts"
import type { Highlighter } from "./highlight/highlight.ts"
import type { Html } from "./html.ts"
import type { Jobs } from "./jobs/types.ts"
import type { Outgoing } from "./outgoing/request.ts"
import type { Secrets } from "./secrets.ts"
import type { Site } from "./site.ts"

/** The parts of one running forge; made in app.ts and passed as an argument. None of them is global. */
export interface Services {
  readonly config: Config
  /** The configuration as it may be shown: where each value came from, and no secrets. */
  readonly settings: () => readonly EffectiveSetting[]
  readonly site: Site
  readonly database: Database
  readonly git: Git
  readonly highlighter: Highlighter
  readonly health: HealthChecker
  readonly jobs: Jobs
  readonly events: Events
  readonly extensions: Extensions
  readonly secrets: Secrets
  readonly passwords: Passwords
  readonly signIns: SignIns
  readonly mailer: Mailer
  readonly outgoing: Outgoing
  readonly log: Logger
  /** The current time in whole seconds. */
  readonly now: () => number
  readonly announcements: Announcements
}

/** A sentence of administrators, as pages show it. */
export interface Announced {
  /** Names it, as it is now. */
  readonly mark: string
  readonly tone: "info" | "good" | "warn" | "bad"
  readonly content: Html
}

/** What is on top of every page, kept in memory. */
export interface Announcements {
  /** Those of this moment, without the dismissed ones. */
  readonly shown: (isSignedIn: boolean, dismissed: readonly string[]) => readonly Announced[]
  /** The marks of all that there are. */
  readonly marks: () => readonly string[]
  /** Reads them again; other processes do so by themselves. */
  readonly reload: () => Promise<void>
  /** Reads them, and from now on each time that they have changed. */
  readonly begin: () => Promise<void>
  readonly close: () => Promise<void>
}

export type HealthStatus = "pass" | "warn" | "fail"

/** The state of one part of the server, as monitoring knows it from health endpoints. */
export interface Check {
  readonly status: HealthStatus
  /** When it was looked at; ISO 8601. */
  readonly time: string
  /** What is wrong, without names of this machine. */
  readonly output?: string
}

export interface Health {
  readonly status: HealthStatus
  readonly description: string
  /** By the part and what was tried with it. */
  readonly checks: Readonly<Record<string, readonly [Check]>>
}

export interface HealthChecker {
  /** The state of the server, at most a second old. Never rejects, and takes five seconds at most. */
  readonly look: () => Promise<Health>
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
  /**
   * Whether the password is the one stored. An empty hash matches nothing, but takes as long, so that names can't be probed. Networks take turns,
   * and each has a share of the queue; refuses `busy` beyond it.
   */
  readonly verify: (password: string, hash: string, network: string) => Promise<boolean>
}

/** What became of a secret that was shown: `refused` before it was checked, after too many wrong ones. */
export type SignInOutcome = "right" | "wrong" | "refused"

export interface FailedSignIn {
  readonly kind: "password" | "secondFactor"
  /** Undefined where there is no account of that name; the name itself may be a password, typed into the wrong field. */
  readonly user: { readonly id: number; readonly name: string } | undefined
  readonly network: string
}

/** What is written down about sign-ins. */
export interface SignIns {
  /** Counts for /metrics. */
  readonly count: (kind: "password" | "secondFactor" | "passkey" | "clientSecret" | "token" | "key", outcome: SignInOutcome) => void
  /** Adds to the audit log: one row for all failures of one kind, account, network and hour. One statement. */
  readonly noteFailure: (tx: Transaction, failed: FailedSignIn) => Promise<void>
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
