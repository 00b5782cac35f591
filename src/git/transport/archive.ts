import { randomUUID } from "node:crypto"
import { mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { GitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { isObjectId, isRefName, type ObjectId, type RefName } from "../model/names.ts"
import { byteSource } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { outputOf } from "../process/output.ts"
import type { Command } from "../process/process.ts"

/** The content of an archive. */
export interface ArchiveOptions {
  readonly format: "zip" | "tar.gz"
  readonly commit: ObjectId
  /** The top directory of the archive, without a slash. */
  readonly prefix: string
  /** Files and directories to take; none takes all. They are not patterns. */
  readonly paths: readonly string[]
}

/** The limits of an archive's files. */
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
 * Checks that the files of a commit are within limits, by their sizes in the tree: a blob that occurs many times counts as often.
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
  const listing = await context.processes.open(context.commands, command, { repository, timeoutMs: context.limits.commandMs })
  try {
    listing.stdin.end()
    const source = byteSource(listing.stdout)
    let [entries, bytes] = [0, 0]
    // Directories and submodules have a dash as their size.
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
 * Disables `export-subst`, with which a small file can have the commit's message or references substituted so often that it needs gigabytes
 * of memory.
 */
const attributes = "* -export-subst -ident\n"

/** The only attributes file that takes precedence over those in the tree. */
async function disableSubstitution({ directory }: Repository): Promise<void> {
  const path = join(directory, "info", "attributes")
  await mkdir(join(directory, "info"), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, attributes)
  await rename(draft, path)
}

/**
 * An archive of a commit's files, without those that attributes in the tree exclude. The process starts with the first read of the stream, once it
 * has a permit, and ends with the stream, which fails with `busy`, `failed`, or `timeout`.
 */
export async function archive(
  context: Context,
  repository: Repository,
  { format, commit, prefix, paths }: ArchiveOptions,
): Promise<Readable> {
  if (!/^[\w.-]+$/.test(prefix)) throw new GitError("invalid", "not the name of a directory for an archive", prefix.slice(0, 200))
  await disableSubstitution(repository)
  const flags = [`--format=${format}`, `--prefix=${prefix}/`]
  return outputOf(context, context.fetches, repository, { name: "archive", flags, args: [commit], ...(paths.length > 0 && { paths }) })
}

/** A bundle of everything that these references reach. Otherwise like `archive`. */
export function bundle(context: Context, repository: Repository, references: readonly BundledReference[]): Readable {
  if (!references.every(({ name, id }) => (name === "HEAD" || isRefName(name)) && isObjectId(id, repository.format)))
    throw new GitError("invalid", "not the references of a bundle")
  const version = repository.format === "sha1" ? "# v2 git bundle\n" : "# v3 git bundle\n@object-format=sha256\n"
  const head = `${version}${references.map(({ name, id }) => `${id} ${name}\n`).join("")}\n`
  const input = references.map(({ id }) => `${id}\n`).join("")
  return outputOf(context, context.fetches, repository, { name: "pack-objects", flags: ["--revs", "--stdout", "-q"] }, { input, head })
}
