import { branchOf, type RefName, tagOf } from "../../../git/index.ts"
import { type ActivityKind, recordActivity } from "../../events/feed/rules.ts"
import { chooseDefault } from "./branches.ts"
import type { Consequence, Moved, RefChange } from "./consequences.ts"
import { branchContent, deletedTagContent, type Place, tagContent } from "./content.ts"
import type { Gained } from "./gained.ts"

/** References of one push that the feed tells of; nobody reads the ten thousand rows that pushing a mirror would make. */
const TOLD_REFS = 100

interface Told {
  readonly kind: ActivityKind
  readonly refName: RefName
  readonly content: string
}

/** The feed tells what was pushed. */
export const tellOfPush: Consequence = async (moved) => {
  const told = await tellings(moved)
  return async (tx, { owner, repository, pusher, now }) => {
    for (const event of told) await recordActivity(tx, { ...event, actor: pusher, repository, owner, now })
  }
}

async function tellings({ services: { git }, row, repository, changes, gained }: Moved): Promise<readonly Told[]> {
  const arrived = changes.flatMap(({ ref, oldId }) => (oldId === null ? (branchOf(ref) ?? []) : []))
  const choice = { stored: row.default_branch, wasEmpty: row.is_empty === 1, created: arrived }
  const defaultBranch = choice.wasEmpty ? chooseDefault(choice, (name) => arrived.includes(name)) : row.default_branch
  const place: Place = { git, repository, fullName: `${row.owner_name}/${row.name}`, defaultBranch }
  const told: Told[] = []
  const tell = row.is_mirror === 1 ? syncTellings : tellingsOf
  for (const change of changes.slice(0, TOLD_REFS)) told.push(...(await tell(place, change, gained)))
  return told
}

async function tellingsOf(place: Place, { ref, oldId, newId }: RefChange, gained: Gained): Promise<readonly Told[]> {
  const branch = branchOf(ref)
  if (branch !== undefined) {
    if (newId === null) return [{ kind: "delete_branch", refName: ref, content: "" }]
    const pushed: Told = { kind: "commit_repo", refName: ref, content: await branchContent(place, branch, oldId, newId, gained) }
    // Existing clients know a new branch by the row without content before the one with its commits.
    return oldId === null ? [{ ...pushed, content: "" }, pushed] : [pushed]
  }
  if (tagOf(ref) === undefined) return []
  if (newId === null) return [{ kind: "delete_tag", refName: ref, content: deletedTagContent }]
  return [{ kind: "push_tag", refName: ref, content: await tagContent(place, newId) }]
}

/** Nobody can push to a mirror: what moves there came from the repository that it follows. */
async function syncTellings(place: Place, { ref, oldId, newId }: RefChange, gained: Gained): Promise<readonly Told[]> {
  const branch = branchOf(ref)
  if (branch === undefined && tagOf(ref) === undefined) return []
  if (newId === null) return [{ kind: "mirror_sync_delete", refName: ref, content: "" }]
  const content = branch === undefined ? await tagContent(place, newId) : await branchContent(place, branch, oldId, newId, gained)
  const pushed: Told = { kind: "mirror_sync_push", refName: ref, content }
  return oldId === null ? [pushed, { kind: "mirror_sync_create", refName: ref, content: "" }] : [pushed]
}
