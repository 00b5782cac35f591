import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { type AheadBehind, aheadBehind } from "./history/ahead-behind.ts"
import { type BlameBlock, type BlameOptions, blame, lineCommits } from "./history/blame.ts"
import { referencesContaining } from "./history/containing.ts"
import { type Contribution, type ContributionRange, contributions } from "./history/contributions.ts"
import {
  changedFiles,
  changesOf,
  type DiffTotals,
  diffTotals,
  type FilesOptions,
  formatPatch,
  type PatchOptions,
  patch,
} from "./history/diff.ts"
import { type Grep, grep } from "./history/grep.ts"
import {
  type CommitRange,
  commitsBetween,
  countCommits,
  isAncestor,
  lastCommit,
  mergeBase,
  newestCommits,
  type RangeOptions,
} from "./history/history.ts"
import { type LastChanges, type LastChangesOptions, lastChanges } from "./history/last-changes.ts"
import { type Log, type LogOptions, logPage, log as readLog } from "./history/log.ts"
import type { ConflictOptions, DetailedMerge, Rebased, RebaseOptions, TreeChange, TreeMerge } from "./history/merging.ts"
import type { RangeDifference, Series } from "./history/range-diff.ts"
import { type CommitSearch, type FoundCommit, searchCommits } from "./history/search.ts"
import { type ObjectBatch, openBatch, writeTree } from "./incoming/batch.ts"
import { GitError } from "./model/errors.ts"
import type { ChangedFile, Commit, Maintenance, ObjectInfo, Reference, RefUpdate, Repository, Tag, TreeEntry } from "./model/model.ts"
import type { ObjectFormat, ObjectId, RefName } from "./model/names.ts"
import { looseBytes } from "./objects/loose.ts"
import {
  expandId,
  type Looked,
  lookAt,
  type NewCommit,
  type NewTag,
  namedInfo,
  objectInfo,
  objectTypes,
  readBlob,
  readCommit,
  readTag,
  readTree,
  streamBlob,
  writeBlob,
  writeCommit,
  writeTag,
} from "./objects/objects.ts"
import type { Packs } from "./objects/packs.ts"
import { listPaths, type PathsOptions } from "./objects/paths.ts"
import { type SmallBlobsOptions, smallBlobs } from "./objects/small-blobs.ts"
import { createCache, keyIn } from "./process/cache.ts"
import { type Context, defaultLimits, type GitOptions } from "./process/context.ts"
import { createLimiter, type Limiter, type LimiterState, ownCaller } from "./process/limits.ts"
import { createProcesses } from "./process/process.ts"
import { createReaders } from "./process/reader.ts"
import { createShared } from "./process/shared.ts"
import { listReferences, resolveReference } from "./refs/ref-files.ts"
import type { BringOptions, Brought } from "./repositories/bring.ts"
import { unreached } from "./repositories/left-behind.ts"
import { checkObjects } from "./repositories/maintenance.ts"
import { combinedView, readHead } from "./repositories/repository.ts"
import { openLocalStore } from "./store/local.ts"
import { makeMove } from "./store/move.ts"
import type { Move, RepositoryStore } from "./store/store.ts"
import { type Advertisement, advertiseReceive, advertiseUpload } from "./transport/advertise.ts"
import { type ArchiveLimits, type ArchiveOptions, archive, type BundledReference, bundle, measureTree } from "./transport/archive.ts"
import { type TakenOver, type TakeOverOptions, takeOver } from "./transport/foreign.ts"
import type { PushOutcome, ReceiveRequest } from "./transport/push.ts"
import { type FetchOptions, fetchObjects, listRemote, pushMirror, type Remote, type RemoteListing } from "./transport/remote.ts"
import { copyObjects, copyTree, packOf, storePack } from "./transport/transfer.ts"
import { serveUpload, type UploadOutcome, type UploadRequest } from "./transport/upload.ts"

