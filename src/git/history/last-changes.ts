import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import type { GitProcess } from "../process/process.ts"
import { readRecords } from "../process/reading.ts"

/** Where the last changes of paths are looked for next: each path at one commit, which has it. */
export type Waiting = ReadonlyMap<ObjectId, ReadonlySet<string>>

/** Whose last changes are looked for. */
export interface LastChangesOptions {
  /** Paths of files and directories, by the commit to begin with; or where an earlier search has come to. */
  readonly from: Waiting
  /** Directories that all of the paths are in, without those below; none for the whole tree. Only what changed in and below them is read. */
  readonly below?: readonly string[]
  /** What is known of earlier commits: the walk ends there for these paths. */
  readonly known?: ReadonlyMap<ObjectId, ReadonlyMap<string, ObjectId>>
  /** The most commits that are walked. */
  readonly mostCommits: number
  /** Milliseconds after which what was found so far is the result. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Told now and then what was found so far, and where it goes on. */
  readonly onProgress?: (found: LastChanges) => Promise<void>
}

/** What was found, and what wasn't yet: none are waiting where the search has ended. */
export interface LastChanges {
  readonly found: ReadonlyMap<string, ObjectId>
  readonly waiting: Waiting
}

/** The longest line: a commit with its parents. */
const LONGEST = 1024 * 1024
/** How much longer than the search itself a process may take, in milliseconds. */
const GRACE_MS = 10_000
/** How often progress is told, in milliseconds. */
const PROGRESS_MS = 2_000
/** How many first parents are compared at a time: as many as are likely to be needed. */
const [MOST_AHEAD, FEW_AHEAD] = [64, 16]

/**
 * The last commit that changed each path, as `git log -1 <commit> -- <path>` finds it: a path follows the first parent that has it unchanged. One walk for all
 * of them, of two processes: one tells the commits, the other compares those that a path has come to with their parents, mostly the first. Throws `failed`,
 * `busy`, `aborted`, `tooLarge`, and `timeout` where git says nothing at all.
 */
export async function lastChanges(
  context: Context,
  repository: Repository,
  { from, below = [], known = new Map(), mostCommits, timeoutMs, signal, onProgress }: LastChangesOptions,
): Promise<LastChanges> {
  const found = new Map<string, ObjectId>()
  const waiting = new Map([...from].map(([id, paths]) => [id, new Set(paths)] as const))
  if (waiting.size === 0) return { found, waiting }
  const begun = performance.now()
  let told = begun
  let walked = 0
  const comparer = await openComparer(context, repository, { below, timeoutMs: timeoutMs + GRACE_MS, signal })
  try {
    // Children come before their parents.
    const command = { name: "rev-list", flags: ["--topo-order", "--parents"], args: [...waiting.keys()] } as const
    const reading = { separator: "\n", longest: LONGEST, timeoutMs: timeoutMs + GRACE_MS, signal } as const
    for await (const records of readRecords(context, repository, command, reading)) {
      const steps = stepsOf(repository, records.slice(0, mostCommits - walked))
      walked += steps.size
      const compared = new Map<ObjectId, ReadonlySet<string>>()
      for (const [id, parents] of steps) {
        const here = waiting.get(id)
        if (!here) continue
        const last = known.get(id)
        for (const path of here) settle(here, path, last?.get(path))
        for (const [place, parent] of parents.entries()) {
          if (here.size === 0) break
          if (place === 0 && !compared.has(id)) {
            const line = firstParents(steps, id, waiting.size > MOST_AHEAD ? FEW_AHEAD : MOST_AHEAD)
            for (const [at, changed] of (await comparer.compare(line)).entries()) compared.set(line[at]?.[0] ?? id, changed)
          }
          const changed = place === 0 ? compared.get(id) : (await comparer.compare([[id, parent]]))[0]
          for (const path of here) if (changed?.has(path) !== true) follow(path, here, parent)
        }
        for (const path of here) settle(here, path, id)
        waiting.delete(id)
      }
      const now = performance.now()
      if (waiting.size === 0 || walked >= mostCommits || now - begun > timeoutMs) break
      if (now - told < PROGRESS_MS) continue
      await onProgress?.({ found, waiting })
      told = performance.now()
    }
  } finally {
    comparer.close()
  }
  return { found, waiting }

  function settle(here: Set<string>, path: string, last: ObjectId | undefined): void {
    if (last !== undefined && here.delete(path)) found.set(path, last)
  }

  function follow(path: string, here: Set<string>, parent: ObjectId): void {
    here.delete(path)
    const there = waiting.get(parent)
    if (there) there.add(path)
    else waiting.set(parent, new Set([path]))
  }
}

