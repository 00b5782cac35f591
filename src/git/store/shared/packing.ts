import { randomBytes } from "node:crypto"
import { mkdir, readdir, rename, stat } from "node:fs/promises"
import { join } from "node:path"
import { formatPack } from "../../incoming/pack.ts"
import { GitError } from "../../model/errors.ts"
import type { Repository } from "../../model/model.ts"
import type { ObjectId } from "../../model/names.ts"
import { type NewObject, readLooseObject } from "../../objects/loose.ts"
import type { Context } from "../../process/context.ts"
import { namesIn } from "../../process/files.ts"
import type { NewPack } from "../store.ts"
import { packPath } from "./cache.ts"
import type { PackFiles } from "./records.ts"

/** Packs for the store: small ones are bytes of a row, larger ones are files that are stored before any row names them. */

/** The most bytes of a pack that is kept in its row. */
export const SMALL_PACK = 256 * 1024

/** Files of a pack that are kept with it. */
const ENDINGS = ["pack", "idx", "rev", "bitmap", "mtimes"] as const

/** The name of a new pack, as git names its own. */
export const newPackId = (): string => randomBytes(20).toString("hex")

/** A pack of these objects in a row; undefined where it is too large for that. */
export async function smallPack(format: Repository["format"], objects: readonly NewObject[]): Promise<NewPack | undefined> {
  if (objects.reduce((sum, { content }) => sum + content.length, 0) > 16 * SMALL_PACK) return undefined
  const content = await formatPack(format, objects)
  return content.length > SMALL_PACK ? undefined : { id: newPackId(), size: content.length, content, files: [] }
}

/**
 * Gives the packs of an object directory names of the store's, and stores their files. The folder then has them under these names.
 */
export async function storePacks(files: PackFiles, objects: string): Promise<readonly NewPack[]> {
  const folder = join(objects, "pack")
  const names = await namesIn(folder)
  const stored: NewPack[] = []
  for (const name of names.filter((each) => each.endsWith(".idx"))) {
    const base = name.slice(0, -".idx".length)
    const id = newPackId()
    const endings = ENDINGS.filter((ending) => names.includes(`${base}.${ending}`))
    let size = 0
    for (const ending of endings) {
      const path = packPath(objects, id, ending)
      await rename(join(folder, `${base}.${ending}`), path)
      size += (await stat(path)).size
    }
    const written = endings.map((ending) => files.write(id, ending, packPath(objects, id, ending)))
    // None goes on when this has ended: the files may be removed then.
    await Promise.allSettled(written)
    await Promise.all(written)
    stored.push({ id, size, content: undefined, files: endings })
  }
  return stored
}

/** Makes a pack of these objects of a view in a folder of its own, by git. Throws `failed`. */
export async function packIds(context: Context, repository: Repository, ids: readonly ObjectId[], objects: string): Promise<void> {
  await mkdir(join(objects, "pack"), { recursive: true })
  const command = { name: "pack-objects", flags: ["--delta-base-offset", "-q"], args: [join(objects, "pack", "pack")] } as const
  await context.processes.run(command, {
    repository,
    input: ids.map((id) => `${id}\n`).join(""),
    limiter: context.longWork,
    timeoutMs: context.limits.transferMs,
  })
}

/** What a quarantine holds. */
export interface Quarantine {
  readonly loose: readonly ObjectId[]
  readonly hasPacks: boolean
}

export async function contentsOf(
  { quarantine }: { readonly quarantine: string },
  isId: (text: string) => text is ObjectId,
): Promise<Quarantine> {
  const folders = await readdir(quarantine)
  if (folders.some((name) => name.startsWith("tmp_"))) throw new GitError("failed", "an unfinished file in the quarantine")
  const names = await Promise.all(
    folders
      .filter((name) => /^[0-9a-f]{2}$/.test(name))
      .map(async (name) => (await namesIn(join(quarantine, name))).map((rest) => name + rest)),
  )
  const packs = await namesIn(join(quarantine, "pack"))
  return { loose: names.flat().filter(isId), hasPacks: packs.some((name) => name.endsWith(".idx")) }
}

/** The loose objects of a directory; undefined where one is too large to be held. */
export async function heldObjects(
  context: Context,
  repository: Repository,
  ids: readonly ObjectId[],
): Promise<readonly NewObject[] | undefined> {
  const objects: NewObject[] = []
  let size = 0
  for (const id of ids) {
    const object = await readLooseObject(context, repository, id)
    size += object?.content.length ?? 0
    if (!object || size > 16 * SMALL_PACK) return undefined
    objects.push({ id, ...object })
  }
  return objects
}
