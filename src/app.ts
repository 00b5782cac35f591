import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { User } from "./core/actor.ts"
import { type Config, type ConfigOverrides, loadConfig } from "./core/config.ts"
import { openDatabase } from "./core/database/open.ts"
import { deliverEvents } from "./core/events/events.ts"
import { rebaseLog } from "./core/events/log.ts"
import { extend } from "./core/extensions.ts"
import { openJobs } from "./core/jobs/jobs.ts"
import { openLog } from "./core/log.ts"
import { openLogOutput } from "./core/log-output.ts"
import { type Metrics, openMetrics } from "./core/metrics.ts"
import { openGuard } from "./core/outgoing/guard.ts"
import { openOutgoing } from "./core/outgoing/request.ts"
import { openSecrets } from "./core/secrets.ts"
import type { Services } from "./core/services.ts"
import { settings } from "./core/settings.ts"
import { type OpenSite, openSite } from "./core/site.ts"
import { VERSION } from "./core/version.ts"
import { extensions } from "./extensions.ts"
import { openMailer } from "./features/events/mail/mailer.ts"
import { openAuthenticator } from "./features/people/authentication/authenticate.ts"
import { openPasswords } from "./features/people/authentication/passwords.ts"
import { createToken } from "./features/people/authentication/tokens.ts"
import { createPerson } from "./features/people/users/rules.ts"
import { openGit } from "./git/index.ts"
import { jobs, schedule } from "./jobs.ts"
import { listeners } from "./listeners.ts"
import { operations } from "./operations.ts"
import type { AnswerWatcher, Intercept } from "./servers/api/server.ts"
import { openHttp } from "./servers/http.ts"
import { SshRefused } from "./servers/ssh/refused.ts"
import type { SshServer } from "./servers/ssh/server.ts"

export interface HearthOptions {
  /** Stores nothing: the database in memory, git in a temporary folder, the key with the process, cheap password hashes, any free port. For tests. */
  readonly memory?: boolean
  /** Settings that win over environment and file. */
  readonly config?: ConfigOverrides
  /** The environment that settings are read from; the process's own unless `memory` is set. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The current time in whole seconds; by default the machine's. */
  readonly now?: (() => number) | undefined
  /** Answers calls in place of the operations; for tests of access. */
  readonly intercept?: Intercept
  /** Called with every answer before it is sent; for tests that compare it with what the operation declares. */
  readonly onAnswer?: AnswerWatcher
}

export interface Hearth {
  /** The site's root address, without a slash at its end. */
  readonly url: string
  /** An access token of the site's first administrator, with all scopes. */
  readonly token: string
  readonly services: Services
  /** Answers the requests received so far, releases jobs that are running, and leaves no file, process, port or timer behind. */
  readonly close: () => Promise<void>
}

const TOKEN_NAME = "startHearth"

/**
 * Starts a complete forge. Several may run in one process.
 *
 * Refuses in words for the operator: `ConfigRefused`, `DatabaseRefused`, `KeyRefused`, and what the system says of a port that is taken.
 */
export async function startHearth(options: HearthOptions = {}): Promise<Hearth> {
  const { services, administrator, url, close } = await serveHearth(options)
  try {
    const { token } = await services.database.write(async (tx) => {
      // The text of the token that an earlier start made is lost.
      await tx.deleteFrom("access_tokens").where("user_id", "=", administrator.id).where("name", "=", TOKEN_NAME).execute()
      return createToken(tx, { userId: administrator.id, name: TOKEN_NAME, scopes: ["all"], now: services.now() })
    })
    return { url, token, services, close }
  } catch (error) {
    await close()
    throw error
  }
}

export interface Serving {
  readonly services: Services
  readonly url: string
  /** The site's first administrator. */
  readonly administrator: User
  /** Set where this start made the administrator: the password, to be shown this once, unless it was configured. */
  readonly made: { readonly password: string | undefined } | undefined
  readonly close: () => Promise<void>
}

