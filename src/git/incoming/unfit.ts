import { Readable } from "node:stream"
import { GitError } from "../model/errors.ts"
import type { Repository, TreeEntry } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import { isInspectedName } from "../model/tree-entry.ts"
import type { NewObject } from "../objects/loose.ts"
import { readObject } from "../objects/objects.ts"
import { parseTree } from "../objects/parse.ts"
import { byteSource } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { directorySize } from "../process/files.ts"
import { formatPack } from "./pack.ts"
import { closeQuarantine, idsIn, openQuarantine, type Quarantined, takePack } from "./quarantine.ts"

/*
 * Names in trees are checked wherever a tree is written. What only git checks are the files that it reads itself when someone fetches: `.gitmodules` and
 * `.gitattributes`. Where a tree that is written here has such a file anew, it is taken in as a push would be: a pack goes to a quarantine by the same
 * function, and git refuses what it would refuse there. The files of most trees are those that they had before, and cost nothing.
 */

/** A file in a new tree that git has to look at. */
export interface Inspected {
  /** Its name in the tree, or its path. */
  readonly name: string
  readonly id: ObjectId
  readonly tree: ObjectId
}

/** The entries of a tree that git has to look at, without those that are the same in trees that were checked. */
export function toInspect(entries: readonly TreeEntry[], checked: readonly TreeEntry[]): readonly TreeEntry[] {
  return entries.filter(
    ({ name, mode, id }) =>
      isInspectedName(name) && !checked.some((other) => other.name === name && other.mode === mode && other.id === id),
  )
}

/** Takes objects into a quarantine as a push's. Throws `unfit` where git refuses one, and names the file. */
async function takeIn(
  context: Context,
  quarantined: Quarantined,
  objects: readonly NewObject[],
  inspected: readonly Inspected[],
): Promise<void> {
  const input = Readable.from([await formatPack(quarantined.format, objects)])
  const source = byteSource(input)
  const release = await context.pushes.acquire(quarantined.key)
  const { refused } = await takePack(context, quarantined, input, source, { maxBytes: context.limits.pushBytes }).finally(() => {
    source.release()
    release()
  })
  if (refused === null) return
  const [, id, words] = /^object ([0-9a-f]+): \w+: (.*)$/s.exec(refused) ?? []
  const file = inspected.find((one) => one.id === id) ?? inspected.find((one) => one.tree === id)
  throw new GitError("unfit", file === undefined ? refused : `${file.name}: ${words}`)
}

/** Stores objects whose trees have such files. Throws `unfit`, and stores nothing. Returns the bytes that they take. */
export async function storeInspected(
  context: Context,
  repository: Repository,
  objects: readonly NewObject[],
  inspected: readonly Inspected[],
): Promise<number> {
  const quarantined = await openQuarantine(repository)
  try {
    await takeIn(context, quarantined, objects, inspected)
    const size = await directorySize(quarantined.quarantine)
    await context.store().migrate(quarantined)
    return size
  } finally {
    await closeQuarantine(context, quarantined)
  }
}

/** Reads the trees that a new one is made from, at the same path. */
type Sides = () => Promise<readonly (readonly TreeEntry[])[]>

/**
 * Checks the trees that git itself has put into a quarantine. `sides` are the roots of the trees that were merged, which have been checked. Reads only new
 * trees, and the sides only where a new tree has a file to look at. Throws `unfit`.
 */
export async function checkMerged(
  context: Context,
  quarantined: Quarantined,
  root: ObjectId,
  sides: () => Promise<readonly ObjectId[]>,
): Promise<void> {
  const fresh = await idsIn(quarantined)
  const trees = new Map<ObjectId, NewObject>()
  const inspected: Inspected[] = []
  const read = async (id: ObjectId) => parseTree(quarantined.format, (await readObject(context, quarantined, id, "tree")).content)

  async function walk(id: ObjectId, folder: string, merged: Sides): Promise<void> {
    if (!fresh.has(id)) return
    const { content } = await readObject(context, quarantined, id, "tree")
    const entries = parseTree(quarantined.format, content)
    const odd = entries.some(({ name }) => isInspectedName(name)) ? toInspect(entries, (await merged()).flat()) : []
    if (odd.length > 0) trees.set(id, { id, type: "tree", content })
    inspected.push(...odd.map((entry) => ({ name: `${folder}${entry.name}`, id: entry.id, tree: id })))
    for (const { name, mode, id: inner } of entries) {
      if (mode !== "40000") continue
      await walk(inner, `${folder}${name}/`, async () => {
        const below = (await merged()).flatMap((side) => side.filter((entry) => entry.name === name && entry.mode === "40000"))
        return Promise.all(below.map((entry) => read(entry.id)))
      })
    }
  }

  await walk(root, "", async () => Promise.all((await sides()).map(read)))
  if (inspected.length > 0) await takeIn(context, quarantined, [...trees.values()], inspected)
}
