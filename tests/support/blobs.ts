/** Blobs as tests find them: as files below the data folder. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Config } from "../../src/core/config.ts"

interface WithFolder {
  readonly config: Pick<Config, "dataDir">
}

/** The path of a blob, or of a folder of blobs. */
export const pathOfBlob = ({ config }: WithFolder, key: string): string => join(config.dataDir, key)

/** The names of all files of a folder and of those in it, drafts included, in their order. */
export async function blobsBelow(services: WithFolder, folder: string): Promise<readonly string[]> {
  const all = await readdir(pathOfBlob(services, folder), { recursive: true, withFileTypes: true }).catch(() => [])
  return all
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()
}
