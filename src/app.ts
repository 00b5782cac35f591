import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { FastifyInstance } from "fastify"
import type { User } from "./core/actor.ts"
import { heldBlobs } from "./core/backup/hold.ts"
import type { Blobs } from "./core/blobs/blobs.ts"
import { openStorage } from "./core/blobs/open.ts"
import { currentCaller } from "./core/caller.ts"
import type { Cluster } from "./core/cluster/cluster.ts"
import { shareIn } from "./core/cluster/share.ts"
import {
  type ConfigOverrides,
  effectiveConfig,
  isSharedByServers,
  type LoadedConfig,
  loadConfig,
  repositoryCache,
  repositoryFolder,
} from "./core/config.ts"
import type { Database } from "./core/database/database.ts"
import { openDatabase } from "./core/database/open.ts"
import { lockForServer } from "./core/database/server-lock.ts"
import { deliverEvents } from "./core/events/events.ts"
import { openGrowth } from "./core/events/growth.ts"
import { rebaseLog } from "./core/events/log.ts"
import { extend } from "./core/extensions.ts"
import { openHealthChecker } from "./core/health/checker.ts"
import { openHighlighter } from "./core/highlight/highlight.ts"
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
import { requirePlace } from "./features/code/lifecycle/place.ts"
import { ensureSiteKey } from "./features/code/signatures/keys.ts"
import { openMailer } from "./features/events/mail/mailer.ts"
import { openPasswords } from "./features/people/sign-in/credentials/passwords.ts"
import { findTokenByName } from "./features/people/sign-in/credentials/store.ts"
import { createToken, deleteToken } from "./features/people/sign-in/credentials/tokens.ts"
import { openSignIns } from "./features/people/sign-in/guesses/sign-ins.ts"
import { createPerson } from "./features/people/users/rules.ts"
import { findFirstAdministrator } from "./features/people/users/store.ts"
import { openAnnouncements } from "./features/site/announcements/shown.ts"
import { defaultLimits, openGit } from "./git/index.ts"
import { jobs, scheduleOf } from "./jobs.ts"
import { listeners } from "./listeners.ts"
import { operations } from "./operations.ts"
import type { AnswerWatcher } from "./servers/api/steps.ts"
import { openHttp } from "./servers/http.ts"
import { SshRefused } from "./servers/ssh/refused.ts"
import type { SshServer } from "./servers/ssh/server.ts"
import type { Web } from "./servers/web/routes.ts"