export type { AheadBehind } from "./history/ahead-behind.ts"
export type { BlameBlock, BlameOptions } from "./history/blame.ts"
export type { Contribution, ContributionRange } from "./history/contributions.ts"
export { type DiffTotals, type FilesOptions, type PatchOptions, sumOf } from "./history/diff.ts"
export type { CommitRange, RangeOptions } from "./history/history.ts"
export type { LastChanges, LastChangesOptions, Waiting } from "./history/last-changes.ts"
export type { Log, LogOptions } from "./history/log.ts"
export type { ConflictedFile, DetailedMerge, MergeEntry, Rebased, RebaseOptions, TreeChange, TreeMerge } from "./history/merging.ts"
export type { RangeDifference, RangePair, Series } from "./history/range-diff.ts"
export type { CommitSearch, FoundCommit } from "./history/search.ts"
export type { ObjectBatch } from "./incoming/batch.ts"
export { GitError, type GitErrorKind, isDamage, isGitError } from "./model/errors.ts"
export * from "./model/model.ts"
export * from "./model/names.ts"
export { completePerson } from "./model/person.ts"
export { isTreeEntryName } from "./model/tree-entry.ts"
export { formatCommit, type NewCommit, type NewTag } from "./objects/objects.ts"
export { defaultLimits, type GitEvent, type GitLimits, type GitOptions } from "./process/context.ts"
export { type Caller, createLimiter, type Limiter, type LimiterState, ownCaller } from "./process/limits.ts"
export { isKept, keptRef } from "./repositories/left-behind.ts"
export type * from "./store/shared/records.ts"
export type { Move, NewPack, RepositoryChange, Versions } from "./store/store.ts"
export { type Advertisement, servicePreamble } from "./transport/advertise.ts"
export type { ArchiveLimits, ArchiveOptions, BundledReference } from "./transport/archive.ts"
export type * from "./transport/push.ts"
export type { FetchOptions, Remote, RemoteListing } from "./transport/remote.ts"
export type { UploadOutcome, UploadRequest } from "./transport/upload.ts"

export interface CheckOptions {
  readonly isWhole?: boolean
  readonly signal?: AbortSignal
}

/** The service's interface to git. Created by `openGit`; several may exist in one process. Functions throw `GitError`. */
export interface Git {
  /** The repository at a storage key, without looking at the disk. Throws `invalid` for a bad key. */
  at(key: string, format: ObjectFormat): Repository
  /** The repository at a storage key, its format read from its configuration. Throws `invalid`, `missing`. */
  open(key: string): Promise<Repository>

  /** A view of the first in which the objects of both are seen, for reading only. Throws `invalid` when their formats differ. */
  together(repository: Repository, other: Repository): Repository

  readonly repositories: {
    /** Makes an empty bare repository whose HEAD names `branch`. Starts no process. Throws `exists`, `invalid`. */
    create(key: string, options: { readonly format: ObjectFormat; readonly branch: string }): Promise<Repository>
    /** Removes a repository; a missing one is no error. */
    remove(repository: Repository): Promise<void>
    exists(repository: Repository): Promise<boolean>
    /** Whether nothing at all is left of it: one of which only a part is there is damaged, and not gone. */
    isGone(repository: Repository): Promise<boolean>
    /** Removes repositories that were being created or removed when a process was killed, more than an hour ago. For the start of the service. */
    sweep(): Promise<void>
    /** The bytes that its files take, without pushes that are not accepted yet. Throws `missing`. */
    size(repository: Repository): Promise<number>
    /**
     * Makes a copy with the references that `keep` chooses and what they reach. It shares no storage that git knows of: files are hard-linked where they hold
     * nothing else and the file system allows.
     * Throws `missing`, `exists`.
     */
    fork(from: Repository, key: string, keep: (ref: RefName) => boolean): Promise<Repository>
    /**
     * Makes a repository with what a bare repository in some folder has, checked like a push. The folder is only read, and only its references and objects.
     * Throws `missing`, `unfit`, `exists`, `busy`, `timeout`.
     */
    takeOver(folder: string, key: string, options: TakeOverOptions): Promise<TakenOver>
    /**
     * Makes the repository at a key what a bare repository in some folder is, unchecked, or brings what is new there. Not for repositories that are kept in the
     * database. Throws `missing`.
     */
    bring(folder: string, key: string, options: BringOptions): Promise<Brought>
    /** The references of a bare repository in some folder. Throws `missing`. */
    foreignReferences(folder: string): Promise<readonly Reference[]>
    /**
     * Packs what the given objects reach, without what `known` reaches, which both have, and stores it in another repository of the same format.
     * Throws `invalid`, `failed`.
     */
    copyObjects(from: Repository, ids: readonly ObjectId[], to: Repository, known?: readonly ObjectId[]): Promise<void>
    /** A pack of what the given objects reach, without what `known` reaches: a stream, which must be read or destroyed. Fails with `failed`, `busy`, `timeout`. */
    pack(repository: Repository, ids: readonly ObjectId[], known?: readonly ObjectId[]): Readable
    /** Stores such a pack, where what it is based on is stored already. Throws `failed`, `timeout`, and what `content` throws. */
    storePack(repository: Repository, content: AsyncIterable<Buffer>): Promise<void>
    /** Copies one tree with all that it holds into another repository, for a first commit made from a template. */
    copyTree(from: Repository, tree: ObjectId, to: Repository): Promise<void>
  }

