import { randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { lstat, mkdir, opendir, readdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Services } from "../../../core/services.ts"
import { hasCode } from "../../../git/model/errors.ts"
import { faultOfRepositoryName } from "../../code/repositories/names.ts"

/** The folders of the import folder: bare repositories as OWNER/NAME.git, each perhaps with a NAME.wiki.git. Links are not followed. */

/** The most entries of all folders together that are looked at for one list; what is beyond is not listed. */
export const MOST_ENTRIES = 200_000

const SUFFIX = ".git"
const WIKI = ".wiki"

const rootOf = ({ config }: Pick<Services, "config">): string => config.repository.importDir

/** Whether a name is that of a wiki's folder, which belongs to the repository beside it. */
export const isWikiName = (name: string): boolean => name.toLowerCase().endsWith(WIKI)

const folderAt = async (path: string): Promise<Stats | undefined> => {
  const found = await lstat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  })
  return found?.isDirectory() ? found : undefined
}

/** The names of the folders in a folder; none where it is not there. Reads a little at a time, so that other requests are served between. */
async function* foldersIn(path: string): AsyncGenerator<string> {
  if (!(await folderAt(path))) return
  for await (const entry of await opendir(path, { bufferSize: 256 })) if (entry.isDirectory()) yield entry.name
}

/** A folder that can be adopted. */
export interface Found {
  /** Both as they are spelt on the disk. */
  readonly owner: string
  readonly name: string
}

export interface Wanted {
  readonly ownerFits: (lowerName: string) => boolean
  readonly nameFits: (lowerName: string) => boolean
  /** Which of these lower-case names are accounts. */
  readonly accounts: (lowerNames: readonly string[]) => Promise<ReadonlySet<string>>
}

const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The folders with names that fit, of accounts, by owner and name. */
export async function findFolders(
  services: Pick<Services, "config">,
  { ownerFits, nameFits, accounts }: Wanted,
): Promise<readonly Found[]> {
  const root = rootOf(services)
  const owners: string[] = []
  let looked = 0
  for await (const owner of foldersIn(root)) {
    if (++looked > MOST_ENTRIES) break
    if (ownerFits(owner.toLowerCase())) owners.push(owner)
  }
  const known = await accounts(owners.map((owner) => owner.toLowerCase()))
  const found: Found[] = []
  for (const owner of owners.filter((each) => known.has(each.toLowerCase())).sort(byCode)) {
    const names: string[] = []
    for await (const folder of foldersIn(join(root, owner))) {
      if (++looked > MOST_ENTRIES) break
      const name = folder.slice(0, -SUFFIX.length)
      if (folder.endsWith(SUFFIX) && faultOfRepositoryName(name) === undefined && nameFits(name.toLowerCase())) names.push(name)
    }
    found.push(...names.sort(byCode).map((name) => ({ owner, name })))
  }
  return found
}

/** One repository's folder. */
export interface Folder {
  readonly path: string
  /** Of its wiki, whether or not that is there. */
  readonly wiki: string
  /** Tells the folder from another one that comes to lie in its place. */
  readonly identity: string
}

/** A folder by its name: the one spelt so, else one that differs in case only. */
async function named(folder: string, name: string): Promise<string | undefined> {
  if (await folderAt(join(folder, name))) return join(folder, name)
  for await (const each of foldersIn(folder)) if (each.toLowerCase() === name.toLowerCase()) return join(folder, each)
  return undefined
}

/** The folder of this owner and name, both of which must be usable as such; undefined where there is none. */
export async function findFolder(services: Pick<Services, "config">, owner: string, name: string): Promise<Folder | undefined> {
  if (!(await folderAt(rootOf(services)))) return undefined
  const above = await named(rootOf(services), owner)
  const path = above && (await named(above, `${name}${SUFFIX}`))
  const stats = path && (await folderAt(path))
  if (!path || !stats) return undefined
  return {
    path,
    wiki: `${path.slice(0, -SUFFIX.length)}${WIKI}${SUFFIX}`,
    identity: `${stats.dev} ${stats.ino} ${Math.trunc(stats.birthtimeMs)}`,
  }
}

/** Folders that are being removed; what a crash left of them goes with the next one beside it. */
const DOOMED = ".removed-"

/** The import folder can't be written to. */
export class FolderFixed extends Error {
  override readonly name = "FolderFixed"
}

/**
 * Removes a folder and that of its wiki; returns whether the folder was there. It disappears in one step, whatever its size. Throws {@link FolderFixed} where
 * the server may not write.
 */
export async function removeFolder({ path, wiki }: Pick<Folder, "path" | "wiki">): Promise<boolean> {
  const above = dirname(path)
  const doomed = join(above, `${DOOMED}${randomBytes(12).toString("hex")}`)
  try {
    await mkdir(doomed)
    const was = await moved(path, join(doomed, "code"))
    if (was) await moved(wiki, join(doomed, "wiki"))
    for (const name of await readdir(above))
      if (name.startsWith(DOOMED)) await rm(join(above, name), { recursive: true, force: true, maxRetries: 3 })
    return was
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false
    throw hasCode(error, "EACCES", "EPERM", "EROFS") ? new FolderFixed("the import folder can't be written to", { cause: error }) : error
  }
}

const moved = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return false
      throw error
    },
  )
