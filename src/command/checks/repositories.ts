import { mkdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Database } from "../../core/database/database.ts"
import type { Inspector, StoredRepository } from "../../git/repositories/inspect.ts"
import { type Finding, failure, ok, warning } from "./finding.ts"
import { type Known, listAll } from "./known.ts"

const HOUR_MS = 3_600_000

/** The repositories and wikis in the database, and those on the disk. */
export interface Repositories {
  readonly known: readonly Known[]
  readonly stored: readonly StoredRepository[]
}

export const findRepositories = async (database: Database, inspector: Inspector): Promise<Repositories> => ({
  // The disk first: a repository is created there before its row, and removed there after it.
  stored: await inspector.list(),
  known: await listAll(database),
})

/** Whether every row has its folder and every folder its row. A folder younger than an hour may belong to a repository that is being created. */
export function compareRepositories({ known, stored }: Repositories, lostAndFound: string, now = Date.now()): readonly Finding[] {
  const onDisk = new Set(stored.map(({ key }) => key))
  const inDatabase = new Set(known.map(({ storage }) => storage))
  const missing = known
    .filter(({ storage }) => !onDisk.has(storage))
    .map(({ owner, name, storage }) =>
      failure(
        `The repository ${owner}/${name} has no folder (${storage}.git).`,
        name.endsWith(".wiki") ? "Bring the folder back from a backup." : "Bring the folder back from a backup, or delete the repository.",
      ),
    )
  const orphans = stored
    .filter(({ key, changedAt }) => !inDatabase.has(key) && now - changedAt > HOUR_MS)
    .map(({ key, directory }) => {
      const target = join(lostAndFound, `${key.replaceAll("/", "-")}.git`)
      return warning(`The folder ${directory} belongs to no repository.`, `With --repair it is moved to ${target}.`, async () => {
        await mkdir(dirname(target), { recursive: true })
        await rename(directory, target)
        return `moved to ${target}`
      })
    })
  const findings = [...missing, ...orphans]
  return findings.length > 0 ? findings : [ok(`repositories: ${known.length}, each with its folder`)]
}

/** Lock files that a crash left, which keep a branch from being pushed. */
export async function checkLocks({ stored }: Repositories, inspector: Inspector): Promise<readonly Finding[]> {
  const stale = (await Promise.all(stored.map(inspector.staleLocks))).flat()
  return stale.map((path) =>
    warning(`The lock ${path} was left behind.`, "With --repair it is removed.", async () => {
      await rm(path, { force: true })
      return "removed"
    }),
  )
}

/** Checks the objects of every repository, one after the other. `progress` gets the current one. */
export async function checkObjects(
  { known, stored }: Repositories,
  inspector: Inspector,
  options: { readonly whole: boolean },
  progress: (done: number, of: number, name: string) => void,
): Promise<readonly Finding[]> {
  const places = new Map(stored.map((each) => [each.key, each]))
  const there = known.flatMap((repository) => {
    const place = places.get(repository.storage)
    return place === undefined ? [] : [{ repository, place }]
  })
  const findings: Finding[] = []
  for (const [index, { repository, place }] of there.entries()) {
    const name = `${repository.owner}/${repository.name}`
    progress(index, there.length, name)
    const faults = await inspector.check(place, repository.object_format, options)
    if (faults.length > 0) {
      const text = faults.slice(0, 5).map((fault) => `\n        ${fault}`)
      findings.push(
        failure(
          `The repository ${name} (${place.directory}) is damaged:${text.join("")}${faults.length > 5 ? `\n        and ${faults.length - 5} more` : ""}`,
          "Keep a copy of the folder and bring it back from a backup. A user's clone may hold the missing objects: push from it.",
        ),
      )
    }
  }
  return findings.length > 0 ? findings : [ok(`objects: all there in ${there.length} repositories`)]
}
