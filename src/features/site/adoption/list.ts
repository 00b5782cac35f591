import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { compileGlob } from "../../../core/text/globs.ts"
import { type Found, findFolders } from "./folders.ts"
import { findAccountNames, findRepositoryNames } from "./store.ts"

/** Folders asked about in one statement: few, since every account is looked up with every name. */
const BATCH = 100

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}

/**
 * The folders that can be adopted, by owner and name, and among them those that `owner` or `owner/name` fits, each a glob for the whole name in lower case; "" fits
 * all. Refuses `invalid` for a malformed glob. Reads the import folder, and asks the database in batches.
 */
export async function findUnadopted(services: Pick<Services, "config" | "database">, pattern: string): Promise<readonly Found[]> {
  const { read } = services.database
  const slash = pattern.indexOf("/")
  const [owner, name] = slash === -1 ? [pattern, ""] : [pattern.slice(0, slash), pattern.slice(slash + 1)]
  const found = await findFolders(services, {
    ownerFits: matcherOf(owner),
    nameFits: matcherOf(name),
    accounts: async (lowerNames) => {
      const known = new Set<string>()
      for (const some of batchesOf(lowerNames))
        for (const { lower_name } of await findAccountNames(read, { lowerNames: some })) known.add(lower_name)
      return known
    },
  })
  const unknown: Found[] = []
  const lower = (text: string) => text.toLowerCase()
  for (const some of batchesOf(found)) {
    const ownerNames = [...new Set(some.map((each) => lower(each.owner)))]
    const rows = await findRepositoryNames(read, { ownerNames, lowerNames: [...new Set(some.map((each) => lower(each.name)))] })
    const known = new Set(rows.map((row) => `${row.owner}/${row.name}`))
    unknown.push(...some.filter((each) => !known.has(`${lower(each.owner)}/${lower(each.name)}`)))
  }
  return unknown
}

function matcherOf(glob: string): (lowerName: string) => boolean {
  if (glob === "") return () => true
  const matches = compileGlob(glob.toLowerCase())
  if (!matches) throw refuse.invalid("query", "must be a glob, or two with a slash between them")
  return matches
}
