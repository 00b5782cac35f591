import { stat } from "node:fs/promises"
import { join } from "node:path"
import { GitError, hasCode } from "../../model/errors.ts"
import type { Repository } from "../../model/model.ts"
import type { ObjectId } from "../../model/names.ts"
import { type NewObject, readLooseObject } from "../../objects/loose.ts"
import { readCommit, readTree } from "../../objects/objects.ts"
import { parseCommit, parseTag, parseTree } from "../../objects/parse.ts"
import type { Context } from "../../process/context.ts"

/** New objects that a change needs, and that no transaction has taken yet. */
export interface Collected {
  readonly ids: readonly ObjectId[]
  /** The same objects, where they are small enough to be held. */
  readonly objects: readonly NewObject[] | undefined
  /** The commits and tags that were met on the way: what they reach is not left behind. */
  readonly met: ReadonlySet<ObjectId>
}

interface Wanted {
  /** The new values of references. */
  readonly ids: readonly ObjectId[]
  /** Objects that are known to count for every process, such as what references name. */
  readonly counts: (id: ObjectId) => boolean
  /** The view in which only what counts for every process is seen. */
  readonly published: Repository
  /** Bytes of objects that are held. */
  readonly most: number
}

/** Files that are read or looked for at once. */
const AT_ONCE = 32

/**
 * Walks from new values of references through the objects in staging, and finds those that must come with the change. Everything else that they name must
 * count already: what is not known to, is looked up. Throws `missing` where an object is nowhere.
 */
export async function collect(
  context: Context,
  repository: Repository & { readonly staging: string },
  { ids, counts, published, most }: Wanted,
): Promise<Collected> {
  const staged: Repository = {
    key: repository.key,
    directory: repository.staging,
    format: repository.format,
    quarantine: repository.staging,
  }
  const found = new Map<ObjectId, NewObject | undefined>()
  const needed = new Set<ObjectId>()
  let held = 0

  /** An object of staging; "large" is too large to be read here. */
  async function read(id: ObjectId): Promise<NewObject | "large" | undefined> {
    const object = await readLooseObject(context, staged, id)
    if (object) return { id, ...object }
    try {
      await stat(join(repository.staging, id.slice(0, 2), id.slice(2)))
      return "large"
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
      throw error
    }
  }

  function keep(id: ObjectId, object: NewObject | undefined): void {
    held += object?.content.length ?? most
    found.set(id, held > most ? undefined : object)
  }

  async function visitTree(id: ObjectId, bases: readonly ObjectId[]): Promise<void> {
    if (found.has(id) || bases.includes(id)) return
    const object = await read(id)
    if (object === undefined) {
      needed.add(id)
      return
    }
    keep(id, object === "large" ? undefined : object)
    const entries = object === "large" ? await readTree(context, repository, id) : parseTree(repository.format, object.content)
    const known = (await Promise.all(bases.map((base) => readTree(context, repository, base)))).flat()
    const knownIds = new Set(known.map((entry) => entry.id))
    const fresh = entries.filter((entry) => entry.mode !== "160000" && !knownIds.has(entry.id))
    for (const { name, mode, id: inner } of fresh.filter((entry) => entry.mode === "40000"))
      await visitTree(
        inner,
        known.flatMap((entry) => (entry.name === name && entry.mode === mode ? [entry.id] : [])),
      )
    const blobs = fresh.filter(({ mode, id: blob }) => mode !== "40000" && !found.has(blob))
    for (let start = 0; start < blobs.length; start += AT_ONCE)
      await Promise.all(
        blobs.slice(start, start + AT_ONCE).map(async ({ id: blob }) => {
          const content = await read(blob)
          if (content === undefined) needed.add(blob)
          else keep(blob, content === "large" ? undefined : content)
        }),
      )
  }

  const met = new Set<ObjectId>()
  const waiting = [...new Set(ids)]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    met.add(id)
    if (found.has(id) || counts(id)) continue
    const object = await read(id)
    if (object === undefined) {
      needed.add(id)
      continue
    }
    keep(id, object === "large" ? undefined : object)
    if (object === "large") continue
    if (object.type === "commit") {
      const { tree, parents } = parseCommit(id, object.content)
      waiting.push(...parents)
      const trees = await Promise.all(parents.map(async (parent) => (await readCommit(context, repository, parent)).tree))
      await visitTree(tree, trees)
    } else if (object.type === "tree") await visitTree(id, [])
    else if (object.type === "tag") waiting.push(parseTag(id, object.content).object)
  }

  await requireThere(context, published, [...needed])
  const objects = [...found.values()]
  const isHeld = objects.every((object) => object !== undefined)
  return { ids: [...found.keys()], objects: isHeld ? objects.flatMap((object) => object ?? []) : undefined, met }
}

/** Throws `missing` unless all of these are there. At most one process. */
async function requireThere(context: Context, published: Repository, ids: readonly ObjectId[]): Promise<void> {
  if (ids.length === 0) return
  const command = { name: "cat-file", flags: ["--batch-check=%(objectname)", "--buffer"] } as const
  const { stdout } = await context.processes.run(command, { repository: published, input: ids.map((id) => `${id}\n`).join("") })
  const lost = stdout
    .toString("latin1")
    .split("\n")
    .find((line) => line.endsWith(" missing"))
  if (lost !== undefined) throw new GitError("missing", `the repository ${published.key} has no object ${lost.split(" ")[0]}`)
}