  readonly objects: {
    writeBlob(repository: Repository, content: Uint8Array | string): Promise<ObjectId>
    /** Throws `invalid` for a name that must not stand in a tree, or for a name twice; `unfit` for a file that git refuses in a push. */
    writeTree(repository: Repository, entries: readonly TreeEntry[]): Promise<ObjectId>
    writeCommit(repository: Repository, commit: NewCommit): Promise<ObjectId>
    writeTag(repository: Repository, tag: NewTag): Promise<ObjectId>
    /** Opens a batch of new objects, which are stored together. */
    batch(repository: Repository): ObjectBatch
    /** The id of the one object with this prefix of at least four digits; undefined if there is none, or several. */
    expand(repository: Repository, prefix: string): Promise<ObjectId | undefined>
    /** The bytes that these objects take on the disk, each in its own file, as for objects just written. */
    written(repository: Repository, ids: Iterable<ObjectId>): Promise<number>
    /** An object's kind and size, or undefined when it is not there. */
    info(repository: Repository, id: ObjectId): Promise<ObjectInfo | undefined>
    /** The kinds of many objects, without those that are not there. One process. Throws `failed`, `busy`, `timeout`, `aborted`. */
    types(repository: Repository, ids: Iterable<ObjectId>): Promise<ReadonlyMap<ObjectId, ObjectInfo["type"]>>
    /** The same for an object that another one or a reference names: it must be there. Throws `missing`. */
    namedInfo(repository: Repository, id: ObjectId): Promise<ObjectInfo>
    readCommit(repository: Repository, id: ObjectId): Promise<Commit>
    readTag(repository: Repository, id: ObjectId): Promise<Tag>
    readTree(repository: Repository, id: ObjectId): Promise<readonly TreeEntry[]>
    /** The paths of the files below a tree, in git's order, up to a limit. One process. Throws `failed`, `busy`, `timeout`, `aborted`. */
    paths(repository: Repository, tree: ObjectId, options: PathsOptions): Promise<readonly string[]>
    /** A blob's size, and its content where it has at most so many bytes: in one look what would be asked one after the other. Undefined for what is no blob. Throws `missing`. */
    look(repository: Repository, id: ObjectId, most: number): Promise<Looked | undefined>
    /** A blob's content. Throws `missing`, and `tooLarge` over `limits.objectBytes`. */
    readBlob(repository: Repository, id: ObjectId): Promise<Buffer>
    /** A blob as a stream, which must be read to its end or destroyed. Throws `missing`. */
    streamBlob(repository: Repository, id: ObjectId): Promise<{ readonly size: number; readonly content: Readable }>
    /** The small blobs that a history has and others don't. One process. Throws `failed`, `timeout`. */
    smallBlobs(repository: Repository, options: SmallBlobsOptions): Promise<readonly ObjectId[]>
  }

