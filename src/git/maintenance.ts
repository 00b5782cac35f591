import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { Context } from "./context.ts"
import { namesIn } from "./files.ts"
import { removeStaleLock } from "./locks.ts"
import type { Repository } from "./model.ts"
import type { Processes } from "./process.ts"

/** Above these numbers a repository is repacked: every fetch searches every pack, and opens a file for every loose object. */
const MOST_PACKS = 10
const MOST_LOOSE = 2_000
/** A pack of this size without a bitmap costs each clone a walk over all its objects. Bytes. */
const UNMAPPED_BYTES = 4 * 1024 * 1024
/** How long unreachable objects are kept: a push or a fork may be about to make them reachable. */
const EXPIRY = "2.weeks.ago"
const PACK_MS = 3 * 3_600_000
const CHECK_MS = 6 * 3_600_000

/** Whether repacking would make a repository faster. Starts no process. A deleted repository doesn't need it. */
export async function needsMaintenance({ directory }: Repository): Promise<boolean> {
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
 * Repacks a repository, with a bitmap and a commit graph, so that clones, counts and walks are cheap. Pushes and fetches may run concurrently:
 * unreachable objects are kept for two weeks. Throws `failed`, `timeout`, `aborted`.
 */
export async function maintain(context: Context, repository: Repository, signal?: AbortSignal): Promise<void> {
  const { processes } = context
  const left = (await namesIn(repository.directory)).filter((name) => name.endsWith(".lock"))
  for (const lock of [...left, "objects/info/commit-graph.lock"])
    await removeStaleLock(context, repository, join(repository.directory, lock))
  const options = { repository, timeoutMs: PACK_MS, signal }
  const repack = ["-d", "-l", "-q", "--cruft", `--cruft-expiration=${EXPIRY}`, "--write-bitmap-index"]
  await processes.run({ name: "repack", flags: repack }, options)
  await processes.run({ name: "commit-graph write", flags: ["--reachable", "--changed-paths", "--no-progress"] }, options)
}

/** The problems of a repository's objects, one sentence each; none when all objects that its references need are present. Throws when git can't check. */
export async function checkObjects(processes: Processes, repository: Repository, signal?: AbortSignal): Promise<readonly string[]> {
  const { code, stdout, stderr } = await processes.run(
    { name: "fsck", flags: ["--connectivity-only", "--no-dangling", "--no-progress"] },
    { repository, timeoutMs: CHECK_MS, signal, accept: Array.from({ length: 256 }, (_, index) => index) },
  )
  const lines = `${stdout.toString("utf8")}${stderr}`.split("\n").filter((line) => line !== "" && !line.startsWith("notice:"))
  return code === 0 ? [] : lines.length > 0 ? lines : [`git fsck ended with code ${code}`]
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
