import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { GitError } from "../model/errors.ts"
import type { ChangedFile, Repository } from "../model/model.ts"
import { isObjectId, isZeroId, type ObjectFormat, type ObjectId, objectId } from "../model/names.ts"
import { readCommitHere } from "../objects/objects.ts"
import { compact, isSmall, keyIn } from "../process/cache.ts"
import type { Context } from "../process/context.ts"
import { outputOf } from "../process/output.ts"
import type { Command } from "../process/process.ts"

/** Which changes of a line count. */
export interface FilesOptions {
  /** Whitespace to ignore: all of it, its amount, or that at the ends of lines. */
  readonly whitespace?: "all" | "change" | "eol"
  /** The most files to return, from the beginning. */
  readonly limit?: number
}

/** Sums over all files of a difference. */
export interface DiffTotals {
  readonly files: number
  readonly additions: number
  readonly deletions: number
}

/** How a diff is written. */
export interface PatchOptions {
  /** Whether binary files are written so that the patch can be applied, instead of being named only. */
  readonly binary?: boolean
  /** Only these files, or what is below these directories; a renamed file needs both its paths. */
  readonly path?: string | readonly string[]
  /** Lines of context around each change; git's default is 3. */
  readonly context?: number
  readonly whitespace?: "all" | "change" | "eol"
}

