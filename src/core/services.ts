import type { Logger } from "pino"
import type { Git } from "../git/index.ts"
import type { Blobs } from "./blobs/blobs.ts"
import type { ObjectStore } from "./blobs/object-store.ts"
import type { Share } from "./cluster/share.ts"
import type { Config, EffectiveSetting } from "./config.ts"
import type { Database, Transaction } from "./database/database.ts"
import type { Extensions } from "./extensions.ts"
import type { Highlighter } from "./highlight/highlight.ts"
import type { Jobs } from "./jobs/types.ts"
import type { Outgoing } from "./outgoing/request.ts"
import type { Secrets } from "./secrets.ts"
import type { Site } from "./site.ts"

/** The parts of one running forge; made in app.ts and passed as an argument. None of them is global. Features add their own. */
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
  /** Files that are neither in git nor in the database. */
  readonly blobs: Blobs
  /** The object store that they are in, where there is one. */
  readonly store: ObjectStore | undefined
  readonly secrets: Secrets
  readonly passwords: Passwords
  readonly outgoing: Outgoing
  /** This process's part of what the whole server may use at once. */
  readonly share: Share
  readonly log: Logger
  /** The current time in whole seconds. */
  readonly now: () => number
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
  /** Says to all processes, when the transaction commits, that the log has grown. */
  readonly grown: (tx: Transaction) => void
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
  /** Whether a hash is as they are made here; one of a server that was taken over is replaced once its password is known. */
  readonly isOurs: (hash: string) => boolean
}
