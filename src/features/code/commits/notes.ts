import type { Owned } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import { type Commit, type ObjectId, refName, type TreeEntry } from "../../../git/index.ts"
import { gitOf, peel } from "./revision.ts"

/** The default reference of git notes. */
const NOTES = refName("refs/notes/commits")
/** Hex digits per directory level when git fans out many notes. */
const DIGITS = 2

/** The note on a commit, and the commit that added it; undefined if there is none. */
export async function findNote(
  services: Services,
  on: Owned,
  about: ObjectId,
): Promise<{ readonly message: string; readonly commit: Commit } | undefined> {
  const { objects, references } = services.git
  const repository = gitOf(services, on)
  const tip = await references.resolve(repository, NOTES)
  const commit = tip && (await peel(services.git, repository, tip))
  if (!commit) return undefined
  let [tree, rest] = [commit.tree, about as string]
  for (;;) {
    const entries: readonly TreeEntry[] = await objects.readTree(repository, tree)
    const note = entries.find(({ name, mode }) => name === rest && mode === "100644")
    if (note) return { message: (await objects.readBlob(repository, note.id)).toString("utf8"), commit }
    const folder = entries.find(({ name, mode }) => mode === "40000" && name.length === DIGITS && rest.startsWith(name))
    if (!folder) return undefined
    tree = folder.id
    rest = rest.slice(DIGITS)
  }
}