  readonly references: {
    /** References sorted by name, hidden ones too; `prefix` must end in a slash. Starts no process. */
    list(repository: Repository, prefix?: string): Promise<readonly Reference[]>
    /** The object that a reference (or `HEAD`) names, or undefined. Starts no process. */
    resolve(repository: Repository, name: RefName | "HEAD"): Promise<ObjectId | undefined>
    /** Runs `work` under a mutex of this process for the reference, so that updates don't conflict with each other. Throws `busy`. */
    inTurn<T>(repository: Repository, name: RefName, work: () => Promise<T>): Promise<T>
    /** Changes references together or not at all. Throws `conflict` when one no longer has its expected value. */
    update(repository: Repository, updates: readonly RefUpdate[], options?: { readonly signal?: AbortSignal }): Promise<void>
    /**
     * Changes references by a transaction of the database, where that is how they move: `make` is given the move, and writes it with everything that follows from it; again where a garbage
     * collection came between. False, with nothing done, where references move by themselves, by `update`. Throws `conflict`, `failed`, and what `make` throws.
     */
    move(repository: Repository, updates: readonly RefUpdate[], make: (move: Move) => Promise<unknown>): Promise<boolean>
    /** The reference that HEAD names, whether or not it exists. */
    head(repository: Repository): Promise<RefName>
    /** Makes HEAD name another branch, whether or not it exists. */
    setHead(repository: Repository, ref: RefName): Promise<void>
  }