/** Commits with their parents, in git's order. */
type Steps = ReadonlyMap<ObjectId, readonly ObjectId[]>

function stepsOf({ format }: Repository, records: readonly Buffer[]): Steps {
  const steps = new Map<ObjectId, readonly ObjectId[]>()
  for (const record of records) {
    const [id, ...parents] = record
      .toString("latin1")
      .split(" ")
      .map((each) => objectId(each, format))
    if (id !== undefined) steps.set(id, parents)
  }
  return steps
}

type Pair = readonly [commit: ObjectId, parent: ObjectId]

/** A commit with its first parent, this one with its own, and so on, as far as the steps go. */
function firstParents(steps: Steps, id: ObjectId, most: number): readonly Pair[] {
  const pairs: Pair[] = []
  for (let at = id, next = steps.get(at)?.[0]; next !== undefined && pairs.length < most; at = next, next = steps.get(at)?.[0])
    pairs.push([at, next])
  return pairs
}

// --- what differs -----------------------------------------------------------------------------------------------------------------

interface Comparer {
  /** For each pair the paths that differ, and the directories that they are in. */
  readonly compare: (pairs: readonly Pair[]) => Promise<readonly ReadonlySet<string>[]>
  readonly close: () => void
}

/** What git says when it has compared a pair: it repeats lines that are no ids, and what differs begins with a colon. */
const END = "=\n"
const [EQUALS, COLON] = [61, 58]

/** One process that compares many pairs. It has a permit of long work, so that nothing that holds one of ordinary commands waits for another. */
async function openComparer(
  context: Context,
  repository: Repository,
  {
    below,
    timeoutMs,
    signal,
  }: { readonly below: readonly string[]; readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<Comparer> {
  const isRoot = below.length === 1 && below[0] === ""
  const isLimited = below.length > 0 && !below.includes("")
  const flags = ["--stdin", "-z", "--raw", "--no-renames", "--no-commit-id", ...(isRoot ? [] : ["-r"])]
  const child = await context.processes.open(
    context.longWork,
    { name: "diff-tree", flags, ...(isLimited && { paths: below }) },
    { repository, timeoutMs, ...(signal && { signal }) },
  )
  // A process that was ended says why where its output is read.
  child.stdin.on("error", () => {})
  child.exit.catch(() => {})
  const read = reader(child)
  return {
    async compare(pairs) {
      const told: ReadonlySet<string>[] = []
      if (pairs.length === 0) return told
      child.stdin.write(pairs.map(([commit, parent]) => `${commit} ${parent}\n${END}`).join(""))
      while (told.length < pairs.length) told.push(await read())
      return told
    },
    close: () => child.kill(),
  }
}

/** Reads what one comparison says. */
function reader({ stdout, exit }: GitProcess): () => Promise<ReadonlySet<string>> {
  const chunks = stdout[Symbol.asyncIterator]()
  let buffer: Buffer = Buffer.alloc(0)
  let at = 0
  const more = async () => {
    // A stream that was destroyed with its process says nothing of the reason.
    const { done, value } = await chunks.next().catch(() => ({ done: true, value: undefined }))
    if (done === true) {
      const { code, stderr } = await exit
      throw new GitError("failed", `git diff-tree ended with code ${code}`, stderr)
    }
    const next = Buffer.from(value)
    buffer = at === buffer.length ? next : Buffer.concat([buffer.subarray(at), next])
    at = 0
  }
  /** The place of the next NUL, from an offset on. */
  const nul = async (offset: number): Promise<number> => {
    for (;;) {
      const place = buffer.indexOf(0, at + offset)
      if (place !== -1) return place - at
      await more()
    }
  }
  return async () => {
    const changed = new Set<string>()
    for (;;) {
      while (buffer.length - at < END.length) await more()
      if (buffer[at] === EQUALS) {
        at += END.length
        return changed
      }
      if (buffer[at] !== COLON) throw new GitError("failed", "git diff-tree said something unexpected", "")
      const head = await nul(0)
      const end = await nul(head + 1)
      addWithParents(changed, buffer.toString("utf8", at + head + 1, at + end))
      at += end + 1
    }
  }
}

/** A path, and the directories that it is in. */
function addWithParents(paths: Set<string>, path: string): void {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) paths.add(path.slice(0, slash))
  paths.add(path)
}
