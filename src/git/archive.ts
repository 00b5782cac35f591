import { randomUUID } from "node:crypto"
import { mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { byteSource } from "./bytes.ts"
import type { Context } from "./context.ts"
import { GitError } from "./errors.ts"
import type { Repository } from "./model.ts"
import { isObjectId, isRefName, type ObjectId, type RefName } from "./names.ts"
import type { Command } from "./process.ts"

/** What an archive is made of. */
export interface ArchiveOptions {
  readonly format: "zip" | "tar.gz"
  readonly commit: ObjectId
  /** The directory that all files of the archive lie in, without a slash. */
  readonly prefix: string
  /** Files and directories to take; none takes all. Nothing in them is a pattern. */
  readonly paths: readonly string[]
}

/** The most that the files of an archive may be. */
export interface ArchiveLimits {
  readonly entries: number
  readonly bytes: number
}

/** A reference as a bundle names it. */
export interface BundledReference {
  readonly name: RefName | "HEAD"
  readonly id: ObjectId
}

/**
 * Looks whether the files of a commit stay within limits, by their sizes in the tree: what a tree holds many times over counts as often.
 * Throws `tooLarge` otherwise, at the first entry too many; `failed` for a missing commit.
 */
export async function measureTree(
  context: Context,
  repository: Repository,
  { commit, paths }: Pick<ArchiveOptions, "commit" | "paths">,
  limits: ArchiveLimits,
): Promise<void> {
  const flags = ["-r", "-t", "--full-tree", "--format=%(objectsize)"]
  const command: Command = { name: "ls-tree", flags, args: [commit], ...(paths.length > 0 && { paths }) }
  const listing = context.processes.stream(command, { repository, timeoutMs: context.limits.commandMs })
  try {
    listing.stdin.end()
    const source = byteSource(listing.stdout)
    let [entries, bytes] = [0, 0]
    // Directories and submodules have a dash for a size.
    for (let line = await source.line(64); line !== null; line = await source.line(64)) {
      entries += 1
      bytes += Number(line.toString("latin1")) || 0
      if (entries > limits.entries || bytes > limits.bytes) throw new GitError("tooLarge", "a tree is larger than an archive may be")
    }
    const exit = await listing.exit
    if (exit.code !== 0) throw new GitError("failed", `git ls-tree ended with code ${exit.code}`, exit.stderr)
  } finally {
    listing.kill()
  }
}

/**
 * What the files of a repository may not ask of an archive: to have the commit's message or its references filled in, as often as they name
 * them, which makes gigabytes of memory out of a small file.
 */
const attributes = "* -export-subst -ident\n"

/** Git knows no other place that outranks the attributes in the files themselves. */
async function disableSubstitution({ directory }: Repository): Promise<void> {
  const path = join(directory, "info", "attributes")
  await mkdir(join(directory, "info"), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, attributes)
  await rename(draft, path)
}

/**
 * The files of a commit in one piece, without those that the attributes in the files themselves leave out. The process starts with the first
 * read of the stream, once it is its turn, and ends with the stream, which fails with `busy`, `failed`, or `timeout`.
 */
export async function archive(
  context: Context,
  repository: Repository,
  { format, commit, prefix, paths }: ArchiveOptions,
): Promise<Readable> {
  if (!/^[\w.-]+$/.test(prefix)) throw new GitError("invalid", "not the name of a directory for an archive", prefix.slice(0, 200))
  await disableSubstitution(repository)
  const flags = [`--format=${format}`, `--prefix=${prefix}/`]
  return outputOf(context, repository, { name: "archive", flags, args: [commit], ...(paths.length > 0 && { paths }) }, "")
}

/** Everything that these references reach as a file that can be cloned from. Else like `archive`. */
export function bundle(context: Context, repository: Repository, references: readonly BundledReference[]): Readable {
  if (!references.every(({ name, id }) => (name === "HEAD" || isRefName(name)) && isObjectId(id, repository.format)))
    throw new GitError("invalid", "not the references of a bundle")
  const version = repository.format === "sha1" ? "# v2 git bundle\n" : "# v3 git bundle\n@object-format=sha256\n"
  const head = `${version}${references.map(({ name, id }) => `${id} ${name}\n`).join("")}\n`
  const input = references.map(({ id }) => `${id}\n`).join("")
  return outputOf(context, repository, { name: "pack-objects", flags: ["--revs", "--stdout", "-q"] }, input, head)
}

function outputOf(context: Context, repository: Repository, command: Command, input: string, head = ""): Readable {
  async function* output() {
    const release = await context.fetches.acquire(repository.key)
    const running = context.processes.stream(command, { repository, timeoutMs: context.limits.transferMs })
    try {
      running.stdin.end(input)
      if (head !== "") yield Buffer.from(head)
      for await (const chunk of running.stdout) yield chunk
      const exit = await running.exit
      if (exit.code !== 0) throw new GitError("failed", `git ${command.name} ended with code ${exit.code}`, exit.stderr)
    } finally {
      running.kill()
      release()
    }
  }
  return Readable.from(output(), { objectMode: false })
}
