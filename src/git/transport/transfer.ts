import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { closeQuarantine, openQuarantine } from "../incoming/quarantine.ts"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { isObjectId, type ObjectId } from "../model/names.ts"
import { byteSource, pipeInto } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { outputOf } from "../process/output.ts"

/** Packs of fewer objects are stored as loose objects, so that many small copies do not leave many packs. Git's default for pushes. */
const unpackLimit = 100

/**
 * Packs what the given objects reach, without what `known` reaches, and stores it in another repository, through a pipe between two processes
 * and a quarantine, without alternates. `known` are commits that both have. Throws `invalid` when the formats differ, `failed` when an object is missing.
 */
export async function copyObjects(
  context: Context,
  from: Repository,
  ids: readonly ObjectId[],
  to: Repository,
  known: readonly ObjectId[] = [],
): Promise<void> {
  if (from.format !== to.format || ![...ids, ...known].every((id) => isObjectId(id, from.format))) {
    throw new GitError("invalid", "objects can be copied only between repositories of one format")
  }
  if (ids.length === 0) return
  const store = context.store()
  const taken = await openQuarantine(await store.receiving(to))
  try {
    await pipePack(context, from, [...ids, ...known.map((id) => `^${id}`)], taken)
    await store.migrate(taken)
  } finally {
    await closeQuarantine(context, taken)
  }
}

/** Packs what these lines of `rev-list` choose, and stores it. */
async function pipePack(context: Context, from: Repository, lines: readonly string[], to: Repository): Promise<void> {
  const timeoutMs = context.limits.transferMs
  const packing = { name: "pack-objects", flags: ["--revs", "--stdout", "-q"] } as const
  const pack = await context.processes.open(context.commands, packing, { repository: from, timeoutMs })
  pack.stdin.end(lines.map((line) => `${line}\n`).join(""))
  const source = byteSource(pack.stdout)
  // The twelve bytes before the first object end with the number of objects.
  const head = await source.take(12).catch(() => null)
  const small = head !== null && head.readUInt32BE(8) < unpackLimit
  const command = small ? ({ name: "unpack-objects", flags: ["-q"] } as const) : ({ name: "index-pack", flags: ["--stdin"] } as const)
  const store = context.processes.stream(command, { repository: to, timeoutMs })
  store.stdout.resume()
  if (head !== null) source.unread(head)
  pipeInto(pack.stdout, source, store)
  const [packed, stored] = await Promise.allSettled([pack.exit, store.exit])
  for (const [name, result] of [
    ["pack-objects", packed],
    [command.name, stored],
  ] as const) {
    if (result.status === "rejected") throw result.reason
    if (result.value.code !== 0) throw new GitError("failed", `git ${name} failed`, result.value.stderr)
  }
}

/** A pack of what the given objects reach, without what `known` reaches; a stream, which must be read or destroyed. Fails as {@link copyObjects} does. */
export function packOf(context: Context, repository: Repository, ids: readonly ObjectId[], known: readonly ObjectId[] = []): Readable {
  const input = [...ids, ...known.map((id) => `^${id}`)].map((line) => `${line}\n`).join("")
  return outputOf(context, context.longWork, repository, { name: "pack-objects", flags: ["--revs", "--stdout", "-q"] }, { input })
}

/** Stores a pack that {@link packOf} made, with what it is based on here already. Throws `failed` for anything else. */
export async function storePack(context: Context, to: Repository, content: AsyncIterable<Buffer>): Promise<void> {
  const store = context.store()
  const taken = await openQuarantine(await store.receiving(to))
  try {
    const timeoutMs = context.limits.transferMs
    const index = await context.processes.open(
      context.longWork,
      { name: "index-pack", flags: ["--stdin"] },
      { repository: taken, timeoutMs },
    )
    index.stdout.resume()
    // A git that has ended takes no more; its code says why.
    await pipeline(content, index.stdin).catch((error: unknown) => {
      if (!hasCode(error, "EPIPE")) throw error
    })
    const { code, stderr } = await index.exit
    if (code !== 0) throw new GitError("failed", "git index-pack failed", stderr)
    await store.migrate(taken)
  } finally {
    await closeQuarantine(context, taken)
  }
}

/** Copies one tree with all that it holds into another repository. Throws as copyObjects does. */
export function copyTree(context: Context, from: Repository, tree: ObjectId, to: Repository): Promise<void> {
  return copyObjects(context, from, [tree], to)
}
