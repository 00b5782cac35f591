import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, type ChangedFile, type Commit, type ObjectId, type RefName, type Repository, tagOf, zeroId } from "../../../git/index.ts"
import { presentPayloadCommits } from "../../code/commits/present.ts"
import type { MovedPush, RefChange } from "../../code/pushes/step.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { presentUser } from "../../people/users/present.ts"

/** What webhooks and workflows are told of a push, for each reference that it changed. */

/** Commits listed in a payload, which has their total as well. */
const MOST_COMMITS = 5

/** Commits of a push with the files that each of them changed. */
export interface PushedCommits {
  /** The newest ones, newest first. */
  readonly commits: readonly Commit[]
  readonly total: number
  readonly changes: ReadonlyMap<ObjectId, readonly ChangedFile[]>
}

const NO_COMMITS: PushedCommits = { commits: [], total: 0, changes: new Map() }

/** Truncates the commits to those listed in a payload, and reads the changes of each. One process, none without commits. */
export async function withChanges(
  { git }: Pick<Services, "git">,
  repository: Repository,
  { commits, total }: { readonly commits: readonly Commit[]; readonly total: number },
): Promise<PushedCommits> {
  const named = commits.slice(0, MOST_COMMITS)
  if (named.length === 0) return { ...NO_COMMITS, total }
  const changes = await git.diffs.ofCommits(
    repository,
    named.map(({ id }) => id),
  )
  return { commits: named, total, changes }
}

export interface Push {
  readonly ref: RefName
  /** Null where the reference did not exist before, or no longer exists. */
  readonly before: ObjectId | null
  readonly after: ObjectId | null
  readonly pushed: PushedCommits
  readonly pusher: User
}

/** The payload of a push of one reference, without the repository and the sender. */
export async function pushPayload(db: Handle, services: Services, home: Owned, { ref, before, after, pushed, pusher }: Push) {
  const { owner, repository } = home
  const none = zeroId(repository.object_format)
  const records = await presentPayloadCommits(services, db, home, pushed.commits)
  const commits = pushed.commits.flatMap(({ id }) => {
    const record = records.get(id)
    return record ? [{ ...record, verification: null, ...filesOf(pushed.changes.get(id) ?? []) }] : []
  })
  const html = repositoryHtmlUrl(services.site, owner.name, repository.name)
  return {
    ref,
    before: before ?? none,
    after: after ?? none,
    compare_url: before && after ? `${html}/compare/${before}...${after}` : "",
    commits,
    total_commits: pushed.total,
    head_commit: commits[0] ?? null,
    pusher: presentUser(services.site, pusher),
  }
}

/** Paths by kind of change; a rename is an added and a removed path. */
function filesOf(changed: readonly ChangedFile[]) {
  const added: string[] = []
  const removed: string[] = []
  const modified: string[] = []
  for (const { status, path, previousPath } of changed) {
    if (status === "added" || status === "copied" || status === "renamed") added.push(path)
    else if (status === "deleted") removed.push(path)
    else modified.push(path)
    if (status === "renamed" && previousPath !== undefined) removed.push(previousPath)
  }
  return { added, removed, modified }
}

/** Whether others are told of a reference at all. */
export const isBranchOrTag = (ref: RefName): boolean => branchOf(ref) !== undefined || tagOf(ref) !== undefined

/** The payload for a new branch or tag, at a commit or an annotated tag. */
export const createdPayload = (ref: RefName, id: string) => ({ sha: id, ...named(ref) })

/** The payload for a deleted branch or tag. */
export const deletedPayload = (ref: RefName) => ({ ...named(ref), pusher_type: "user" })

/** The name of a branch or tag in payloads. */
function named(ref: RefName): { readonly ref: string; readonly ref_type: "branch" | "tag" } {
  const branch = branchOf(ref)
  return branch === undefined ? { ref: tagOf(ref) ?? ref, ref_type: "tag" } : { ref: branch, ref_type: "branch" }
}

/** Commits of a new branch that are read. */
const LOOKED_AT = 10

/** The commits of a push to a branch for its payload; of other references none are shown. */
export async function pushedCommits(
  { services, row, repository, newCommits }: MovedPush,
  { ref, oldId, newId }: RefChange,
): Promise<PushedCommits> {
  const { git } = services
  const branch = branchOf(ref)
  if (branch === undefined || newId === null) return NO_COMMITS
  if (oldId !== null) return withChanges(services, repository, await newCommits({ oldId, newId }))
  const base = branch === row.default_branch ? undefined : (await git.history.lastCommit(repository, row.default_branch))?.id
  const range = await git.history.between(repository, { to: newId, from: base, limit: LOOKED_AT, countAtMost: LOOKED_AT })
  return withChanges(services, repository, range)
}