  readonly history: {
    /** The commits that `to` has and `from` doesn't, newest first, up to a limit, with their number. */
    between(repository: Repository, range: RangeOptions): Promise<CommitRange>
    isAncestor(repository: Repository, ancestor: ObjectId, descendant: ObjectId): Promise<boolean>
    /** The best commit that `a` and at least one of the others have in their history; of several equally good ones the first that git names. */
    mergeBase(repository: Repository, a: ObjectId, b: ObjectId, ...others: readonly ObjectId[]): Promise<ObjectId | undefined>
    /** A page of a history in git's own order, and the length of the whole; the total is counted once. */
    log(repository: Repository, options: LogOptions): Promise<Log>
    /** A page of a history without its length, which is much faster where that is long. Throws as `log` does. */
    logPage(repository: Repository, options: LogOptions): Promise<readonly Commit[]>
    /** The commits that last touched lines of a file, by the lines' numbers. One process. Throws `failed` when file or lines are missing, `timeout`. */
    lineCommits(repository: Repository, commit: ObjectId, path: string, lines: readonly number[]): Promise<ReadonlyMap<number, ObjectId>>
    /** Who last touched the lines of a file, as git finds it. Throws `failed` without such a file, `tooLarge`, `busy`, `timeout`, `aborted`. */
    blame(repository: Repository, options: BlameOptions): AsyncGenerator<BlameBlock>
    /** The last commits that changed each of these paths, in one walk, as far as it gets in its time. Throws `failed`, `busy`, `timeout`, `aborted`. */
    lastChanges(repository: Repository, options: LastChangesOptions): Promise<LastChanges>
    /** How far each head is ahead of and behind a base, in one walk; empty for histories too long. Throws `failed`, `busy`, `timeout`, `aborted`. */
    aheadBehind(repository: Repository, base: ObjectId, heads: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, AheadBehind>>
    /** Commits by words, people and times, or those of one file through its renamings. Throws `failed`, `busy`, `timeout`, `aborted`. */
    search(repository: Repository, search: CommitSearch): Promise<readonly FoundCommit[]>
    /** The paths of text files of a commit that hold texts, as they are found. Throws `failed`, `busy`, `timeout`, `aborted`. */
    grep(repository: Repository, options: Grep): AsyncGenerator<readonly string[]>
    /** The ids of the newest commits of these histories; no commit comes before one that has it as a parent. Throws `failed`, `busy`, `timeout`, `aborted`. */
    newest(repository: Repository, tips: readonly ObjectId[], limit: number): Promise<readonly ObjectId[]>
    /** Branches or tags whose history has the commit, by name, up to a limit. Throws `failed`, `busy`, `timeout`, `aborted`. */
    containing(repository: Repository, id: ObjectId, prefix: "refs/heads/" | "refs/tags/", limit: number): Promise<readonly RefName[]>
    /** Those of these commits that are there, though no reference reaches them, or one that is for them alone. */
    unreached(repository: Repository, ids: readonly string[]): Promise<readonly ObjectId[]>
    /** What commits added, newest first. Takes long: for jobs. Throws `failed`, `busy`, `timeout`, `aborted`. */
    contributions(repository: Repository, range: ContributionRange): AsyncGenerator<Contribution>
    /** The number of commits reachable from `id`. */
    count(repository: Repository, id: ObjectId): Promise<number>
    /** The commit that a branch names, or undefined when there is no such branch. */
    lastCommit(repository: Repository, branch: string): Promise<Commit | undefined>
  }

  readonly diffs: {
    /** The files that differ between two commits or trees, with counts of lines; `from` null is the empty tree. */
    files(repository: Repository, from: ObjectId | null, to: ObjectId, options?: FilesOptions): Promise<readonly ChangedFile[]>
    /** The changes of each of these commits against its first parent, in one process. */
    ofCommits(repository: Repository, commits: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, readonly ChangedFile[]>>
    totals(repository: Repository, from: ObjectId | null, to: ObjectId): Promise<DiffTotals>
    /** A unified diff as a stream, which must be read or destroyed. */
    patch(repository: Repository, from: ObjectId | null, to: ObjectId, options?: PatchOptions): Readable
    /** The commits that `to` has and `from` doesn't as mails, without merges. */
    formatPatch(repository: Repository, from: ObjectId | null, to: ObjectId): Readable
    /** Which commit of a later version of a series takes the place of which, and how their patches differ. Throws `failed`, `tooLarge`, `timeout`. */
    ranges(repository: Repository, before: Series, after: Series): Promise<RangeDifference>
  }

  readonly merging: {
    /** Merges two commits as `git merge` does and stores the tree, unless it would be refused in a push. */
    mergeTrees(repository: Repository, base: ObjectId, head: ObjectId): Promise<TreeMerge>
    /** The same with what is in conflict: what each side has, and the files with marks. */
    mergeInDetail(repository: Repository, ours: ObjectId, theirs: ObjectId, options: ConflictOptions): Promise<DetailedMerge>
    /** Applies the difference between two trees to a third, and stores the tree. */
    applyChange(repository: Repository, change: TreeChange): Promise<TreeMerge>
    /** Applies commits on top of another, as `git rebase` does. Throws `tooLarge` over 5,000 commits. */
    rebase(repository: Repository, options: RebaseOptions): Promise<Rebased>
    /** The commit that brought `head` into the history of `base`: a merge, or `head` itself after a fast-forward. */
    mergedBy(repository: Repository, head: ObjectId, base: ObjectId): Promise<ObjectId>
  }

  readonly archives: {
    /** Checks that the files of a commit are within limits. Throws `tooLarge` otherwise. */
    measure(repository: Repository, what: Pick<ArchiveOptions, "commit" | "paths">, limits: ArchiveLimits): Promise<void>
    /** The files of a commit as a stream, which must be read or destroyed. */
    archive(repository: Repository, options: ArchiveOptions): Promise<Readable>
    /** A bundle of these references; a stream likewise. */
    bundle(repository: Repository, references: readonly BundledReference[]): Readable
  }

  readonly transport: {
    /** The advertisement for a fetch. `protocol` is the client's `Git-Protocol`; a malformed one is ignored. */
    advertiseUpload(repository: Repository, options?: { readonly protocol?: string | undefined }): Promise<Advertisement>
    /** The advertisement for a push; without a repository, that of an empty one. */
    advertiseReceive(repository: Repository | undefined, options?: { readonly protocol?: string | undefined }): Promise<Advertisement>
    /** Serves a fetch. Throws `busy` before anything is written. */
    upload(repository: Repository, request: UploadRequest): Promise<UploadOutcome>
    /** Receives a push. Throws `busy`, `protocol`, `aborted` before anything is written; other errors are reported to the client and in the outcome. */
    receive(repository: Repository, request: ReceiveRequest): Promise<PushOutcome>
  }

  /** Repositories of other servers. Their errors are `remote`. */
  readonly remotes: {
    /** The references of another server's repository. Throws `remote`, `timeout`, `aborted`. */
    list(remote: Remote, signal?: AbortSignal): Promise<RemoteListing>
    /**
     * Fetches objects of another server's repository with all that they need, checked like a push. Returns the bytes that the store grew by.
     * Throws `remote`, `busy`, `timeout`, `aborted`, and leaves nothing then.
     */
    fetch(repository: Repository, remote: Remote, options: FetchOptions): Promise<number>
    /** Pushes branches and tags so that they are the same there as here. Throws `remote`, `timeout`, `aborted`. */
    push(repository: Repository, remote: Remote, signal?: AbortSignal): Promise<void>
  }

  readonly maintenance: {
    /** Whether packing references, or a repack, would make a repository faster. Starts no process. */
    needed(repository: Repository): Promise<boolean>
    /** Packs references where many have files of their own. Throws `failed` while another process changes them, `timeout`, `aborted`. */
    packReferences(repository: Repository, signal: AbortSignal): Promise<void>
    /** Whether a repack would put aside objects that were left behind, or drop those that are aside since before this time, in seconds since 1970. */
    hasLeftBehind(repository: Repository, before: number): Promise<boolean>
    /** Repacks it with a bitmap and a commit graph; pushes and fetches may run concurrently. Throws `failed`, `timeout`, `aborted`. */
    run(repository: Repository, how: Maintenance): Promise<void>
    /** The problems of its objects, one sentence each; none when all objects that its references need are present. With `isWhole` each is read. Throws `timeout`, `aborted`. */
    check(repository: Repository, how?: CheckOptions): Promise<readonly string[]>
  }

  /** Git processes started since opening. */
  spawned(): number

  /** Notes that another process, by its name, has died: what it has locked is free. */
  noteDeath(worker: string): void
  /** Git processes running now. */
  running(): number
  /** What is limited, and how much of it is in use. */
  limits(): readonly LimiterState[]
  /** The version of the git program, such as `2.39.5`. Throws `failed` when it can't be run or is older than 2.39. */
  version(): Promise<string>
  /** Ends readers and running processes, and waits for them to be gone. */
  close(): Promise<void>
}

/** The oldest version with all features that are used (`cat-file --batch-command`, `core.fsync`, hidden references in connectivity checks). */
const oldestVersion = [2, 39] as const

async function readVersion(context: Context): Promise<string> {
  const { stdout } = await context.processes.run({ name: "version" })
  const version = /\d+\.\d+(\.\d+)?/.exec(stdout.toString("latin1"))?.[0] ?? "0.0"
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1])) {
    throw new GitError("failed", `git ${version} is too old: ${oldestVersion.join(".")} or newer is needed`)
  }
  return version
}

