/** One SQLite file with the project's tables and no rows, which every test's database is a copy of; Vitest's global set-up. */
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { openDatabase } from "../../src/core/database/database.ts"
import { folderForTests } from "./folder.ts"

declare module "vitest" {
  interface ProvidedContext {
    sqliteTemplate: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(folderForTests(), "hearth-template-"))
  const file = join(folder, "hearth.db")
  await (await openDatabase({ url: `sqlite:${file}` })).close()
  project.provide("sqliteTemplate", file)
  return () => rm(folder, { recursive: true, force: true })
}
