import type { Commit } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"

/** The most commits that are walked before git is run. */
const WALKED = 128
/** How many more git looks at once only excluded commits are waiting: clocks may be wrong. */
const SLOP = 5

/**
 * The commits that histories have and others don't, in git's order, by the walk that git makes: the newest of those that are waiting is next, and what excluded ones lead to is
 * excluded. Undefined where it is long, or where `read` doesn't find a commit.
 */
export async function shortRange(
  read: (id: ObjectId) => Promise<Commit | undefined>,
  to: readonly ObjectId[],
  not: readonly ObjectId[],
): Promise<readonly ObjectId[] | undefined> {
  const known = new Map<ObjectId, Commit>()
  const seen = new Set<ObjectId>()
  const excluded = new Set<ObjectId>()
  const waiting: Commit[] = []

  function exclude(ids: readonly ObjectId[]): void {
    const pending = [...ids]
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (excluded.has(id)) continue
      excluded.add(id)
      pending.push(...(known.get(id)?.parents ?? []))
    }
  }

  async function add(id: ObjectId): Promise<boolean> {
    const commit = known.get(id) ?? (await read(id))
    if (!commit) return false
    known.set(id, commit)
    if (excluded.has(id)) exclude(commit.parents)
    if (seen.has(id)) return true
    seen.add(id)
    const place = waiting.findIndex(({ committer }) => committer.when < commit.committer.when)
    waiting.splice(place === -1 ? waiting.length : place, 0, commit)
    return true
  }

  exclude(not)
  for (const id of [...to, ...not]) if (!(await add(id))) return undefined
  const range: ObjectId[] = []
  let oldest = Number.POSITIVE_INFINITY
  let slop = SLOP
  for (let walked = 0; ; walked++) {
    const commit = waiting.shift()
    if (!commit) break
    if (walked === WALKED) return undefined
    const isExcluded = excluded.has(commit.id)
    if (isExcluded) exclude(commit.parents)
    for (const parent of commit.parents) if (!(await add(parent))) return undefined
    if (!isExcluded) {
      oldest = commit.committer.when
      range.push(commit.id)
      continue
    }
    const [next] = waiting
    if (!next) break
    const isOpen = oldest <= next.committer.when || waiting.some(({ id }) => !excluded.has(id))
    slop = isOpen ? SLOP : slop - 1
    if (slop === 0) break
  }
  return range.filter((id) => !excluded.has(id))
}
