import { randomBytes } from "node:crypto"
import { access, mkdir, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { pause } from "../../seams/pause.ts"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import { indexLast } from "../objects/folders.ts"
import { type Arriving, type ByteSource, feed, pipeInto } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { syncFiles } from "../process/files.ts"
import type { GitProcess } from "../process/process.ts"
import { foundationsOf } from "../refs/foundations.ts"
import { listReferences } from "../refs/ref-files.ts"
import { quarantinePrefix } from "../repositories/repository.ts"

/** A repository with a quarantine in view. */
export interface Quarantined extends Repository {
  readonly quarantine: string
}

/**
 * Findings of git's fsck that are accepted. Under `--strict` every finding is an error, which is right for all that can harm users who check the
 * tree out, or confuse git's own tools: `.git`, `.` and `..` as names, slashes in names, names twice, wrong order, null ids, `.gitmodules` that are
 * links or name hostile places, cut headers. But histories imported from other systems, or made by early versions of git, have harmless
 * defects that can't be mended without rewriting them: those findings are listed here.
 */
const harmless = [
  "badDate",
  "badDateOverflow",
  "badEmail",
  "badFilemode",
  "badName",
  "badTagName",
  "badTimezone",
  "gitattributesSymlink",
  "gitignoreSymlink",
  "gitmodulesParse",
  "mailmapSymlink",
  "missingEmail",
  "missingNameBeforeEmail",
  "missingSpaceBeforeDate",
  "missingSpaceBeforeEmail",
  "missingTaggerEntry",
  "multipleAuthors",
  "nulInCommit",
  "zeroPaddedDate",
  "zeroPaddedFilemode",
] as const

const strict = `--strict=${harmless.map((finding) => `${finding}=ignore`).join(",")}`

/** Packs of fewer objects are unpacked into loose objects, so that many small pushes do not leave many packs. Git's default. */
const unpackLimit = 100

/** Makes an empty quarantine inside the repository's object directory. */
export async function openQuarantine(repository: Repository): Promise<Quarantined> {
  const quarantine = join(repository.directory, "objects", `${quarantinePrefix}${randomBytes(12).toString("hex")}`)
  await mkdir(join(quarantine, "pack"), { recursive: true })
  return { ...repository, quarantine }
}

/** Removes a quarantine and all that is still in it. */
export async function closeQuarantine(context: Context, repository: Quarantined): Promise<void> {
  await context.readers.closeRepository(repository)
  await rm(repository.quarantine, { recursive: true, force: true, maxRetries: 3 })
}

/** The ids of the loose objects of a quarantine. */
export async function idsIn({ quarantine }: Quarantined): Promise<ReadonlySet<string>> {
  const folders = (await readdir(quarantine)).filter((name) => name.length === 2)
  const names = await Promise.all(folders.map(async (folder) => (await readdir(join(quarantine, folder))).map((name) => folder + name)))
  return new Set(names.flat())
}

/** How to receive a pack. */
export interface PackOptions {
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
  /** Receives git's progress messages. */
  readonly onProgress?: ((chunk: Buffer) => void) | undefined
  /** Set where the pack is read while it comes from a client that the server cuts off if it is slow. Otherwise a pack that stops coming is given up here. */
  readonly arriving?: Arriving | undefined
}

/** Bytes that git allocates for each object of a pack, besides its content. */
const PER_OBJECT = 160

/** The most that git may allocate at once for a pack of this many objects; an object that takes more is refused before it is built. */
const allocationFor = ({ limits }: Context, objects: number): number =>
  Math.max(limits.memory.object, Math.min(limits.memory.allocation, PER_OBJECT * objects))

/** Ends a process that waits for input which stops coming. While git works on what it has, it shows progress. */
function endWhenStalled({ limits }: Context, process: GitProcess, shown: () => number): () => void {
  let [sent, told] = [-1, -1]
  const timer = setInterval(() => {
    if (!process.stdin.writableEnded && process.sent() === sent && shown() === told) process.kill()
    sent = process.sent()
    told = shown()
  }, limits.stallMs)
  return () => clearInterval(timer)
}

/** Git's error message, without paths of this machine. */
function reason(repository: Repository, stderr: string): string {
  const allocation = /attempting to allocate (\d+) over limit (\d+)/.exec(stderr)
  if (allocation)
    return `an object of ${allocation[1]} bytes is too large to be unpacked; at most ${allocation[2]} are accepted, keep such files in Git LFS`
  if (/out of memory|memory exhausted/i.test(stderr)) return "unpacking takes more memory than a push may use; keep large files in Git LFS"
  const lines = stderr.split(/[\r\n]+/).filter((line) => /^(error|fatal): /.test(line))
  const words = (lines[0] ?? "the pack could not be read").replace(/^(error|fatal): /, "")
  return words.replaceAll(repository.directory, "").slice(0, 300)
}

/** The result of receiving a pack. */
export interface Taken {
  /** Why it was refused, in words; null when it was accepted. */
  readonly refused: string | null
  /** The index of the pack, if it is self-contained. */
  readonly closed?: string
}

/**
 * Reads a pack from a client into the quarantine, checking every object. For a repository without references git also checks whether the
 * pack is self-contained. That holds only for packs that were not thin: the objects that complete a thin pack are not checked. Throws `aborted`, `timeout`.
 */
export async function takePack(
  context: Context,
  repository: Quarantined,
  input: Readable,
  source: ByteSource,
  options: PackOptions,
): Promise<Taken> {
  const head = await source.take(12)
  if (head?.subarray(0, 4).toString("latin1") !== "PACK") return { refused: "no pack was sent" }
  source.unread(head)
  const objects = head.readUInt32BE(8)
  const small = objects < unpackLimit
  const whole = !small && (await listReferences(repository)).length === 0
  const limit = `--max-input-size=${options.maxBytes}`
  const progress = options.onProgress === undefined ? [] : ["--show-resolving-progress"]
  let shown = 0
  const process = context.processes.stream(
    small
      ? { name: "unpack-objects", flags: ["-q", strict, limit] }
      : {
          name: "index-pack",
          flags: ["--stdin", whole ? "--check-self-contained-and-connected" : "--fix-thin", strict, limit, ...progress],
        },
    {
      repository,
      signal: options.signal,
      allocation: allocationFor(context, objects),
      onStderr: (chunk) => {
        shown += chunk.length
        options.onProgress?.(chunk)
      },
    },
  )
  let told = ""
  process.stdout.on("data", (chunk: Buffer) => {
    told += chunk.toString("latin1")
  })
  // From when git has all that it needs, or, over SSH, where that can't be seen, from the beginning.
  const begin = () => {
    process.limitTime(context.limits.transferMs)
    // Its objects are read as soon as it is accepted; loose ones without a process.
    if (!small) context.readers.warm(repository)
  }
  const { arriving } = options
  const fed = arriving && feed(source, process, { ...arriving, whole: () => arriving.whole().then(begin) })
  const stopWatching = fed ? () => {} : endWhenStalled(context, process, () => shown)
  if (!fed) {
    pipeInto(input, source, process)
    begin()
  }
  const [all, ended] = await Promise.allSettled([fed, process.exit]).finally(stopWatching)
  if (all.status === "rejected") throw all.reason
  if (ended.status === "rejected") throw ended.reason
  const exit = ended.value
  const name = /^pack\t([0-9a-f]+)$/m.exec(told)?.[1]
  // With the name of the pack, exit code 1 says that it is not self-contained, which is checked later.
  if (exit.code !== 0 && !(whole && exit.code === 1 && name !== undefined)) {
    const error = new GitError("failed", "the pack could not be stored", exit.stderr)
    if (error.kind === "full") throw error
    return { refused: reason(repository, exit.stderr) }
  }
  const isClosed = whole && exit.code === 0 && name !== undefined
  return { refused: null, ...(isClosed && { closed: join(repository.quarantine, "pack", `pack-${name}.idx`) }) }
}

/** Whether everything that the given objects reach is present, without walking what existing references reach already. */
export async function isConnected(
  context: Context,
  repository: Quarantined,
  ids: readonly ObjectId[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // Comparing with all references takes the longer the more there are.
  const known = await foundationsOf(context, repository, ids)
  const flags = ["--objects", "--stdin", "--quiet", ...(known === undefined ? ["--not", "--all"] : [])]
  const input = [...ids, ...(known ?? []).map((id) => `^${id}`)].map((line) => `${line}\n`).join("")
  const result = await context.processes.run(
    { name: "rev-list", flags },
    { repository, input, accept: [0, 1, 128], timeoutMs: context.limits.transferMs, signal },
  )
  return result.code === 0
}

/** Moves a file into the store unless the store has it: object files of one name are equal. */
async function moveInto(from: string, to: string): Promise<void> {
  const there = await access(to).then(
    () => true,
    () => false,
  )
  if (pause) await pause("file.rename")
  if (!there) await rename(from, to)
}

/** Moves the objects of a quarantine into the repository's own store. Visible objects are complete at every moment. */
export async function migrateQuarantine(context: Context, repository: Quarantined): Promise<void> {
  const store = join(repository.directory, "objects")
  const folders = (await readdir(repository.quarantine)).filter((name) => /^(pack|[0-9a-f]{2})$/.test(name))
  const contents = await Promise.all(
    folders.map(async (folder) => ({ folder, names: indexLast(await readdir(join(repository.quarantine, folder))) })),
  )
  const files = contents.flatMap(({ folder, names }) => names.map((name) => join(folder, name)))
  if (files.some((file) => file.includes("tmp_"))) throw new GitError("failed", "an unfinished file in the quarantine")
  if (context.durable) await syncFiles(files.map((file) => join(repository.quarantine, file)))
  for (const { folder, names } of contents) {
    if (names.length > 0) {
      await mkdir(join(store, folder)).catch((error: unknown) => {
        if (!hasCode(error, "EEXIST")) throw error
      })
    }
  }
  for (const file of files) await moveInto(join(repository.quarantine, file), join(store, file))
  const { key, directory, format } = repository
  context.readers.adopt(repository, { key, directory, format })
}
