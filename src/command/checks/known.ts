import type { Database } from "../../core/database/database.ts"
import { wikiKey } from "../../features/code/repositories/wiki-place.ts"
import { type KnownRepository, listKnown, listWikis } from "./store.ts"

/** A repository or a wiki as rows know it. */
export interface Known extends KnownRepository {
  readonly isWiki: boolean
}

/** All repositories, in the order of their ids, and then all wikis. */
export async function listAll({ read }: Pick<Database, "read">): Promise<readonly Known[]> {
  const wikis = (await listWikis(read)).map((row) => ({ ...row, name: `${row.name}.wiki`, storage: wikiKey(row.storage), isWiki: true }))
  return [...(await listKnown(read)).map((row) => ({ ...row, isWiki: false })), ...wikis]
}
