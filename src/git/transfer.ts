import { pipeline } from "node:stream/promises"
import type { Context } from "./context.ts"
import { GitError } from "./errors.ts"
import type { Repository } from "./model.ts"
import { isObjectId, type ObjectId } from "./names.ts"

/**
 * Packs what the given objects reach and stores it in another repository, through a pipe between two processes and without alternates.
 * Throws `invalid` when the formats differ, `failed` when an object is missing.
 */
export async function copyObjects(context: Context, from: Repository, ids: readonly ObjectId[], to: Repository): Promise<void> {
  if (from.format !== to.format || !ids.every((id) => isObjectId(id, from.format))) {
    throw new GitError("invalid", "objects can be copied only between repositories of one format")
  }
  if (ids.length === 0) return
  const timeoutMs = context.limits.transferMs
  const pack = context.processes.stream({ name: "pack-objects", flags: ["--revs", "--stdout", "-q"] }, { repository: from, timeoutMs })
  const store = context.processes.stream({ name: "index-pack", flags: ["--stdin"] }, { repository: to, timeoutMs })
  store.stdout.resume()
  pack.stdin.end(ids.map((id) => `${id}\n`).join(""))
  // The exit codes tell what went wrong; a broken pipe is only its echo.
  const moved = pipeline(pack.stdout, store.stdin).catch(() => undefined)
  const [packed, stored] = await Promise.allSettled([pack.exit, store.exit])
  await moved
  for (const [name, result] of [
    ["pack-objects", packed],
    ["index-pack", stored],
  ] as const) {
    if (result.status === "rejected") throw result.reason
    if (result.value.code !== 0) throw new GitError("failed", `git ${name} failed`, result.value.stderr)
  }
}

/** Copies one tree with all that it holds into another repository. Throws as copyObjects does. */
export function copyTree(context: Context, from: Repository, tree: ObjectId, to: Repository): Promise<void> {
  return copyObjects(context, from, [tree], to)
}
