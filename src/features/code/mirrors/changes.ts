import {
  branchOf,
  type Git,
  isBranchName,
  isMisleadingName,
  isTagName,
  type ObjectId,
  type Reference,
  type RefName,
  type Repository,
  tagOf,
} from "../../../git/index.ts"
import type { RefChange } from "../pushes/step.ts"
import { RemoteRefused } from "./remote.ts"

/** The most branches and tags that are mirrored; as many as a push may change. */
const MOST = 50_000

/** The branches and tags among references, without misleading names. Others, such as those of pull requests, are private to their server. */
export function followed(references: readonly Reference[]): readonly Reference[] {
  const kept = references.filter(({ name }) => {
    const [branch, tag] = [branchOf(name), tagOf(name)]
    if (isMisleadingName(branch ?? tag ?? "")) return false
    return branch !== undefined ? isBranchName(branch) : tag !== undefined && isTagName(tag)
  })
  if (kept.length > MOST) throw new RemoteRefused(`the repository there has more than ${MOST} branches and tags`)
  return kept
}

/** The reference changes that make this repository equal to the remote. Without `prune`, references deleted there are kept here. */
export function changesTowards(there: readonly Reference[], here: readonly Reference[], prune: boolean): readonly RefChange[] {
  const wanted = new Map<RefName, ObjectId>(there.map(({ name, id }) => [name, id]))
  const found = new Map<RefName, ObjectId>(here.map(({ name, id }) => [name, id]))
  const gone = prune ? here.filter(({ name }) => !wanted.has(name)) : []
  return [
    ...gone.map(({ name, id }) => ({ ref: name, oldId: id, newId: null })),
    ...there.flatMap(({ name, id }) => {
      const before = found.get(name) ?? null
      return before === id ? [] : [{ ref: name, oldId: before, newId: id }]
    }),
  ]
}

/** The target objects of changes that the repository doesn't have. */
export async function missing(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<readonly ObjectId[]> {
  const ids = new Set(changes.flatMap(({ newId }) => newId ?? []))
  const absent: ObjectId[] = []
  for (const id of ids) if (!(await git.objects.info(repository, id))) absent.push(id)
  return absent
}

/** Refuses branches that would not point to a commit. Throws {@link RemoteRefused}. */
export async function requireCommits(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<void> {
  for (const { ref, newId } of changes)
    if (newId !== null && branchOf(ref) !== undefined && (await git.objects.info(repository, newId))?.type !== "commit")
      throw new RemoteRefused(`${ref} names no commit there`)
}