export interface HearthOptions {
  /** Stores nothing: the database in memory, git in a temporary folder, the key with the process, cheap password hashes, any free port. For tests. */
  readonly memory?: boolean
  /** Settings that win over environment and file. */
  readonly config?: ConfigOverrides
  /** The environment that settings are read from; the process's own unless `memory` is set. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The current time in whole seconds; by default the machine's. */
  readonly now?: (() => number) | undefined
  /** Background jobs run only in `services.jobs.drain()`, and scheduled tasks only when asked for. For tests that look at what is before and after. */
  readonly halted?: boolean
  /** Keeps repositories in the database and among the blobs, as several machines do. For tests; by default where there is an object store. */
  readonly shared?: boolean
  /** The other processes of the server that this one is a worker of, whose supervisor has locked the data folder. */
  readonly cluster?: Cluster | undefined
  /** Called with what a start is busy with, such as bringing the database up to date, for a line that is shown meanwhile. */
  readonly progress?: (state: string) => void
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
 * Refuses in words for the operator: `ConfigRefused`, `DatabaseRefused`, `StorageRefused`, `KeyRefused`, and what the system says of a port that is taken.
 */
export async function startHearth(options: HearthOptions = {}): Promise<Hearth> {
  const { services, administrator, url, close } = await serveHearth(options)
  try {
    const { token } = await services.database.write(async (tx) => {
      // The text of the token that an earlier start made is lost.
      const lost = await findTokenByName.first(tx, { userId: administrator.id, name: TOKEN_NAME })
      if (lost) await deleteToken(tx, lost)
      return createToken(tx, { userId: administrator.id, name: TOKEN_NAME, scopes: ["all"], now: services.now() })
    })
    const end = async () => {
      await close()
    }
    return { url, token, services, close: end }
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
  /**
   * Answers the requests received so far, and cuts those off that take longer than `http.stopSeconds`: gives whether there were none. `drain` is for one
   * of several processes: it gives the clients time to go over to the others first.
   */
  readonly close: (how?: "stop" | "drain") => Promise<boolean>
}

/** Like `startHearth`, without making a token. */
export async function serveHearth(options: HearthOptions = {}): Promise<Serving> {
  const opened = await openServices(options, { serves: true })
  const { services } = opened
  try {
    const { administrator, made } = await ensureAdministrator(services)
    await ensureSiteKey(services)
    const app = await openHttp(services, {
      operations,
      web: loadWeb,
      metrics: opened.metrics,
      onAnswer: options.onAnswer,
    })
    let ssh: SshServer | undefined
    const close = async (how: "stop" | "drain" = "stop"): Promise<boolean> => {
      const graceMs = services.config.http.stopSeconds * 1000
      const isInTime = await closeServers(app, ssh, { graceMs, drainMs: how === "drain" ? DRAIN_MS : 0 })
      await opened.close()
      return isInTime
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

/** A quarter of all code, which a server that programs alone ask never needs. */
async function loadWeb(): Promise<Web> {
  const [{ pages, otherwise }, { files }] = await Promise.all([import("./pages.ts"), import("./files.ts")])
  return { pages, otherwise, files }
}

/** How long the clients of a process that is replaced have to go over to another, in milliseconds. */
const DRAIN_MS = 10_000

/** Stops accepting connections, and closes those that are still busy when the time is up. Gives whether none was. */
async function closeServers(
  app: FastifyInstance,
  ssh: SshServer | undefined,
  { graceMs, drainMs }: { readonly graceMs: number; readonly drainMs: number },
): Promise<boolean> {
  let isInTime = true
  const sshClosed = ssh?.close(drainMs)
  if (drainMs > 0) await app.drain(drainMs)
  const timer = setTimeout(() => {
    isInTime = false
    app.server.closeAllConnections()
    ssh?.cut()
  }, graceMs)
  await Promise.all([app.close(), sshClosed])
  clearTimeout(timer)
  return isInTime
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

/**
 * Opens everything but the servers; the command line uses it directly, also beside a running server. With `serves`, it refuses when another server
 * works on the same SQLite database.
 */
export async function openServices(options: HearthOptions = {}, { serves = false } = {}): Promise<OpenServices> {
  const { cluster } = options
  const memory = options.memory === true
  const temporary = memory ? await mkdtemp(join(tmpdir(), "hearth-")) : undefined
  const closing: (() => Promise<void>)[] = []
  if (temporary) closing.push(() => rm(temporary, { recursive: true, force: true, maxRetries: 3 }))
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  try {
    const loaded = configFor(options, temporary)
    const { config } = loaded
    const logOutput = openLogOutput()
    const log = openLog(config, logOutput)
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    const metrics = openMetrics(cluster)
    closing.push(async () => metrics.close())
    // Before the database is opened, which migrates it.
    const unlock = serves && !cluster ? lockForServer(config.databaseUrl) : undefined
    if (unlock) closing.push(async () => unlock())
    const countStorage = metrics.counterBy("hearth_storage_requests_total", "Requests to the object store, by how they were answered.", [
      "method",
      "outcome",
    ])
    const storage = await openStorage(config, {
      isTried: serves,
      watch: (method, outcome) => countStorage({ method, outcome: String(outcome) }),
    })
    closing.push(async () => storage.close())
    const share = shareIn(cluster)
    const { waitSeconds, connections, transactionPooling, listenUrl, replicaUrl } = config.database
    const [database, secrets] = await Promise.all([
      openDatabase({
        url: config.databaseUrl,
        logger: log,
        progress: options.progress,
        waitMs: waitSeconds * 1000,
        poolSize: connections,
        transactionPooling,
        listenUrl: listenUrl || undefined,
        replicaUrl: replicaUrl || undefined,
        share,
        cluster,
      }),
      openSecrets(
        memory && config.security.secretKey === "" ? { memory } : { keyText: config.security.secretKey, dataDir: config.dataDir },
      ),
    ])
    closing.push(() => database.close())
    // The embedded database is for one server; PostgreSQL may be shared by several.
    const alone = serves && database.kind === "sqlite"
    const isFirst = cluster?.isFirst ?? true
    const { now = () => Math.floor(Date.now() / 1000) } = options
    const blobs = heldBlobs(storage.blobs, database, now)
    const isShared = options.shared ?? isSharedByServers(config)
    if (serves) await requirePlace(database, isShared ? "store" : "folder")
    const root = isShared ? repositoryCache(config) : repositoryFolder(config)
    const git = openGit({
      root,
      openStore: isShared ? await storeIn(database, blobs, { cacheBytes: config.storage.cacheBytes, now }) : undefined,
      program: config.git.path,
      agent: `hearth/${VERSION}`,
      // A cache is never flushed: what is lost is fetched again.
      durable: !memory && !isShared,
      aloneSince: alone ? (cluster?.since ?? performance.timeOrigin) : undefined,
      worker: cluster?.self,
      log: ({ level, message, ...details }) => log[level](details, message),
      limits: {
        packs: config.git.maxConcurrentPacks,
        packsPerRepository: config.git.maxConcurrentPacksPerRepository,
        waitMs: config.git.maxQueueSeconds * 1000,
        pushBytes: config.git.maxPushBytes,
        pushes: config.git.maxConcurrentPushes,
        pushesPerRepository: config.git.maxConcurrentPushesPerRepository,
        commands: config.git.maxConcurrentCommands,
        diffs: config.git.maxConcurrentDiffs,
        downloads: config.git.maxConcurrentDownloads,
        diffBytes: config.git.maxDiffBytes,
        spoolBytes: config.git.maxWaitingBytes,
        stallMs: config.http.stallSeconds * 1000,
        memory: {
          ...defaultLimits.memory,
          process: config.git.maxProcessBytes,
          object: config.git.maxObjectBytes,
          compared: config.git.maxComparedBytes,
        },
      },
      caller: currentCaller,
      share,
    })
    closing.push(() => git.close())
    cluster?.onDeath(git.noteDeath)
    metrics.counter(
      "hearth_log_lines_dropped_total",
      "Lines of the log that were dropped because their reader was too slow.",
      logOutput.dropped,
    )
    metrics.gauge("hearth_git_processes", "Git processes that run now.", git.running)
    metrics.counter("hearth_git_processes_total", "Git processes started so far.", git.spawned)
    const site = openSite(config)
    const mailer = openMailer(config, site)
    closing.push(async () => mailer.close())
    const outbox = openJobs({
      database,
      log,
      now,
      workers: config.jobs.workers,
      alone: alone && isFirst,
      cluster,
      metrics,
      halted: options.halted ?? false,
    })
    closing.push(() => outbox.close())
    const signIns = openSignIns({ config, database, metrics, now, share, log })
    closing.push(() => signIns.close())
    const announcements = openAnnouncements({ config, database, log, now, secrets, site })
    closing.push(() => announcements.close())
    const services: Services = {
      announcements,
      config,
      settings: () => effectiveConfig(loaded),
      site,
      database,
      git,
      health: openHealthChecker({ database, git, root, store: storage.store, config, log, now }),
      highlighter: openHighlighter(config.highlighting),
      jobs: outbox,
      events: { deliver: (tx) => deliverEvents(tx, services, listeners), grown: openGrowth({ database, log }) },
      extensions: extend(extensions),
      blobs,
      store: storage.store,
      secrets,
      mailer,
      outgoing: openOutgoing(openGuard(config.outgoing.allowedHosts), `hearth/${VERSION}`),
      passwords: openPasswords(config.security.maxConcurrentPasswordChecks, { isKept: !memory, share }),
      signIns,
      share,
      log,
      now,
    }
    await rebaseLog(services)
    database.beforeCommit(services.events.deliver)
    const begin = async () => {
      await announcements.begin()
      await signIns.begin()
      await outbox.begin(services, jobs, scheduleOf(config))
    }
    return { services, site, metrics, begin, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Where servers share repositories. Loaded only where they do. */
async function storeIn(database: Database, blobs: Blobs, { cacheBytes, now }: { readonly cacheBytes: number; readonly now: () => number }) {
  const [{ sharedStore }, { openPackFiles, openRecords }] = await Promise.all([
    import("./git/shared.ts"),
    import("./core/repositories/records.ts"),
  ])
  return sharedStore({ records: openRecords(database, now), files: openPackFiles(blobs), cacheBytes })
}

function configFor(options: HearthOptions, temporary: string | undefined): LoadedConfig {
  if (!temporary) return loadConfig({ env: options.env ?? process.env, overrides: options.config ?? {} })
  const defaults: ConfigOverrides = {
    ...options.config,
    dataDir: temporary,
    databaseUrl: options.config?.databaseUrl ?? "sqlite::memory:",
    http: { host: "127.0.0.1", port: 0, ...options.config?.http },
    ssh: { port: 0, ...options.config?.ssh },
    log: { level: "silent", ...options.config?.log },
  }
  return loadConfig({ env: options.env ?? {}, file: false, overrides: defaults })
}

/** The first administrator, made at the first start. */
async function ensureAdministrator(services: Services): Promise<Pick<Serving, "administrator" | "made">> {
  const { config, database, passwords, site, now } = services
  const there = await findFirstAdministrator(database.read)
  if (there) return { administrator: there, made: undefined }
  const password = config.admin.password || randomBytes(12).toString("base64url")
  const passwordHash = await passwords.hash(password)
  const name = config.admin.username
  const email = config.admin.email || `${name}@${site.noReplyDomain}`
  try {
    const administrator = await database.write((tx) => createPerson(tx, { name, email, passwordHash, isAdmin: true, now: now() }))
    return { administrator, made: { password: config.admin.password ? undefined : password } }
  } catch (error) {
    // Of several processes that start together on one database, one makes the administrator.
    const other = await findFirstAdministrator(database.read)
    if (!other) throw error
    return { administrator: other, made: undefined }
  }
}
