import type { Logger } from "pino"
import type { Git } from "../git/index.ts"
import type { Config } from "./config.ts"
import type { Database } from "./database/database.ts"
import type { Jobs } from "./jobs/jobs.ts"
import type { Secrets } from "./secrets.ts"
import type { Site } from "./site.ts"

/** What one running forge consists of; made in app.ts, handed to whoever acts. Nothing of it is global. */
export interface Services {
  readonly config: Config
  readonly site: Site
  readonly database: Database
  readonly git: Git
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly passwords: Passwords
  readonly log: Logger
  /** The current time in whole seconds. */
  readonly now: () => number
}

/** Slow checks of passwords, bounded in number. */
export interface Passwords {
  /** The text to store. */
  readonly hash: (password: string) => Promise<string>
  /** Whether the password is the one stored. An empty hash matches nothing, but takes as long, so that names can't be probed. */
  readonly verify: (password: string, hash: string) => Promise<boolean>
}