/** Like `startHearth`, without making a token. */
export async function serveHearth(options: HearthOptions = {}): Promise<Serving> {
  const opened = await openServices(options)
  const { services } = opened
  try {
    const { administrator, made } = await ensureAdministrator(services)
    const app = await openHttp(services, {
      operations,
      authenticator: openAuthenticator(services),
      metrics: opened.metrics,
      intercept: options.intercept,
      onAnswer: options.onAnswer,
    })
    let ssh: SshServer | undefined
    const close = async (): Promise<void> => {
      await Promise.all([app.close(), ssh?.close()])
      await opened.close()
    }
    try {
      await app.listen({ host: services.config.http.host, port: services.config.http.port })
      const address: AddressInfo | string | null = app.server.address()
      if (typeof address === "object" && address) opened.site.listening(address.port)
      ssh = await openSshIfAsked(services)
      if (ssh) opened.site.listeningSsh(ssh.port)
      opened.metrics.gauge("hearth_ssh_connections", "SSH connections that are open.", () => ssh?.connections() ?? 0)
      await opened.begin()
    } catch (error) {
      await close()
      throw error
    }
    return { services, url: services.site.rootUrl, administrator, made, close }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** If the default port is taken there is no SSH, and the log says so; a configured port that is taken is an error. */
async function openSshIfAsked(services: Services): Promise<SshServer | undefined> {
  const { config, log } = services
  if (config.ssh.port === 0) return undefined
  const { openSsh } = await import("./servers/ssh/server.ts")
  try {
    return await openSsh(services)
  } catch (error) {
    if (!(error instanceof SshRefused && error.isTaken) || config.ssh.port !== settings.ssh.port.fallback) throw error
    log.warn({ port: config.ssh.port }, "there is no git over SSH: the port is taken; choose another with HEARTH_SSH_PORT, or 0 for none")
    return undefined
  }
}

export interface OpenServices {
  readonly services: Services
  readonly site: OpenSite
  readonly metrics: Metrics
  /** Starts the workers and the clock; commands that only query don't need them. */
  readonly begin: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens everything but the servers; the command line uses it directly. */
export async function openServices(options: HearthOptions = {}): Promise<OpenServices> {
  const memory = options.memory === true
  const temporary = memory ? await mkdtemp(join(tmpdir(), "hearth-")) : undefined
  const closing: (() => Promise<void>)[] = []
  if (temporary) closing.push(() => rm(temporary, { recursive: true, force: true, maxRetries: 3 }))
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  try {
    const config = configFor(options, temporary)
    const logOutput = openLogOutput()
    const log = openLog(config, logOutput)
    await mkdir(config.dataDir, { recursive: true, mode: 0o750 })
    const metrics = openMetrics()
    closing.push(async () => metrics.close())
    const [database, secrets] = await Promise.all([
      openDatabase({ url: config.databaseUrl, logger: log }),
      openSecrets(memory ? { memory } : { keyText: config.security.secretKey, dataDir: config.dataDir }),
    ])
    closing.push(() => database.close())
    // The embedded database is for one process; PostgreSQL may be shared by several.
    const alone = database.kind === "sqlite"
    const git = openGit({
      root: join(config.dataDir, "repositories"),
      program: config.git.path,
      agent: `hearth/${VERSION}`,
      durable: !memory,
      aloneSince: alone ? performance.timeOrigin : undefined,
      log: ({ level, message, ...details }) => log[level](details, message),
      limits: {
        packs: config.git.maxConcurrentPacks,
        packsPerRepository: config.git.maxConcurrentPacksPerRepository,
        waitMs: config.git.maxQueueSeconds * 1000,
        pushBytes: config.git.maxPushBytes,
      },
    })
    closing.push(() => git.close())
    metrics.counter(
      "hearth_log_lines_dropped_total",
      "Lines of the log that were dropped because their reader was too slow.",
      logOutput.dropped,
    )
    metrics.gauge("hearth_git_processes", "Git processes that run now.", git.running)
    metrics.counter("hearth_git_processes_total", "Git processes started so far.", git.spawned)
    const { now = () => Math.floor(Date.now() / 1000) } = options
    const site = openSite(config)
    const mailer = openMailer(config, site)
    closing.push(async () => mailer.close())
    const outbox = openJobs({ database, log, now, workers: config.jobs.workers, alone, metrics })
    closing.push(() => outbox.close())
    const services: Services = {
      config,
      site,
      database,
      git,
      jobs: outbox,
      events: { deliver: (tx) => deliverEvents(tx, services, listeners) },
      extensions: extend(extensions),
      secrets,
      mailer,
      outgoing: openOutgoing(openGuard(config.outgoing.allowedHosts), `hearth/${VERSION}`),
      passwords: openPasswords(config.security.maxConcurrentPasswordChecks, !memory),
      log,
      now,
    }
    await rebaseLog(services)
    database.beforeCommit(services.events.deliver)
    return { services, site, metrics, begin: () => outbox.begin(services, jobs, schedule), close }
  } catch (error) {
    await close()
    throw error
  }
}

function configFor(options: HearthOptions, temporary: string | undefined): Config {
  if (!temporary) return loadConfig({ env: options.env ?? process.env, overrides: options.config ?? {} }).config
  const defaults: ConfigOverrides = {
    ...options.config,
    dataDir: temporary,
    databaseUrl: options.config?.databaseUrl ?? "sqlite::memory:",
    http: { host: "127.0.0.1", port: 0, ...options.config?.http },
    ssh: { port: 0, ...options.config?.ssh },
    log: { level: "silent", ...options.config?.log },
  }
  return loadConfig({ env: options.env ?? {}, file: false, overrides: defaults }).config
}

/** The first administrator, made at the first start. */
async function ensureAdministrator(services: Services): Promise<Pick<Serving, "administrator" | "made">> {
  const { config, database, passwords, site, now } = services
  const find = () => database.read.selectFrom("users").selectAll().where("is_admin", "=", 1).orderBy("id").limit(1).executeTakeFirst()
  const there = await find()
  if (there) return { administrator: there, made: undefined }
  const password = config.admin.password || randomBytes(12).toString("base64url")
  const passwordHash = await passwords.hash(password)
  const administrator = await database.write(async (tx) => {
    // Of several processes that start together on one database, one makes the administrator.
    const other = await tx.selectFrom("users").selectAll().where("is_admin", "=", 1).orderBy("id").limit(1).executeTakeFirst()
    if (other) return other
    const name = config.admin.username
    const email = config.admin.email || `${name}@${site.noReplyDomain}`
    return createPerson(tx, { name, email, passwordHash, isAdmin: true, now: now() })
  })
  return { administrator, made: { password: config.admin.password ? undefined : password } }
}
