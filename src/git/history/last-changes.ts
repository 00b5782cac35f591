import type { Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { readRecords } from "../process/reading.ts"

/** Whose last changes are looked for. */
export interface LastChangesOptions {
  readonly commit: ObjectId
  /** Paths of files and directories that the commit has. */
  readonly paths: readonly string[]
  /** Directories that all of the paths are below; none for the whole tree. Only what changed below them is read. */
  readonly below?: readonly string[]
  /** What is known of earlier commits: the walk ends there for these paths. */
  readonly known?: ReadonlyMap<ObjectId, ReadonlyMap<string, ObjectId>>
  /** The most commits that are walked; paths that have not changed within them are missing from the result. */
  readonly mostCommits: number
  /** Milliseconds. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** The longest record: a commit with its message. */
const LONGEST = 8 * 1024 * 1024

/** A commit on the way, with the paths that differ from each of its parents; a parent that nothing differs from is not among them. */
interface Step {
  readonly id: string
  readonly parents: readonly string[]
  readonly changes: Map<string, Set<string>>
}

/**
 * The last commit that changed each path, as `git log -1 <commit> -- <path>` finds it: a path follows the first parent that has it unchanged.
 * One process and one walk for all of them. Throws `failed`, `busy`, `timeout`, `aborted`, `tooLarge`.
 */
export async function lastChanges(
  context: Context,
  repository: Repository,
  { commit, paths, below = [], known = new Map(), mostCommits, timeoutMs, signal }: LastChangesOptions,
): Promise<ReadonlyMap<string, ObjectId>> {
  const found = new Map<string, ObjectId>()
  const pending = new Map<string, Set<string>>([[commit, new Set(paths)]])
  if (paths.length === 0) return found

  function settle({ id, parents, changes }: Step): void {
    const waiting = pending.get(id)
    if (!waiting) return
    pending.delete(id)
    const here = objectId(id, repository.format)
    for (const [path, last] of known.get(here) ?? []) if (waiting.delete(path)) found.set(path, last)
    for (const parent of parents) {
      const changed = changes.get(parents.length === 1 ? "" : parent)
      for (const path of waiting) {
        if (changed?.has(path)) continue
        waiting.delete(path)
        const there = pending.get(parent)
        if (there) there.add(path)
        else pending.set(parent, new Set([path]))
      }
    }
    for (const path of waiting) found.set(path, here)
  }

  const limited = below.length > 0 && !below.includes("")
  const command = {
    name: "log",
    // Children come before their parents. All commits are told, with what differs from each parent.
    flags: ["--topo-order", "--full-history", "--sparse", "-m", "--raw", "-z", "--no-renames", "--no-abbrev", "--pretty=raw"],
    args: [commit],
    ...(limited && { paths: below }),
  } as const
  let step: Step | undefined
  let changed: Set<string> | undefined
  let isPath = false
  let walked = 0
  // What a first commit adds is not told: all that is still looked for is from there.
  const reading = { separator: "\0", longest: LONGEST, timeoutMs, signal, config: [["log.showRoot", "false"]] } as const
  for await (const records of readRecords(context, repository, command, reading)) {
    for (const record of records) {
      if (isPath) {
        isPath = false
        if (changed) addWithParents(changed, record.toString("utf8"))
        continue
      }
      if (record.length === 0) continue
      // Lines of messages are indented, so that only what follows a message begins with a colon.
      isPath = record[0] === COLON || record.includes("\n:")
      if (record[0] === COLON) continue
      const { id, from, parents } = headOf(record)
      if (step?.id !== id) {
        if (step) settle(step)
        if (pending.size === 0 || walked >= mostCommits) return found
        step = { id, parents, changes: new Map() }
        walked += 1
      }
      changed = pending.has(id) ? new Set() : undefined
      if (changed) step.changes.set(from, changed)
    }
  }
  if (step) settle(step)
  return found
}

const COLON = 58

/** A path, and the directories that it is in. */
function addWithParents(paths: Set<string>, path: string): void {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) paths.add(path.slice(0, slash))
  paths.add(path)
}

/** A commit's first lines: its id, the parent that it is compared with where it has several, and its parents. */
function headOf(record: Buffer) {
  const end = record.indexOf("\n\n")
  const [first = "", ...lines] = record.toString("latin1", 0, end === -1 ? record.length : end).split("\n")
  const [, id = "", from = ""] = /^commit ([0-9a-f]+)(?: \(from ([0-9a-f]+)\))?/.exec(first) ?? []
  const parents: string[] = []
  for (const line of lines) {
    if (line.startsWith("parent ")) parents.push(line.slice("parent ".length))
    else if (line.startsWith("author ")) break
  }
  return { id, from, parents }
}
