import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isGitError, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { signerFor } from "../../code/signatures/signing.ts"
import { lockForIssues } from "../../planning/issues/lock.ts"
import { tryScheduledMerge } from "../merging/schedule.ts"
import { assessCommit, type NewHead, writeHead } from "../pulls/heads.ts"
import { assessedColumns } from "../pulls/mergeability.ts"
import { writeRefsOfUpdate } from "../pulls/offers/ready.ts"
import { alignPull } from "../pulls/refs.ts"
import { findPull, updatePull } from "../pulls/store.ts"
import { MOST_MEMBERS } from "./members.ts"
import { findChangesAbove, type Member, setNote } from "./store.ts"

/**
 * What stood on a merged change is put onto its base branch. Where the merge left the very commit there, nothing is written anew; else each of the changes above is
 * rebased, with its identity, its author and its message. One that is in conflict stays as it is, with a note, and so do those that stand on it.
 */

/** How often it is looked at again because somebody pushed meanwhile. */
const TRIES = 5

/** A change that has its new place. */
interface Moved {
  readonly member: Member
  readonly standsOn: string
  readonly head: NewHead
}

/** A change that can't be moved. */
interface Stuck {
  readonly member: Member
  readonly note: string
}

export async function follow(services: Services, pullId: number): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) if (await followOnce(services, pullId)) return
  throw new Error("the changes above a merged one kept moving")
}

/** False where one of them was pushed meanwhile: then nothing was written. */
async function followOnce(services: Services, pullId: number): Promise<boolean> {
  const { database, git } = services
  const db = database.read
  const merged = await findPull.first(db, { id: pullId })
  const row = merged && (await findRepositoryById.first(db, { id: merged.repository_id }))
  if (!merged || !row || merged.is_merged === 0) return true
  const owner = await findUserById.first(db, { id: row.owner_id })
  const merger = (await findUserById.first(db, { id: merged.merged_by_id })) ?? owner
  const repository = git.at(row.storage, row.object_format)
  const tip = await git.references.resolve(repository, branchRef(merged.base_branch))
  if (!merger || tip === undefined || row.is_archived === 1) return true
  const moved: Moved[] = []
  const stuck: Stuck[] = []
  const next: { readonly lower: number; readonly onto: ObjectId; readonly isLowest: boolean }[] = [
    { lower: merged.id, onto: tip, isLowest: true },
  ]
  for (let place = next.shift(); place && moved.length + stuck.length < MOST_MEMBERS; place = next.shift()) {
    const { lower, onto, isLowest } = place
    const above = await findChangesAbove(db, { pullIds: [lower], limit: MOST_MEMBERS })
    for (const member of above) {
      if (member.stands_on === "") continue
      const made = await rebased(services, repository, { member, onto, merger })
      if ("note" in made) {
        stuck.push(made)
        continue
      }
      const standsOn = isLowest ? "" : onto
      const head = await assessCommit(services, { pull: { ...pullOf(member), stands_on: standsOn }, base: repository, id: made.id })
      moved.push({ member, standsOn, head })
      // Where its commit stayed, those above stand on it as before.
      if (made.id !== member.head_id) next.push({ lower: member.id, onto: made.id, isLowest: false })
    }
  }
  const isWritten = await database.write((tx) => write(tx, services, { moved, stuck, merger }))
  if (isWritten) for (const { member, head } of moved) await writeRefsOfUpdate(services, repository, { head, number: member.number })
  return isWritten
}

/** The columns of a pull request alone. */
function pullOf({
  number: _,
  title: __,
  is_closed: ___,
  author_id: ____,
  change_id: _____,
  below_id: ______,
  note: _______,
  ...pull
}: Member) {
  return pull
}

interface Rebasing {
  readonly member: Member
  readonly onto: ObjectId
  readonly merger: User
}

/** The commit of a change on its new place; its own where that has what it stands on already. */
async function rebased(
  services: Services,
  repository: Repository,
  { member, onto, merger }: Rebasing,
): Promise<{ readonly id: ObjectId } | Stuck> {
  const { git } = services
  const head = objectId(member.head_id)
  const upstream = objectId(member.stands_on)
  if (await git.history.isAncestor(repository, upstream, onto)) return { id: head }
  const committer = commitPerson(services, merger)
  const sign = await signerFor(services, { purpose: "merges", user: merger, repository, committer, parents: [onto, head] })
  try {
    const made = await git.merging.rebase(repository, { onto, upstream, head, committer, sign })
    if (made.kind === "conflict") return { member, note: noteOf(made.files) }
    if (made.kind === "unfit") return { member, note: made.reason }
    return made.commits.length === 0 ? { member, note: EMPTY } : { id: made.head }
  } catch (error) {
    if (isGitError(error, "tooLarge")) return { member, note: "it has too many commits to be rebased" }
    throw error
  }
}

const EMPTY = "nothing of it is left: the branch has the same change already"

/** The most files that a note names. */
const MOST_NAMED = 5

const noteOf = (files: readonly string[]): string => `in conflict${files.length === 0 ? "" : `: ${files.slice(0, MOST_NAMED).join(", ")}`}`

interface Followed {
  readonly moved: readonly Moved[]
  readonly stuck: readonly Stuck[]
  readonly merger: User
}

/** Writes all of it; false, and nothing, where one of the pull requests has changed since it was read. */
async function write(tx: Transaction, services: Services, { moved, stuck, merger }: Followed): Promise<boolean> {
  const now = services.now()
  const [first] = [...moved, ...stuck]
  if (!first) return true
  await lockForIssues(tx, first.member.repository_id)
  for (const { member } of [...moved, ...stuck].toSorted((a, b) => a.member.id - b.member.id)) {
    const current = await lockRow(tx, "pulls", member.id)
    const isAsRead =
      current?.head_id === member.head_id && current.stands_on === member.stands_on && current.base_branch === member.base_branch
    if (!isAsRead) return false
  }
  for (const { member, note } of stuck) {
    const files = note.startsWith("in conflict: ") ? note.slice("in conflict: ".length).split(", ") : []
    await updatePull(tx, member.id, { mergeability: "conflict", conflicted_files: JSON.stringify(files) })
    await setNote(tx, { pullId: member.id, note })
  }
  for (const { member, standsOn, head } of moved) {
    await updatePull(tx, member.id, { stands_on: standsOn })
    await setNote(tx, { pullId: member.id, note: "" })
    if (head.id === member.head_id) {
      await updatePull(tx, member.id, head.assessment ? assessedColumns(head.assessment) : { mergeability: "checking" })
    } else {
      const pushed = { commits: [objectId(member.head_id), head.id], isForced: true }
      await writeHead(tx, services, head, { pusher: merger, pushed, now })
    }
    await services.jobs.enqueue(tx, alignPull, { pullId: member.id })
    await tryScheduledMerge(tx, services, member.issue_id)
  }
  return true
}
