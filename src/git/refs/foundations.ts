import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Repository } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import { readCommitHere } from "../objects/objects.ts"
import type { Context } from "../process/context.ts"
import { packedNamesOf, readPackedFile } from "./packed-file.ts"
import { looseReferences, resolveReference } from "./ref-files.ts"

/** The most commits of a push that are looked at here, and the most references that are asked whether they still have a value. */
const [MOST_COMMITS, MOST_NAMES] = [64, 16]

/**
 * The values of references that new commits in a quarantine stand on: what references reach is complete, so that a push that stands on few of them need not be compared with all. Undefined
 * where the commits are many or packed, or one stands on what is no reference's value. Starts no process.
 */
export async function foundationsOf(
  context: Context,
  repository: Repository & { readonly quarantine: string },
  ids: readonly ObjectId[],
): Promise<readonly ObjectId[] | undefined> {
  const found = new Set<ObjectId>()
  const looked = new Set(ids)
  let loose: ReadonlySet<ObjectId> | undefined
  const isValue = async (id: ObjectId): Promise<boolean> => {
    loose ??= new Set((await looseReferences(repository)).values())
    if (loose.has(id)) return true
    let asked = 0
    for (const name of packedNamesOf(readPackedFile(repository), id)) {
      // A packed value may be outdated by that of a file.
      if ((await resolveReference(repository, name)) === id) return true
      if (++asked === MOST_NAMES) return false
    }
    return false
  }
  for (const id of looked) {
    if (looked.size > MOST_COMMITS) return undefined
    if (existsSync(join(repository.quarantine, id.slice(0, 2), id.slice(2)))) {
      const commit = await readCommitHere(context, repository, id)
      if (commit === undefined) return undefined
      for (const parent of commit.parents) looked.add(parent)
    } else if (await isValue(id)) found.add(id)
    else return undefined
  }
  return [...found]
}
