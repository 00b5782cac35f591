import { branchOf, branchRef, type Git, isKept, keptRef, type ObjectFormat, type ObjectId, type RefName } from "../../git/index.ts"

/** Brings repositories from one place to another: from folders to the database and the object store, or back. */

/** What says which objects a repository has to have. */
export interface RepositoryState {
  readonly head: RefName
  /** All of them, hidden ones too. */
  readonly references: ReadonlyMap<RefName, ObjectId>
}

/** Repositories in one place. */
export interface Place {
  /** Works on one, or on some. */
  readonly use: <R>(work: (git: Git) => Promise<R>) => Promise<R>
  /** The state of one, without its objects: no packs are fetched for it. Undefined where there is none. */
  readonly look: (key: string, format: ObjectFormat) => Promise<RepositoryState | undefined>
}

export interface MovedRepository {
  readonly key: string
  readonly format: ObjectFormat
  /** Commits that rows name, and perhaps no reference: they are brought too. Texts that are none are left out. */
  readonly keep: () => Promise<readonly string[]>
}

/**
 * - `same`: the copy is as the original.
 * - `brought`: the copy has become so, and is checked.
 * - `gone`: there is no original.
 */
export type Outcome = "same" | "brought" | "gone" | { readonly fault: string }

/** HEAD of a copy that is not whole yet, or not checked: so that the next run goes on with it, whatever ended this one. */
export const UNDER_WAY = branchRef("hearth-is-copying-this")

/** Whether a copy is what the original is, and was checked. It may keep more. */
export const isSame = (original: RepositoryState, copy: RepositoryState): boolean =>
  original.head === copy.head &&
  [...original.references].every(([name, id]) => copy.references.get(name) === id) &&
  [...copy.references.keys()].every((name) => original.references.has(name) || isKept(name))

/**
 * Makes the copy of a repository what the original is. The original is only read, and may be pushed to meanwhile: what comes later is brought by the next run.
 * The copy must not be in use. Throws what the places throw where they don't answer.
 */
export async function bringRepository(from: Place, to: Place, moved: MovedRepository): Promise<Outcome> {
  const { key, format } = moved
  const wanted = await from.look(key, format)
  if (!wanted) return "gone"
  const there = await to.look(key, format)
  if (there && isSame(wanted, there)) return "same"
  const faults = await from.use((source) => to.use((target) => bring(source, target, moved, { wanted, there })))
  if (faults.length > 0) return { fault: `its copy is damaged: ${faults.slice(0, 3).join("; ")}` }
  const made = await to.look(key, format)
  return made && isSame(wanted, made) ? "brought" : { fault: "another process changed its copy" }
}

interface Both {
  readonly wanted: RepositoryState
  readonly there: RepositoryState | undefined
}

/** Gives what is wrong with the copy then. */
async function bring(source: Git, target: Git, moved: MovedRepository, { wanted, there }: Both): Promise<readonly string[]> {
  const { key, format } = moved
  const copy = target.at(key, format)
  if (there) await target.references.setHead(copy, UNDER_WAY)
  else await target.repositories.create(key, { format, branch: branchOf(UNDER_WAY) ?? "" })
  const has = there?.references ?? new Map<RefName, ObjectId>()
  const all = new Map([...(await bringObjects(source, target, moved, wanted, has)), ...wanted.references])
  // What goes first, since it may be in the way of other names.
  const gone = [...has].filter(([name]) => !all.has(name) && !isKept(name)).map(([name, id]) => ({ name, from: id, to: null }))
  await target.references.update(copy, gone)
  const put = [...all].filter(([name, id]) => has.get(name) !== id).map(([name, id]) => ({ name, from: has.get(name) ?? null, to: id }))
  await target.references.update(copy, put)
  const faults = await target.maintenance.check(copy)
  if (faults.length === 0) await target.references.setHead(copy, wanted.head)
  return faults
}

/** Gives the references that the copy needs for what no reference of the original keeps. */
async function bringObjects(
  source: Git,
  target: Git,
  { key, format, keep }: MovedRepository,
  wanted: RepositoryState,
  has: ReadonlyMap<RefName, ObjectId>,
): Promise<readonly [RefName, ObjectId][]> {
  const original = source.at(key, format)
  const left = await source.history.unreached(original, await keep())
  const wants = new Set([...wanted.references.values(), ...left])
  const known = new Set<ObjectId>()
  for (const id of has.values()) if (wants.has(id) || (await source.objects.info(original, id))) known.add(id)
  const missing = [...wants].filter((id) => !known.has(id))
  // The original is read by a process of the other place: its objects must be at hand.
  await source.references.head(original)
  await target.repositories.copyObjects(original, missing, target.at(key, format), [...known])
  return left.map((id) => [keptRef(id), id])
}
