import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { branchRef, type ObjectFormat } from "../../model/names.ts"
import { writeSkeleton } from "../../repositories/repository.ts"
import type { CacheFolders } from "./folders.ts"

/** A bare repository in a folder of its own, in which git can pack without anyone's seeing it. */
export interface Plain {
  readonly directory: string
  readonly objects: string
  readonly close: () => Promise<void>
}

export async function makePlain({ packing }: CacheFolders, format: ObjectFormat): Promise<Plain> {
  const directory = join(packing, `${randomBytes(12).toString("hex")}.git`)
  mkdirSync(packing, { recursive: true })
  writeSkeleton(directory, format, branchRef("main"))
  return { directory, objects: join(directory, "objects"), close: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }) }
}