/** The empty tree, which git knows without storing it. */
const emptyTree = {
  sha1: objectId("4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
  sha256: objectId("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"),
} as const satisfies Record<ObjectFormat, ObjectId>

/** Pairs of files are compared to find renames; with more than this on either side only exact renames are found. */
const renames = ["-M", "-l400"] as const

const whitespaceFlags = { all: ["-w"], change: ["-b"], eol: ["--ignore-space-at-eol"] } as const

const structured = ["-r", "-z", "--raw", "--numstat", "--no-ext-diff", "--no-textconv", ...renames] as const

/**
 * The files that differ between two commits or trees, in the order of their paths; `from` null is the empty tree. One process, and none if
 * cached. Throws `failed` when one of them is missing.
 */
export async function changedFiles(
  context: Context,
  repository: Repository,
  from: ObjectId | null,
  to: ObjectId,
  { whitespace, limit }: FilesOptions = {},
): Promise<readonly ChangedFile[]> {
  const key = keyOfDifference(repository, from, to, whitespace)
  const known = context.cache.diffs.get(key)
  const files = known ?? (await compare(context, repository, from, to, whitespace))
  if (known === undefined && repository.quarantine === undefined) context.cache.diffs.set(key, files)
  return limit === undefined ? files : files.slice(0, limit)
}

const keyOfDifference = (repository: Repository, from: ObjectId | null, to: ObjectId, whitespace?: FilesOptions["whitespace"]): string =>
  keyIn(repository, from ?? "", to, whitespace ?? "")

async function compare(
  context: Context,
  repository: Repository,
  from: ObjectId | null,
  to: ObjectId,
  whitespace: FilesOptions["whitespace"],
): Promise<readonly ChangedFile[]> {
  if (from === to) return []
  const flags = [...structured, ...(whitespace === undefined ? [] : whitespaceFlags[whitespace])]
  const args = [from ?? emptyTree[repository.format], to]
  const [files = []] = (await runShared(context, repository, { name: "diff-tree", flags, args })).values()
  return whitespace === undefined ? files : files.filter(differs)
}

/** Reading the end of what a client sends, ending the answer, and closing the connection take one each. */
const TURNS_TO_LEAVE = 4

type Changes = ReadonlyMap<string, readonly ChangedFile[]>

/** The changes that a command lists, by commit. Callers that ask for the same at the same time share one process. */
function runShared(context: Context, repository: Repository, command: Command, input = ""): Promise<Changes> {
  const key = keyIn(repository, repository.quarantine ?? "", JSON.stringify([command.flags, command.args]), input)
  return context.comparisons.run(key, context.caller().signal, async (signal) => {
    // Not started for those who have left: that the client of a new connection is gone is known some turns of the event loop after its request was read.
    for (let turn = 0; turn < TURNS_TO_LEAVE && !signal.aborted; turn++) await setImmediate()
    if (signal.aborted) throw new GitError("aborted", "nobody waits for the comparison any more")
    return parseChanges((await context.processes.run(command, { repository, input, signal })).stdout, repository.format)
  })
}

/** Whether anything is left of a change when whitespace is ignored; git lists such files anyway. */
const differs = ({ status, additions, deletions, binary, oldMode, newMode }: ChangedFile): boolean =>
  status !== "modified" || binary || additions + deletions > 0 || oldMode !== newMode

/**
 * The changes of each of these commits against its first parent, in one process, and none if cached.
 * Throws `failed` when one is missing.
 */
export async function changesOf(
  context: Context,
  repository: Repository,
  commits: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, readonly ChangedFile[]>> {
  const { diffs } = context.cache
  // Under the key of the two commits where the parent can be read here: after a push one commit is compared with its parent both ways.
  const keys = new Map<ObjectId, string>()
  for (const id of commits) {
    const commit = await readCommitHere(context, repository, id)
    keys.set(id, commit === undefined ? keyIn(repository, "parent", id) : keyOfDifference(repository, commit.parents[0] ?? null, id))
  }
  const found = new Map<ObjectId, readonly ChangedFile[]>()
  for (const [id, key] of keys) {
    const known = diffs.get(key)
    if (known !== undefined) found.set(id, known)
  }
  const missing = commits.filter((id) => !found.has(id))
  if (missing.length === 0) return found
  const changes = await runShared(
    context,
    repository,
    { name: "diff-tree", flags: ["--stdin", "--root", "--diff-merges=first-parent", ...structured] },
    missing.map((id) => `${id}\n`).join(""),
  )
  for (const id of missing) {
    const files = changes.get(id) ?? []
    const key = keys.get(id)
    found.set(id, files)
    if (key !== undefined && repository.quarantine === undefined) diffs.set(key, files)
  }
  return found
}

/** The sums of a difference. Throws as `changedFiles` does. */
export async function diffTotals(context: Context, repository: Repository, from: ObjectId | null, to: ObjectId): Promise<DiffTotals> {
  return sumOf(await changedFiles(context, repository, from, to))
}

/** The sums over files. */
export function sumOf(files: readonly ChangedFile[]): DiffTotals {
  const sum = (count: (file: ChangedFile) => number) => files.reduce((all, file) => all + count(file), 0)
  return { files: files.length, additions: sum(({ additions }) => additions), deletions: sum(({ deletions }) => deletions) }
}

/**
 * A difference as a unified diff in git's own form. The process starts with the first read and ends with the stream, which fails with
 * `failed` when one of the commits is missing; check that they exist before. Small differences are cached, and need no process then.
 */
export function patch(
  context: Context,
  repository: Repository,
  from: ObjectId | null,
  to: ObjectId,
  { binary, path, context: around, whitespace }: PatchOptions = {},
): Readable {
  const flags = [
    ...["-r", "-p", "--no-ext-diff", "--no-textconv", ...renames],
    ...(binary === true ? ["--binary"] : []),
    ...(around === undefined ? [] : [`-U${around}`]),
    ...(whitespace === undefined ? [] : whitespaceFlags[whitespace]),
  ]
  const args = [from ?? emptyTree[repository.format], to]
  const paths = path === undefined ? {} : { paths: [path].flat() }
  const { patches } = context.cache
  const key = keyIn(repository, JSON.stringify([flags, args, paths]))
  const known = patches.get(key)
  if (known !== undefined) return Readable.from(known.length === 0 ? [] : [known], { objectMode: false })
  const output = diffOutput(context, repository, { name: "diff-tree", flags, args, ...paths })
  if (repository.quarantine !== undefined) return output
  async function* cached() {
    let size = 0
    let chunks: Buffer[] = []
    for await (const chunk of output) {
      size += chunk.length
      if (isSmall(size)) chunks.push(chunk)
      else chunks = []
      yield chunk
    }
    if (isSmall(size)) patches.set(key, compact(Buffer.concat(chunks)))
  }
  return Readable.from(cached(), { objectMode: false })
}

/** The commits that `to` has and `from` doesn't as mails, oldest first and without merges; `from` null begins with the first commit. Otherwise like `patch`. */
export function formatPatch(context: Context, repository: Repository, from: ObjectId | null, to: ObjectId): Readable {
  const flags = ["--stdout", "--no-signature", "--no-ext-diff", "--no-textconv", ...renames]
  if (from === null) return diffOutput(context, repository, { name: "format-patch", flags: [...flags, "--root"], args: [to] })
  return diffOutput(context, repository, { name: "format-patch", flags, args: [`${from}..${to}`] })
}

const diffOutput = (context: Context, repository: Repository, command: Command): Readable =>
  outputOf(context, context.diffs, repository, command, { most: context.limits.diffBytes })

const statuses = { A: "added", D: "deleted", M: "modified", R: "renamed", C: "copied", T: "typechanged" } as const
const isStatus = (letter: string): letter is keyof typeof statuses => letter in statuses

/** One record of the raw format, whose counts come later. */
type RawChange = Omit<ChangedFile, "additions" | "deletions" | "binary">

/**
 * Reads the raw and numstat output of `diff-tree -z`, by commit; output before any commit's id belongs to "". Files that differ only in
 * ignored whitespace have no counts.
 */
function parseChanges(output: Buffer, format: ObjectFormat): Changes {
  const fields = output.toString("utf8").split("\0")
  const all = new Map<string, readonly ChangedFile[]>()
  let at = 0
  const next = () => fields[at++] ?? ""
  while (at < fields.length - 1) {
    const commit = isObjectId(fields[at] ?? "", format) ? next() : ""
    const changes: RawChange[] = []
    while (fields[at]?.startsWith(":")) changes.push(readRaw(next(), next, format))
    const counts = new Map<string, readonly [string, string]>()
    for (let line = fields[at]; line !== undefined && /^(\d+|-)\t(\d+|-)\t/.test(line); line = fields[at]) {
      at += 1
      const [added = "", deleted = "", ...rest] = line.split("\t")
      const name = rest.join("\t")
      // A rename has both its names in fields of their own.
      if (name === "") at += 1
      counts.set(name === "" ? next() : name, [added, deleted])
    }
    all.set(
      commit,
      changes.map((change) => {
        const [added, deleted] = counts.get(change.path) ?? ["0", "0"]
        const binary = added === "-"
        return { ...change, additions: binary ? 0 : Number(added), deletions: binary ? 0 : Number(deleted), binary }
      }),
    )
    if (commit === "" && changes.length === 0)
      throw new GitError("failed", "git diff-tree gave an unknown answer", fields[at]?.slice(0, 200))
  }
  return all
}

function readRaw(head: string, next: () => string, format: ObjectFormat): RawChange {
  const [oldMode = "", newMode = "", oldId = "", newId = "", letters = ""] = head.slice(1).split(" ")
  const letter = letters.slice(0, 1)
  if (!isStatus(letter)) throw new GitError("failed", "git diff-tree gave an unknown answer", head)
  const moved = letter === "R" || letter === "C"
  const first = next()
  const idOf = (text: string) => (isZeroId(text) ? null : objectId(text, format))
  return {
    path: moved ? next() : first,
    previousPath: moved ? first : undefined,
    status: statuses[letter],
    oldId: idOf(oldId),
    newId: idOf(newId),
    oldMode,
    newMode,
  }
}
