import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { hasCode } from "../../model/errors.ts"
import type { Maintenance, RefUpdate, Repository } from "../../model/model.ts"
import type { ObjectId, RefName } from "../../model/names.ts"
import type { Context } from "../../process/context.ts"
import { linkOrCopy, namesIn } from "../../process/files.ts"
import { listReferences } from "../../refs/ref-files.ts"
import { maintain } from "../../repositories/maintenance.ts"
import type { NewPack } from "../store.ts"
import { type Cache, type Cached, packedRefs, writeState } from "./cache.ts"
import type { CacheFolders } from "./folders.ts"
import { storePacks } from "./packing.ts"
import { makePlain, type Plain } from "./plain.ts"
import type { PackFiles, Records } from "./records.ts"

interface RepackingSettings {
  readonly records: Records
  readonly files: PackFiles
  readonly folders: CacheFolders
  readonly cache: Cache
  readonly present: (repository: Repository) => Promise<Cached>
}

/** How often a repack is begun again that drops objects and met a change. */
const TRIES = 3

/**
 * Repacks a repository on any server: in a copy, whose packs are stored and then take the place of those that they were made of, in one step. What was added
 * meanwhile stays beside them.
 */
export function openRepacking(
  context: Context,
  { records, files, folders, cache, present }: RepackingSettings,
): (repository: Repository, how: Maintenance) => Promise<void> {
  return async (repository, how) => {
    for (let tries = 1; tries <= TRIES; tries++) {
      const seen = await present(repository)
      // A copy: the references that are seen go on with each change, and whatever changed during the repack would be put back to what was packed.
      const cached: Cached = { ...seen, references: new Map(seen.references) }
      const plain = await makePlain(folders, repository.format)
      try {
        await copyInto(plain, cached)
        const copy: Repository = { key: repository.key, directory: plain.directory, format: repository.format }
        await maintain(context, copy, how)
        const { stored } = cached
        const packs = await withGraph(files, plain, await storePacks(files, plain.objects))
        const isAside = packs.some(({ files: endings }) => endings.includes("mtimes"))
        const replaced = await records.replace({
          key: repository.key,
          epoch: stored.epoch,
          packsVersion: stored.packsVersion,
          drops: stored.asideSince > 0 && stored.asideSince < how.before,
          packs,
          updates: changed(cached.references, await listReferences(copy)),
          asideSince: isAside ? (stored.asideSince > how.before ? stored.asideSince : how.now) : 0,
        })
        if (!replaced) continue
        // This server need not fetch what it has made.
        await keep(plain, join(folders.objects(repository.key), String(stored.epoch + 1)), stored.packsVersion)
        await cache.ready(repository.key)
        return
      } finally {
        await plain.close()
      }
    }
  }
}

/** Links the objects of a repository into a copy, and writes its references. */
async function copyInto(plain: Plain, { objects, references }: Cached): Promise<void> {
  for (const folder of (await readdir(objects)).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))) {
    await mkdir(join(plain.objects, folder), { recursive: true })
    // Others fill it meanwhile: unfinished files are no objects.
    for (const name of (await namesIn(join(objects, folder))).filter((each) => !/^tmp_|\.tmp$/.test(each)))
      await linkOrCopy(join(objects, folder, name), join(plain.objects, folder, name))
  }
  await writeFile(join(plain.directory, "packed-refs"), packedRefs(references))
}

/** The graph of commits goes with the largest pack. */
async function withGraph(files: PackFiles, { objects }: Plain, packs: readonly NewPack[]): Promise<readonly NewPack[]> {
  const [largest] = packs.toSorted((a, b) => b.size - a.size)
  const path = join(objects, "info", "commit-graph")
  if (!largest || !(await namesIn(join(objects, "info"))).includes(basename(path))) return packs
  await files.write(largest.id, "graph", path)
  return packs.map((pack) => (pack === largest ? { ...pack, files: [...pack.files, "graph"] } : pack))
}

/** The references that differ in the copy: those to commits that are to stay. */
function changed(before: ReadonlyMap<RefName, ObjectId>, after: Awaited<ReturnType<typeof listReferences>>): readonly RefUpdate[] {
  const now = new Map(after.map(({ name, id }) => [name, id]))
  const gone = [...before].filter(([name]) => !now.has(name)).map(([name, id]) => ({ name, from: id, to: null }))
  return [
    ...gone,
    ...after.filter(({ name, id }) => before.get(name) !== id).map(({ name, id }) => ({ name, from: before.get(name) ?? null, to: id })),
  ]
}

/** Makes the objects of the copy those of the next epoch, as far as it was packed, unless another process has them already. */
async function keep({ objects }: Plain, target: string, version: number): Promise<void> {
  for (const name of (await readdir(objects)).filter((each) => !["pack", "info"].includes(each)))
    await rm(join(objects, name), { recursive: true, force: true })
  writeState(objects, version)
  try {
    await rename(objects, target)
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error
  }
}
