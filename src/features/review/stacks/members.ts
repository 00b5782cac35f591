import type { Repository } from "../../../access/permission.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import type { Handle } from "../../../core/database/database.ts"
import { findBranchBelow, findBranchesAbove, findChangesAbove, findMembers, type Member } from "./store.ts"

/** The pull requests that one stands on, and those that stand on it: changes of a series, or branches into each other's branches. */

/** The most pull requests of a stack that are looked at. */
export const MOST_MEMBERS = 100

/** One pull request of a stack, with the one that it stands on, if that is part of it. */
export interface Placed {
  readonly member: Member
  readonly belowId: number | undefined
}

/**
 * The stack of a pull request, the lowest first and each before those that stand on it; empty where it stands alone. Merged ones below stay part of it. Some queries
 * for each level; see `standsAlone` for those that are in no stack.
 */
export async function stackOf(db: Handle, repository: Pick<Repository, "id" | "default_branch">, pull: Pull): Promise<readonly Placed[]> {
  const [self] = (await standsAlone(db, repository, pull)) ? [] : await findMembers(db, { pullIds: [pull.id] })
  if (!self) return []
  const seen = new Set([self.id])
  const below = await chainBelow(db, repository, self, seen)
  const stack: Placed[] = [...below.toReversed(), self].map((member, at, all) => ({ member, belowId: all[at - 1]?.id }))
  stack.push(...(await allAbove(db, repository, self, seen)))
  return stack.length === 1 ? [] : stack
}

/** Whether nothing stands on it, nor it on something, as most do: one query, two where it goes into another branch than usual, and none from a fork into that. */
async function standsAlone(
  db: Handle,
  { id: repositoryId, default_branch }: Pick<Repository, "id" | "default_branch">,
  { is_offered, base_branch, head_branch, head_repository_id }: Pull,
): Promise<boolean> {
  if (is_offered === 1) return false
  if (base_branch !== default_branch && (await findBranchBelow.first(db, { repositoryId, branch: base_branch }))) return false
  if (head_repository_id !== repositoryId || head_branch === default_branch) return true
  return (await findBranchesAbove(db, { repositoryId, branches: [head_branch], limit: 1 })).length === 0
}

/** Those that it stands on, the nearest first. */
async function chainBelow(
  db: Handle,
  repository: Pick<Repository, "id" | "default_branch">,
  self: Member,
  seen: Set<number>,
): Promise<readonly Member[]> {
  const found: Member[] = []
  for (let at: Member | undefined = self; at && found.length < MOST_MEMBERS; ) {
    const next: Member | undefined = await lower(db, repository, at)
    if (!next || seen.has(next.id)) break
    seen.add(next.id)
    found.push(next)
    at = next
  }
  return found
}

async function lower(
  db: Handle,
  { id: repositoryId, default_branch }: Pick<Repository, "id" | "default_branch">,
  { below_id, base_branch, is_offered }: Member,
): Promise<Member | undefined> {
  if (below_id !== null) return (await findMembers(db, { pullIds: [below_id] }))[0]
  if (is_offered === 1 || base_branch === default_branch) return undefined
  return findBranchBelow.first(db, { repositoryId, branch: base_branch })
}

/** Those that stand on it, level by level, put where each follows the one that it stands on. */
async function allAbove(
  db: Handle,
  repository: Pick<Repository, "id" | "default_branch">,
  self: Member,
  seen: Set<number>,
): Promise<readonly Placed[]> {
  const above = new Map<number, Member[]>()
  let level: readonly Member[] = [self]
  for (let left = MOST_MEMBERS; level.length > 0 && left > 0; left -= level.length) {
    const found = await next(db, repository, level, left)
    const fresh = found.filter(({ member }) => !seen.has(member.id))
    for (const { member, belowId } of fresh) {
      seen.add(member.id)
      above.set(belowId, [...(above.get(belowId) ?? []), member])
    }
    level = fresh.map(({ member }) => member)
  }
  const listed: Placed[] = []
  const pending = [self]
  for (let at = pending.pop(); at; at = pending.pop()) {
    if (at !== self) listed.push({ member: at, belowId: belowIn(above, at) })
    pending.push(...(above.get(at.id) ?? []).toReversed())
  }
  return listed
}

const belowIn = (above: ReadonlyMap<number, readonly Member[]>, { id }: Member): number | undefined =>
  [...above].find(([, members]) => members.some((member) => member.id === id))?.[0]

async function next(
  db: Handle,
  { id: repositoryId, default_branch }: Pick<Repository, "id" | "default_branch">,
  level: readonly Member[],
  limit: number,
): Promise<readonly { readonly member: Member; readonly belowId: number }[]> {
  const changes = level.filter(({ is_offered }) => is_offered === 1).map(({ id }) => id)
  const branches = level.filter(
    ({ head_repository_id, head_branch }) => head_repository_id === repositoryId && head_branch !== default_branch,
  )
  const onChanges = changes.length === 0 ? [] : await findChangesAbove(db, { pullIds: changes, limit })
  const names = branches.map(({ head_branch }) => head_branch)
  const onBranches = branches.length === 0 ? [] : await findBranchesAbove(db, { repositoryId, branches: names, limit })
  return [
    ...onChanges.flatMap((member) => (member.below_id === null ? [] : { member, belowId: member.below_id })),
    ...onBranches.flatMap((member) => {
      const below = branches.find(({ head_branch }) => head_branch === member.base_branch)
      return below && member.below_id === null && member.is_offered === 0 ? { member, belowId: below.id } : []
    }),
  ]
}

/** Whether it stands on an earlier version of the one below, or on one that was merged or closed. */
export function isOutdated({ member, belowId }: Placed, stack: readonly Placed[]): boolean {
  const below = stack.find((placed) => placed.member.id === belowId)?.member
  return member.stands_on !== "" && member.is_closed === 0 && below !== undefined && member.stands_on !== below.head_id
}
