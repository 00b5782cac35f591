import { LRUCache } from "lru-cache"
import type { Owned } from "../../../access/permission.ts"
import { mapInBatches } from "../../../core/batches.ts"
import { refuse } from "../../../core/errors.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Services } from "../../../core/services.ts"
import { waitAtMost } from "../../../core/timeout.ts"
import { type BlameBlock, type Commit, type Git, isGitError, isObjectId, type ObjectId, type TreeEntry } from "../../../git/index.ts"
import { gitOf } from "../commits/revision.ts"
import { findEntry, partsToRead } from "../contents/paths.ts"
import { backgroundOf } from "../repositories/background.ts"

/** The file at the root that names commits to pass over, such as those that only formatted. */
export const IGNORE_FILE = ".git-blame-ignore-revs"

/** The largest file that is blamed, in bytes and lines; the largest ignore file, and the most commits that it may name. */
const MOST_BYTES = 4 * 1024 * 1024
export const MOST_LINES = 100_000
const MOST_IGNORE_BYTES = 256 * 1024
const MOST_IGNORED = 1_000

export interface Blame {
  readonly file: TreeEntry
  /** How many commits of the ignore file are passed over; 0 without one, or where it is bypassed. */
  readonly ignored: number
  /** Whether there is an ignore file. */
  readonly hasIgnoreFile: boolean
  /** As git finds them: every line is in one of them in the end. Throws what `readRefused` makes a refusal of. */
  readonly blocks: AsyncGenerator<BlameBlock>
}

/** What is known so far of who last touched the lines of a file. */
export interface BlameSoFar extends Omit<Blame, "blocks"> {
  /** In the order of the lines; lines that are in none are still looked for. */
  readonly blocks: readonly BlameBlock[]
  readonly isComplete: boolean
  /** Why it never will be. */
  readonly failure: unknown
}