/** What makes methods of functions: they get the context, and see a repository that is as new as what all processes have made of it. */
function binders(context: Context, ready: RepositoryStore["ready"]) {
  type Act<A extends readonly unknown[], R> = (context: Context, repository: Repository, ...rest: A) => R
  const bind = <A extends readonly unknown[], R>(act: Act<A, Promise<R>>) =>
    ready === undefined
      ? (repository: Repository, ...rest: A) => act(context, repository, ...rest)
      : async (repository: Repository, ...rest: A) => {
          await ready(repository)
          return act(context, repository, ...rest)
        }
  const bindRecords = <A extends readonly unknown[], R>(act: Act<A, AsyncGenerator<R>>) =>
    ready === undefined
      ? (repository: Repository, ...rest: A) => act(context, repository, ...rest)
      : async function* (repository: Repository, ...rest: A): AsyncGenerator<R> {
          await ready(repository)
          yield* act(context, repository, ...rest)
        }
  const bindStream = <A extends readonly unknown[]>(act: Act<A, Readable>) => {
    if (ready === undefined) return (repository: Repository, ...rest: A) => act(context, repository, ...rest)
    return (repository: Repository, ...rest: A) => {
      async function* content(): AsyncGenerator<Buffer> {
        await ready?.(repository)
        yield* act(context, repository, ...rest)
      }
      return Readable.from(content(), { objectMode: false })
    }
  }
  return { bind, bindRecords, bindStream }
}

