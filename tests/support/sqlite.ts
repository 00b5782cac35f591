/** A folder for the SQLite file that tests' databases are copies of: see `freshUrl`. Vitest's global set-up. */
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { folderForTests } from "./folder.ts"

declare module "vitest" {
  interface ProvidedContext {
    sqliteFolder: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(folderForTests(), "hearth-template-"))
  project.provide("sqliteFolder", folder)
  return () => rm(folder, { recursive: true, force: true })
}