/** How a blame is read. */
export interface BlameWishes {
  /** Leaves the ignore file out. */
  readonly bypass?: boolean
  /** By default that of the caller. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Who last touched the lines of a file: blocks in the order in which git finds them. Git is started by the first read, and ended with the last.
 * Refuses `notFound` without such a file, `tooLarge` over 4 MiB.
 */
export async function openBlame(services: Services, on: Owned, commit: Commit, path: string, wishes: BlameWishes = {}): Promise<Blame> {
  const { git } = services
  const repository = gitOf(services, on)
  const parts = partsToRead(path)
  const file = await findEntry(git, repository, commit.tree, parts)
  if (!file || (file.mode !== "100644" && file.mode !== "100755")) throw refuse.notFound()
  if ((await git.objects.namedInfo(repository, file.id)).size > MOST_BYTES) throw tooLarge()
  const ignoreFile = await findEntry(git, repository, commit.tree, [IGNORE_FILE])
  const ignore = ignoreFile && wishes.bypass !== true ? await readIgnored(services, on, ignoreFile) : []
  const options = { commit: commit.id, path: parts.join("/"), ignore, mostLines: MOST_LINES, signal: wishes.signal }
  return { file, ignored: ignore.length, hasIgnoreFile: ignoreFile !== undefined, blocks: git.history.blame(repository, options) }
}

/** What was found of a file. */
interface Finding {
  readonly blocks: BlameBlock[]
  isComplete: boolean
  failure: unknown
}

/** Blocks that are kept in memory, of all files together, and for how long a failure is told again, in milliseconds. */
const MOST_KEPT = 200_000
const FAILED_MS = 60_000
/** How long a request waits for git, in milliseconds. */
const WAIT_MS = 600

const findingsOf = onFirstUseOf(
  (_: Git) => new LRUCache<string, Finding>({ maxSize: MOST_KEPT, sizeCalculation: ({ blocks }) => 1 + blocks.length }),
)

/**
 * What is known of who last touched the lines of a file. It is found in the background, one file at a time for each repository, and remembered; the caller waits for a
 * moment at most. Refuses like `openBlame`.
 */
export async function blameSoFar(
  services: Services,
  on: Owned,
  commit: Commit,
  path: string,
  { bypass = false, waitMs = WAIT_MS }: { readonly bypass?: boolean; readonly waitMs?: number } = {},
): Promise<BlameSoFar> {
  const { git } = services
  const { storage } = on.repository
  const { blocks: _, ...blame } = await openBlame(services, on, commit, path, { bypass })
  const kept = findingsOf(git)
  const key = `${storage} ${commit.id} ${bypass} ${path}`
  let finding = kept.get(key)
  if (!finding) {
    const begun: Finding = { blocks: [], isComplete: false, failure: undefined }
    finding = begun
    const work = backgroundOf(services).begin(`${storage} blame`, key, async (signal) => {
      // Those who ask meanwhile see what was found so far.
      kept.set(key, begun, { size: 1 })
      await find(services, on, commit, path, { bypass, signal }, begun)
      kept.delete(key)
      kept.set(key, begun, begun.failure === undefined ? {} : { ttl: FAILED_MS })
    })
    await waitAtMost(waitMs, work)
  }
  const { blocks, isComplete, failure } = finding
  return { ...blame, blocks: joined(blocks.toSorted((a, b) => a.line - b.line)), isComplete, failure }
}

async function find(services: Services, on: Owned, commit: Commit, path: string, wishes: BlameWishes, finding: Finding): Promise<void> {
  try {
    const { blocks } = await openBlame(services, on, commit, path, wishes)
    for await (const block of blocks) finding.blocks.push(block)
    finding.isComplete = true
  } catch (error) {
    finding.failure = error
  }
}

/**
 * All blocks of a file in the order of its lines, neighbours of one commit together. Refuses like `openBlame`, `tooLarge` over 100,000 lines, and `busy` where
 * git takes longer than half a minute.
 */
export async function readBlame(
  services: Services,
  on: Owned,
  commit: Commit,
  path: string,
  wishes: BlameWishes = {},
): Promise<Omit<Blame, "blocks"> & { readonly blocks: readonly BlameBlock[] }> {
  const { blocks, ...blame } = await openBlame(services, on, commit, path, wishes)
  const found: BlameBlock[] = []
  try {
    for await (const block of blocks) found.push(block)
  } catch (error) {
    if (isGitError(error, "tooLarge")) throw tooLarge()
    if (isGitError(error, "timeout")) throw refuse.busy("the history of this file is too long to be told line by line")
    throw error
  }
  return { ...blame, blocks: joined(found.sort((a, b) => a.line - b.line)) }
}

const tooLarge = () => refuse.tooLarge("the file is too large to be told line by line")

/** Blocks that follow each other in the file and in the commit are one. */
function joined(blocks: readonly BlameBlock[]): readonly BlameBlock[] {
  const all: BlameBlock[] = []
  for (const block of blocks) {
    const last = all.at(-1)
    if (last?.commit === block.commit && last.path === block.path && last.line + last.lines === block.line)
      all[all.length - 1] = { ...last, lines: last.lines + block.lines }
    else all.push(block)
  }
  return all
}

/** The commits that an ignore file names, as far as they are there. */
async function readIgnored(services: Services, on: Owned, { id, mode }: TreeEntry): Promise<readonly ObjectId[]> {
  const { objects } = services.git
  const repository = gitOf(services, on)
  if (mode !== "100644" || (await objects.namedInfo(repository, id)).size > MOST_IGNORE_BYTES) return []
  const lines = (await objects.readBlob(repository, id)).toString("utf8").split("\n")
  const named = lines.flatMap((line) => {
    const word = line.replace(/#.*/, "").trim().toLowerCase()
    return isObjectId(word, repository.format) ? [word] : []
  })
  const few = [...new Set(named)].slice(0, MOST_IGNORED)
  const infos = await mapInBatches(few, (each) => objects.info(repository, each))
  return few.filter((_, index) => infos[index]?.type === "commit")
}