type Merging = typeof import("./history/merging.ts")

/** Loaded with the first merge. */
const merging = (): Promise<Merging> => import("./history/merging.ts")

/** Receives a push by code that is loaded with the first one. */
async function receive(context: Context, repository: Repository, request: ReceiveRequest): Promise<PushOutcome> {
  // An error without a listener would end the process.
  for (const stream of [request.input, request.output]) stream.on("error", () => {})
  const { receivePush } = await import("./transport/receive.ts")
  return receivePush(context, repository, request)
}

/** Opens the repositories below one folder. No process is started yet, and no state is shared with other instances. */
export function openGit(options: GitOptions): Git {
  const root = resolve(options.root)
  mkdirSync(root, { recursive: true })
  const limits = { ...defaultLimits, ...options.limits }
  const {
    program = "git",
    agent = "hearth",
    durable = true,
    aloneSince = 0,
    worker = randomBytes(6).toString("hex"),
    log = () => {},
    share = (whole) => whole,
  } = options
  const dead = new Set<string>()
  const caller = options.caller ?? (() => ownCaller)
  const limiters: Limiter[] = []
  const limiter = (name: string, total: number, perRepository: number): Limiter => {
    const made = createLimiter({ name, total, perRepository, caller, share, queue: limits.queue, waitMs: limits.waitMs })
    limiters.push(made)
    return made
  }
  const commands = limiter("commands", limits.commands, limits.commands)
  const processes = createProcesses({ ...limits, program, agent, root, durable, commands, caller })
  let packs: Promise<Packs> | undefined
  const readers = createReaders(processes, limiter("readers", limits.readers, limits.readersPerRepository), () => packs, limits)
  const context: Context = {
    store: () => store,
    root,
    agent,
    durable,
    aloneSince,
    worker,
    dead,
    limits,
    log,
    processes,
    readers,
    packs: () => {
      packs ??= import("./objects/packs.ts").then(({ openPacks }) => openPacks(limits.readerIdleMs))
      return packs
    },
    caller,
    commands,
    longWork: limiter("long_work", limits.longWork, limits.longWork),
    fetches: limiter("fetches", limits.packs, limits.packsPerRepository),
    listings: limiter("listings", 4 * limits.packs, 4 * limits.packsPerRepository),
    pushes: limiter("pushes", limits.pushes, limits.pushesPerRepository),
    arrivals: limiter("arrivals", limits.pushes, limits.pushesPerRepository),
    diffs: limiter("diffs", limits.diffs, limits.diffs),
    downloads: limiter("downloads", limits.downloads, limits.downloads),
    spool: { folder: root, most: () => share(limits.spoolBytes), used: 0 },
    comparisons: createShared(),
    advertisements: new Map(),
    cache: createCache(),
  }
  const turns = createLimiter({
    name: "turns",
    total: Number.POSITIVE_INFINITY,
    perRepository: 1,
    queue: limits.queue,
    waitMs: limits.waitMs,
  })
  const store: RepositoryStore = (options.openStore ?? openLocalStore)(context)
  const { bind, bindRecords, bindStream } = binders(context, store.ready)
  const { bind: bindToClient } = binders(context, store.renew)

  return {
    at: store.at,
    open: store.open,
    together: combinedView,
    repositories: {
      create: store.create,
      remove: store.remove,
      exists: store.exists,
      isGone: store.isGone,
      sweep: store.sweep,
      size: store.size,
      fork: store.fork,
      takeOver: (folder, key, how) => takeOver(context, folder, key, how),
      bring: async (folder, key, how) => (await import("./repositories/bring.ts")).bringRepository(context, folder, key, how),
      foreignReferences: async (folder) => (await import("./repositories/bring.ts")).foreignReferences(folder),
      copyObjects: bind(copyObjects),
      pack: bindStream(packOf),
      storePack: bind(storePack),
      copyTree: bind(copyTree),
    },
    objects: {
      writeBlob: bind(writeBlob),
      writeTree: bind(writeTree),
      writeCommit: bind(writeCommit),
      writeTag: bind(writeTag),
      batch: (repository) => openBatch(context, repository),
      expand: bind(expandId),
      written: bind((_, repository, ids) => looseBytes(repository, ids)),
      info: bind(objectInfo),
      types: bind(objectTypes),
      namedInfo: bind(namedInfo),
      readCommit: bind(readCommit),
      readTag: bind(readTag),
      readTree: bind(readTree),
      paths: bind(listPaths),
      look: bind(lookAt),
      readBlob: bind(readBlob),
      streamBlob: bind(streamBlob),
      smallBlobs: bind(smallBlobs),
    },
    references: {
      list: bind((_, repository, prefix) => listReferences(repository, prefix)),
      resolve: bind((_, repository, name) => resolveReference(repository, name)),
      async inTurn(repository, name, work) {
        const release = await turns.acquire(keyIn(repository, name))
        return work().finally(release)
      },
      update: store.update,
      move: (repository, updates, make) => makeMove(store.begin, repository, updates, make),
      head: bind((_, repository) => readHead(repository)),
      setHead: store.setHead,
    },
    history: {
      between: bind(commitsBetween),
      isAncestor: bind(isAncestor),
      mergeBase: bind(mergeBase),
      log: bind(readLog),
      logPage: bind(logPage),
      lineCommits: bind(lineCommits),
      blame: bindRecords(blame),
      lastChanges: bind(lastChanges),
      aheadBehind: bind(aheadBehind),
      search: bind(searchCommits),
      grep: bindRecords(grep),
      newest: bind(newestCommits),
      containing: bind(referencesContaining),
      unreached: bind(unreached),
      contributions: bindRecords(contributions),
      count: bind(countCommits),
      lastCommit: bind(lastCommit),
    },
    diffs: {
      files: bind(changedFiles),
      ofCommits: bind(changesOf),
      totals: bind(diffTotals),
      patch: bindStream(patch),
      formatPatch: bindStream(formatPatch),
      ranges: bind(async (...given: Parameters<Merging["rangeDiff"]>) => (await merging()).rangeDiff(...given)),
    },
    merging: {
      mergeTrees: bind(async (...given: Parameters<Merging["mergeTrees"]>) => (await merging()).mergeTrees(...given)),
      mergeInDetail: bind(async (...given: Parameters<Merging["mergeInDetail"]>) => (await merging()).mergeInDetail(...given)),
      applyChange: bind(async (...given: Parameters<Merging["applyChange"]>) => (await merging()).applyChange(...given)),
      rebase: bind(async (...given: Parameters<Merging["rebase"]>) => (await merging()).rebase(...given)),
      mergedBy: bind(async (...given: Parameters<Merging["mergedBy"]>) => (await merging()).mergedBy(...given)),
    },
    archives: {
      measure: bind(measureTree),
      archive: bind(archive),
      bundle: bindStream(bundle),
    },
    transport: {
      advertiseUpload: bindToClient(advertiseUpload),
      advertiseReceive: async (repository, how) => {
        if (repository) await store.renew?.(repository)
        return advertiseReceive(context, repository, how)
      },
      upload: bindToClient(serveUpload),
      receive: bindToClient(receive),
    },
    remotes: {
      list: (remote, signal) => listRemote(context, remote, signal),
      fetch: bind(fetchObjects),
      push: bind(pushMirror),
    },
    maintenance: {
      needed: store.needsMaintenance,
      packReferences: store.packReferences,
      hasLeftBehind: store.hasLeftBehind,
      run: store.maintain,
      check: async (repository, { isWhole = false, signal } = {}) =>
        checkObjects(processes, await store.receiving(repository), { limiter: context.longWork, signal, whole: isWhole }),
    },
    spawned: processes.spawned,
    noteDeath: (name) => void dead.add(name),
    running: processes.running,
    limits: () => limiters.map(({ state }) => state()),
    version: () => readVersion(context),
    async close() {
      await readers.close()
      await processes.close()
    },
  }
}
