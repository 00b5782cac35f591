import type { Services } from "../../../core/services.ts"
import type { ObjectId, Repository } from "../../../git/index.ts"
import { findByStorage } from "../repositories/store.ts"
import { findPointers } from "./pointers.ts"
import { findAnyLink, findLinked, linkObjects } from "./store.ts"

/** Commits being copied from one repository to another. */
export interface CopiedCommits {
  readonly from: Repository
  readonly to: Repository
  readonly id: ObjectId
  /** Commits that both have. */
  readonly known: readonly ObjectId[]
}

/** Pointers looked up and linked per statement. */
const BATCH = 500

/**
 * Links the large files that copied commits point to to their new repository, as far as the source has them: like the commits themselves, they can be
 * read there from then on. Must be called before the commits are copied, so that it is repeated after an interruption. Takes two queries if the source
 * has no large files.
 */
export async function linkLargeFiles(
  services: Pick<Services, "git" | "database" | "config" | "now">,
  { from, to, id, known }: CopiedCommits,
): Promise<void> {
  const { git, database, config, now } = services
  if (!config.lfs.enabled) return
  const rows = await findByStorage(database.read, { storages: [from.key, to.key] })
  const [source, target] = [from, to].map(({ key }) => rows.find(({ storage }) => storage === key))
  if (!source || !target || !(await findAnyLink.first(database.read, { repositoryId: source.id }))) return
  const pointers = await findPointers(git, from, { to: [id], not: known })
  const sizes = new Map(pointers.map(({ oid, size }) => [oid, size]))
  const oids = [...sizes.keys()]
  for (let at = 0; at < oids.length; at += BATCH) {
    const found = await findLinked(database.read, { repositoryId: source.id, oids: oids.slice(at, at + BATCH) })
    const ids = found.filter(({ oid, size }) => sizes.get(oid) === size).map((object) => object.id)
    if (ids.length > 0) await database.write((tx) => linkObjects(tx, target.id, ids, now()))
  }
}
