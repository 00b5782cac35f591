import type { ChangedFile } from "../model/model.ts"
import type { Packs } from "../objects/packs.ts"
import type { RepositoryStore } from "../store/store.ts"
import type { GitCache } from "./cache.ts"
import type { Caller, Limiter } from "./limits.ts"
import type { MemoryLimits, Processes } from "./process.ts"
import type { Readers } from "./reader.ts"
import type { Shared } from "./shared.ts"
import type { SpoolSpace } from "./spool.ts"

/** Limits for git. Times in milliseconds, sizes in bytes. */
export interface GitLimits {
  /** Long-lived object readers, over all repositories. */
  readonly readers: number
  /** Long-lived object readers of one repository. */
  readonly readersPerRepository: number
  /** An idle reader is ended after this long. */
  readonly readerIdleMs: number
  /** Fetches served concurrently, over all repositories. */
  readonly packs: number
  /** Fetches served concurrently from one repository. */
  readonly packsPerRepository: number
  /** Pushes received concurrently, over all repositories. */
  readonly pushes: number
  /** Pushes received concurrently by one repository. */
  readonly pushesPerRepository: number
  /** Commands run concurrently whose output is taken in whole. */
  readonly commands: number
  /** Work concurrently under way that takes minutes or hours. */
  readonly longWork: number
  /** Diffs and patches sent concurrently. */
  readonly diffs: number
  /** Files sent concurrently that are too large to be read whole. */
  readonly downloads: number
  /** What one git process may use. */
  readonly memory: MemoryLimits
  /** The most bytes of a diff or patch. */
  readonly diffBytes: number
  /** The most bytes of requests that are kept in files until it is their turn. */
  readonly spoolBytes: number
  /** A push whose pack stops coming for this long is given up. */
  readonly stallMs: number
  /** How many may wait for their turn, of each kind. */
  readonly queue: number
  /** How long a fetch or push waits for its turn before it is refused as busy. */
  readonly waitMs: number
  /** The time that an ordinary git command may take. */
  readonly commandMs: number
  /** The time that serving a fetch, or taking in a pack, may take. */
  readonly transferMs: number
  /** How long another server may take to accept a connection. */
  readonly remoteConnectMs: number
  /** How many whole seconds another server may be silent when its references are listed; in transfers four times as many. */
  readonly remoteSilenceSeconds: number
  /** The most output of an ordinary git command. */
  readonly outputBytes: number
  /** The largest object that is read whole; larger ones must be streamed. */
  readonly objectBytes: number
  /** The largest pack that a push may send. */
  readonly pushBytes: number
  /** The most references that one push may change, where nothing else is said, and of a repository that is taken over. */
  readonly pushCommands: number
  /** GitCache that `pack-objects` may use for its window, per thread. */
  readonly windowBytes: number
  /** Threads that one git process may use. */
  readonly threads: number
}

export const defaultLimits: GitLimits = {
  readers: 16,
  readersPerRepository: 4,
  readerIdleMs: 15_000,
  packs: 8,
  packsPerRepository: 4,
  pushes: 4,
  pushesPerRepository: 4,
  commands: 8,
  longWork: 8,
  diffs: 4,
  downloads: 16,
  memory: { process: 2 * 1024 ** 3, allocation: 1024 ** 3, object: 128 * 1024 ** 2, compared: 4 * 1024 ** 2 },
  diffBytes: 256 * 1024 ** 2,
  spoolBytes: 16 * 1024 ** 3,
  stallMs: 60_000,
  queue: 512,
  waitMs: 60_000,
  commandMs: 60_000,
  transferMs: 3_600_000,
  remoteConnectMs: 10_000,
  remoteSilenceSeconds: 30,
  outputBytes: 64 * 1024 * 1024,
  objectBytes: 64 * 1024 * 1024,
  pushBytes: 8 * 1024 * 1024 * 1024,
  pushCommands: 50_000,
  windowBytes: 100 * 1024 * 1024,
  threads: 2,
}

/** An entry for the service's log. `detail` may hold what git wrote to stderr. */
export interface GitEvent {
  readonly level: "debug" | "warn" | "error"
  readonly message: string
  readonly repository?: string
  readonly detail?: string
}

/** How to open git. */
export interface GitOptions {
  /** The folder of all repositories. Created if it is missing. */
  readonly root: string
  /** The git program; by default `git` from PATH. */
  readonly program?: string
  /** The name of this service in the protocol, such as `hearth/0.1.0`. */
  readonly agent?: string
  /** Whether writes are forced to the disk before they are reported done. Default true; tests and throw-away servers do without. */
  readonly durable?: boolean
  /**
   * The time since when no other process uses these repositories, in milliseconds since 1970: older locks are of a killed process.
   * Undefined if other processes may use them.
   */
  readonly aloneSince?: number | undefined
  /** The name of this process, which no other that uses these repositories has: without a dot, and short, as it is in the names of locks. */
  readonly worker?: string | undefined
  /** Opens where repositories are kept: by default in folders below `root`. See git/shared.ts. */
  readonly openStore?: ((context: Context) => RepositoryStore) | undefined
  /** This process's part of what all processes of a server may use; by default all. */
  readonly share?: ((total: number) => number) | undefined
  readonly limits?: Partial<GitLimits>
  /** Who the current work is for; by default no one in particular. */
  readonly caller?: () => Caller
  /** Receives log entries. */
  readonly log?: (event: GitEvent) => void
}

/** The first parameter of the functions in this folder. */
export interface Context {
  /** Where repositories are kept. */
  readonly store: () => RepositoryStore
  readonly root: string
  readonly agent: string
  readonly durable: boolean
  readonly aloneSince: number
  /** The name of this process, in its locks. */
  readonly worker: string
  /** The names of processes that have died: what they have locked is free. */
  readonly dead: ReadonlySet<string>
  readonly limits: GitLimits
  readonly log: (event: GitEvent) => void
  readonly processes: Processes
  readonly readers: Readers
  /** Loaded at the first use. */
  readonly packs: () => Promise<Packs>
  /** Who the current work is for. */
  readonly caller: () => Caller
  /** Commands that end by themselves: their output is read at once, and nothing waits for another permit while it holds one of these. */
  readonly commands: Limiter
  /** What takes minutes or hours: repacking, checking, exchange with other servers. */
  readonly longWork: Limiter
  /** Packs and archives on their way to a client. */
  readonly fetches: Limiter
  readonly listings: Limiter
  readonly pushes: Limiter
  /** Packs that git reads while they come: who is refused one of these waits until all has come. */
  readonly arrivals: Limiter
  /** Diffs and patches on their way to a client. */
  readonly diffs: Limiter
  /** Large files on their way to a client. */
  readonly downloads: Limiter
  readonly spool: SpoolSpace
  /** Comparisons that are under way. */
  readonly comparisons: Shared<ReadonlyMap<string, readonly ChangedFile[]>>
  /** Protocol v2 capability advertisements, which depend only on the object format. */
  readonly advertisements: Map<string, Promise<Buffer>>
  readonly cache: GitCache
}
