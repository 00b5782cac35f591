import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Maintenance, Repository } from "../model/model.ts"
import { forgetWritten } from "../process/cache.ts"
import type { Context } from "../process/context.ts"
import { namesIn } from "../process/files.ts"
import type { Processes, RunOptions } from "../process/process.ts"
import { removeStaleLocks } from "../refs/locks.ts"
import { hasMoreLoose } from "../refs/ref-files.ts"
import { freshenAll, keepCommits } from "./left-behind.ts"

/** Above these numbers a repository is repacked: every fetch searches every pack, and opens a file for every loose object. */
const MOST_PACKS = 10
const MOST_LOOSE = 2_000
/** A pack of this size without a bitmap costs each clone a walk over all its objects. Bytes. */
const UNMAPPED_BYTES = 4 * 1024 * 1024
/** With more references in files of their own, listing them takes longer than it should. */
const MOST_LOOSE_REFERENCES = 64
/** What packing references may take: locks of git's that are held for longer count as left behind. */
const PACK_REFERENCES_MS = 600_000
const PACK_MS = 3 * 3_600_000
const CHECK_MS = 6 * 3_600_000

/** Whether packing references, or a repack, would make a repository faster. Starts no process. A deleted repository doesn't need it. */
export async function needsMaintenance(repository: Repository): Promise<boolean> {
  const { directory } = repository
  if (hasMoreLoose(repository, MOST_LOOSE_REFERENCES)) return true
  const packs = await namesIn(join(directory, "objects", "pack"))
  if (packs.filter((name) => name.endsWith(".pack")).length > MOST_PACKS) return true
  // Ids are evenly distributed: one folder of 256 is a sample of the others.
  if ((await namesIn(join(directory, "objects", "17"))).length * 256 > MOST_LOOSE) return true
  if (packs.some((name) => name.endsWith(".bitmap"))) return false
  const sizes = await Promise.all(
    packs.filter((name) => name.endsWith(".pack")).map((name) => sizeOf(join(directory, "objects", "pack", name))),
  )
  return sizes.some((size) => size > UNMAPPED_BYTES)
}

/**
 * Packs the references where many have files of their own. Git does it as any change of them: it writes and flushes the packed ones first, and then removes each file under its lock, if its value is still
 * the same. Throws `failed` while another process changes packed references, `timeout`, `aborted`.
 */
export async function packReferences(context: Context, repository: Repository, signal: AbortSignal): Promise<void> {
  if (!hasMoreLoose(repository, MOST_LOOSE_REFERENCES)) return
  // What a git that was killed has left.
  const left = ["packed-refs.lock", "packed-refs.new"].map((name) => join(repository.directory, name))
  await removeStaleLocks(context, repository, left)
  const options = { repository, timeoutMs: PACK_REFERENCES_MS, signal, limiter: context.longWork }
  await context.processes.run({ name: "pack-refs", flags: ["--all"] }, options)
}

/**
 * Repacks a repository, with a bitmap and a commit graph, so that clones, counts and walks are cheap. Objects that no reference reaches are put aside, and dropped
 * by a later repack, once they have been aside since `before`. Pushes and fetches may run concurrently: what they bring is in a quarantine, or new. Throws
 * `failed`, `timeout`, `aborted`.
 */
export async function maintain(context: Context, repository: Repository, { now, before, keep, signal }: Maintenance): Promise<void> {
  const { processes } = context
  const names = [
    ...(await namesIn(repository.directory)),
    ...(await readdir(join(repository.directory, "refs"), { recursive: true })).map((name) => `refs/${name}`),
  ]
  const left = [...names.filter((name) => name.endsWith(".lock") || name === "packed-refs.new"), "objects/info/commit-graph.lock"]
  await removeStaleLocks(
    context,
    repository,
    left.map((name) => join(repository.directory, name)),
  )
  await keepCommits(context, repository, keep)
  await freshenAll(repository, now)
  const options = { repository, timeoutMs: PACK_MS, signal, limiter: context.longWork }
  const repack = ["-d", "-l", "-q", "--cruft", `--cruft-expiration=@${before} +0000`, "--write-bitmap-index"]
  await processes.run({ name: "repack", flags: repack }, options)
  await processes.run({ name: "commit-graph write", flags: ["--reachable", "--changed-paths", "--no-progress"] }, options)
  // An idle reader has the packs open that are gone.
  await context.readers.closeRepository(repository)
  forgetWritten(context.cache, repository)
}

/** The problems of a repository's objects, one sentence each; none when all objects that its references need are present. Throws when git can't check. */
export async function checkObjects(
  processes: Processes,
  repository: Repository,
  { whole = false, ...options }: Pick<RunOptions, "limiter" | "signal"> & { readonly whole?: boolean } = {},
): Promise<readonly string[]> {
  const { code, stdout, stderr } = await processes.run(
    { name: "fsck", flags: [...(whole ? ["--full"] : ["--connectivity-only"]), "--no-dangling", "--no-progress"] },
    { ...options, repository, timeoutMs: CHECK_MS, accept: Array.from({ length: 256 }, (_, index) => index) },
  )
  const lines = `${stdout.toString("utf8")}${stderr}`.split("\n").filter((line) => line !== "" && !line.startsWith("notice:"))
  return code === 0 ? [] : lines.length > 0 ? lines : [`git fsck ended with code ${code}`]
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
