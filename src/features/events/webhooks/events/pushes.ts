import type { Owned } from "../../../../access/permission.ts"
import type { User } from "../../../../core/actor.ts"
import type { Handle } from "../../../../core/database/database.ts"
import type { Services } from "../../../../core/services.ts"
import {
  branchOf,
  type ChangedFile,
  type Commit,
  type ObjectId,
  type RefName,
  type Repository,
  tagOf,
  zeroId,
} from "../../../../git/index.ts"
import { presentPayloadCommits } from "../../../code/commits/present.ts"
import { repositoryHtmlUrl } from "../../../code/repositories/urls.ts"
import { presentUser } from "../../../people/users/present.ts"
import type { Announcement } from "../announce.ts"

/** What webhooks are told of a push, for each reference that it moved. */

/** Commits that a payload names; their number is told. */
export const MOST_COMMITS = 5

/** Commits of a push with what each of them changed. */
export interface PushedCommits {
  /** The newest ones, newest first. */
  readonly commits: readonly Commit[]
  readonly total: number
  readonly changes: ReadonlyMap<ObjectId, readonly ChangedFile[]>
}

export const NO_COMMITS: PushedCommits = { commits: [], total: 0, changes: new Map() }

/** Cuts commits to what a payload names, and looks what each changed. One process, none without commits. */
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
  /** Null where it was not there, or is not there any more. */
  readonly before: ObjectId | null
  readonly after: ObjectId | null
  readonly pushed: PushedCommits
  readonly pusher: User
}

/** The payload of a push of one reference, beside the repository and the sender. */
export async function pushPayload(services: Services, db: Handle, home: Owned, { ref, before, after, pushed, pusher }: Push) {
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

/** Paths by what happened to them; a move is one that is new and one that is gone. */
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

/** That a branch or a tag came, at a commit or an annotated tag; nothing for all other references. */
export const createEvents = (ref: RefName, id: string, sender: User): readonly Announcement[] => {
  const name = named(ref)
  return name ? [{ event: "create", sender, ref, payload: () => ({ sha: id, ...name }) }] : []
}

/** That a branch or a tag went; nothing for all other references. */
export const deleteEvents = (ref: RefName, sender: User): readonly Announcement[] => {
  const name = named(ref)
  return name ? [{ event: "delete", sender, ref, payload: () => ({ ...name, pusher_type: "user" }) }] : []
}

/** How receivers know a branch or a tag. */
function named(ref: RefName): { readonly ref: string; readonly ref_type: "branch" | "tag" } | undefined {
  const branch = branchOf(ref)
  if (branch !== undefined) return { ref: branch, ref_type: "branch" }
  const tag = tagOf(ref)
  return tag === undefined ? undefined : { ref: tag, ref_type: "tag" }
}
