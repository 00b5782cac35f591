import { type Blobs, PACKS } from "../../core/blobs/blobs.ts"
import { bytesInWords } from "../../core/blobs/move.ts"
import { type Config, repositoryCache } from "../../core/config.ts"
import type { Database } from "../../core/database/database.ts"
import type { Place } from "../../core/repositories/move.ts"
import { openStorePlace } from "../../core/repositories/places.ts"
import { removeStored } from "../../core/repositories/store.ts"
import { MAKING_SECONDS } from "../../features/code/lifecycle/stored.ts"
import { findOrphans } from "../../features/code/lifecycle/stored-store.ts"
import { type Finding, failure, ok, warning } from "./finding.ts"
import { type Known, listAll } from "./known.ts"
import { listOwnersOfPack, listPacks, listStored } from "./store.ts"

interface Examined {
  readonly config: Config
  readonly database: Database
  readonly blobs: Blobs
}

interface Depth {
  readonly fsck: boolean
  readonly deep: boolean
  readonly progress: (state: string) => void
}

const BACKUP = "Bring it back from a backup of the database and of the object store."

/** Repositories that all servers share: rows of the database, and packs of which the large ones are in the object store. */
export async function* checkStored(examined: Examined, { fsck, deep, progress }: Depth): AsyncGenerator<Finding> {
  const { config, database, blobs } = examined
  const known = await listAll(database)
  yield* await compareStored(known, database)
  yield* await checkPacks(known, examined)
  if (fsck) yield* await checkStoredObjects(known, openStorePlace(config, database, blobs), deep, progress)
  yield ok(`cache of repositories: ${repositoryCache(config)}, up to ${bytesInWords(config.storage.cacheBytes)}`)
}

/** Whether every row has its stored repository, and every stored repository its row, which comes after it. */
export async function compareStored(known: readonly Known[], database: Database): Promise<readonly Finding[]> {
  const stored = new Set((await listStored(database.read)).map(({ key }) => key))
  const missing = known
    .filter(({ storage }) => !stored.has(storage))
    .map(({ owner, name, storage }) => failure(`The repository ${owner}/${name} is not among the stored ones (${storage}).`, BACKUP))
  const before = Math.floor(Date.now() / 1000) - MAKING_SECONDS
  const orphans = (await findOrphans(database.read, { before })).map(({ key }) =>
    warning(
      `The stored repository ${key} belongs to no repository.`,
      "With --repair it is removed, as a server does once a day.",
      async () => {
        await database.write(async (tx) => {
          const isStill = (await findOrphans(tx, { before })).some((row) => row.key === key)
          if (isStill) await removeStored(tx, { key })
        })
        return "removed"
      },
    ),
  )
  const findings = [...missing, ...orphans]
  return findings.length > 0 ? findings : [ok(`repositories: ${known.length}, each stored`)]
}

/** Of a pack, what the object store has. */
interface Files {
  readonly endings: Set<string>
  size: number
}

/** Whether the files of all packs are in the object store, with as many bytes as rows say. */
async function checkPacks(known: readonly Known[], { database, blobs }: Examined): Promise<readonly Finding[]> {
  // Rows first: files come before them, and go after them.
  const packs = await listPacks(database.read)
  const there = await filesOfPacks(blobs)
  const findings: Finding[] = []
  for (const { file, size, files } of packs) {
    const found = there.get(file)
    const missing = files.split(" ").filter((ending) => !found?.endings.has(ending))
    if (missing.length === 0 && found?.size === size) continue
    const owners = await listOwnersOfPack(database.read, { file })
    if (owners.length === 0) continue
    const keys = new Set(owners.map(({ key }) => key))
    const names = known.filter(({ storage }) => keys.has(storage)).map(({ owner, name }) => `${owner}/${name}`)
    const what = missing.length > 0 ? `lacks its files .${missing.join(" and .")}` : `has ${found?.size} bytes in place of ${size}`
    findings.push(failure(`The pack ${file} of ${names.slice(0, 5).join(", ") || [...keys].slice(0, 5).join(", ")} ${what}.`, BACKUP))
  }
  return findings.length > 0 ? findings : [ok(`packs: the files of all ${packs.length} are in the object store`)]
}

async function filesOfPacks(blobs: Blobs): Promise<ReadonlyMap<string, Files>> {
  const all = new Map<string, Files>()
  for await (const { key, size } of blobs.list(PACKS)) {
    const [, id, ending] = /([^/.]+)\.([^/.]+)$/.exec(key) ?? []
    if (id === undefined || ending === undefined) continue
    const files = all.get(id) ?? { endings: new Set<string>(), size: 0 }
    files.endings.add(ending)
    // The graph of commits comes later, and is not counted.
    if (ending !== "graph") files.size += size
    all.set(id, files)
  }
  return all
}

/** Fetches each repository, and checks its objects. */
async function checkStoredObjects(
  known: readonly Known[],
  store: Place,
  isWhole: boolean,
  progress: (state: string) => void,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let looked = 0
  for (const { owner, name, storage, object_format } of known) {
    progress(`checking objects: ${looked} of ${known.length} (${owner}/${name})`)
    if (!(await store.look(storage, object_format))) continue
    looked++
    const faults = await store
      .use((git) => git.maintenance.check(git.at(storage, object_format), { isWhole }))
      .catch((error: unknown) => [error instanceof Error ? error.message : String(error)])
    if (faults.length === 0) continue
    const text = faults.slice(0, 5).map((fault) => `\n        ${fault}`)
    const more = faults.length > 5 ? `\n        and ${faults.length - 5} more` : ""
    findings.push(
      failure(
        `The repository ${owner}/${name} (${storage}) is damaged:${text.join("")}${more}`,
        "Bring it back from a backup. A user's clone may hold the missing objects: push from it.",
      ),
    )
  }
  return findings.length > 0 ? findings : [ok(`objects: all there in ${looked} repositories`)]
}
