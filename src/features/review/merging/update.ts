import { Mode } from "../../../access/modes.ts"
import { permissionOn } from "../../../access/permission.ts"
import { locateRepositoryById, type OnRepository } from "../../../access/policies/repositories.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { isChosenRepository } from "../../../core/limited-token.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isGitError, type ObjectId, type Repository } from "../../../git/index.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { findProtection, mayForcePush, mayMerge, mayPush } from "../../code/protections/rules.ts"
import { codeMode } from "../../code/pushes/admission.ts"
import { pushFromServer } from "../../code/pushes/server-push.ts"
import { signerFor } from "../../code/signatures/signing.ts"
import { bringCommit } from "../pulls/refs.ts"
import type { Built } from "./build.ts"
import type { Merging } from "./checks.ts"
import { type BranchUpdate, writeMergeCommit } from "./merge-commit.ts"

/** Brings the head of a pull request up to date with its base. */

export type UpdateStyle = "merge" | "rebase"

/**
 * Merges the base into the head branch, or rebases the head branch on it, and pushes the result to the head's repository.
 * Refuses as invalid a pull request that is merged, closed or up to date already, and a head whose branch is gone; `notFound` a head that the caller
 * may not know of; `forbidden` a style that the repository doesn't allow, and callers who may neither push to the head branch nor, as someone who may
 * merge, act for its author; `conflict` a merge conflict, and a branch that keeps moving.
 */
export async function updateHead(services: Services, found: Merging, style: UpdateStyle): Promise<void> {
  const { git } = services
  const { pull, me, actor } = found
  const { on, head, from, tip } = await requireSides(services, found, style)
  if (await git.history.isAncestor(head, from, tip)) throw refuse.invalid("index", "the head branch is up to date already")
  const committer = commitPerson(services, me)
  const message = updateMessage(pull)
  const made =
    style === "rebase"
      ? await rebased(services, head, { from, tip, committer, user: me })
      : await writeMergeCommit(services, head, { from, tip, committer, user: me, message })
  const addedBytes = await git.objects.written(head, made.written)
  await pushFromServer(services, actor, on, [{ ref: branchRef(pull.head_branch), oldId: tip, newId: made.id }], { addedBytes })
}

/** The message of a commit that merges the base into the head. */
export const updateMessage = ({ base_branch, head_branch }: Merging["pull"]): string =>
  `Merge branch '${base_branch}' into ${head_branch}\n`

/** The branches of a pull request as they are now. */
export interface Sides {
  /** The head's repository, for the caller or for the author whom they act for. */
  readonly on: OnRepository
  /** The same in git; it has the objects of the base too. */
  readonly head: Repository
  /** The commit of the base. */
  readonly from: ObjectId
  /** The commit of the head. */
  readonly tip: ObjectId
}

/** Finds both branches for someone who may bring the head up to date in this way. Refuses as `updateHead` does before it makes commits. */
export async function requireSides(services: Services, found: Merging, style: UpdateStyle): Promise<Sides> {
  const { git } = services
  const { repository: row, issue, pull } = found
  if (pull.is_merged === 1 || issue.is_closed === 1) throw refuse.invalid("index", "a pull request that is merged or closed is not updated")
  const on = await requireUpdater(services, found, style)
  const base = git.at(row.storage, row.object_format)
  const head = git.at(on.repository.storage, on.repository.object_format)
  const from = await git.references.resolve(base, branchRef(pull.base_branch))
  const tip = await git.references.resolve(head, branchRef(pull.head_branch))
  if (from === undefined || tip === undefined) throw refuse.invalid("index", "the pull request's base or head branch is gone")
  await bringCommit(services, { repository: base, id: from }, head)
  return { on, head, from, tip }
}

async function rebased(services: Services, repository: Repository, { from, tip, committer, user }: BranchUpdate): Promise<Built> {
  const { git } = services
  const sign = await signerFor(services, { purpose: "merges", user, repository, committer, parents: [from, tip] })
  try {
    const rebase = await git.merging.rebase(repository, { onto: from, upstream: from, head: tip, committer, sign })
    if (rebase.kind === "done") return { id: rebase.head, written: rebase.commits }
    if (rebase.kind === "unfit") throw refuse.invalid("index", t`the rebase would be refused in a push: ${rebase.reason}`)
    throw refuse.conflict(t`commit ${rebase.commit} can't be applied to the base: ${rebase.files.slice(0, 20).join(", ")}`)
  } catch (error) {
    if (isGitError(error, "tooLarge")) throw refuse.tooLarge("too many commits to rebase")
    throw error
  }
}

/** The head's repository with the caller's permission, or with the author's where the caller may act for them. */
async function requireUpdater(services: Services, found: Merging, style: UpdateStyle): Promise<OnRepository> {
  const { repository, pull, me } = found
  const allowed = style === "rebase" ? repository.allow_rebase_update : repository.allow_merge_update
  if (allowed === 0) throw refuse.forbidden(t`the repository doesn't allow to update by ${style}`)
  const own = await findHeadRepository(services, found)
  if (own && (await mayUpdate(services, own, pull.head_branch, me, style))) return own
  const authors = pull.allow_maintainer_edit === 1 ? await findAsAuthor(services, found) : undefined
  if (authors && (await mayUpdate(services, authors.on, pull.head_branch, authors.author, style))) return authors.on
  if (!own) throw refuse.notFound()
  throw refuse.forbidden("you may not push to the head branch")
}

/** Whether a user with the permission in `on` may change a branch in this way. */
async function mayUpdate({ database }: Services, on: OnRepository, branch: string, user: User, style: UpdateStyle): Promise<boolean> {
  if (codeMode(on) < Mode.write) return false
  const protection = await findProtection(database.read, on.repository.id, branch)
  if (!protection) return true
  return (style === "rebase" ? mayForcePush : mayPush)(database.read, protection, on, user)
}

/** The head's repository for the caller; undefined where it is gone or out of reach. */
async function findHeadRepository(
  { database }: Services,
  { repository, owner, permission, pull, actor }: Merging,
): Promise<OnRepository | undefined> {
  if (pull.head_repository_id === repository.id) return { repository, owner, permission }
  if (pull.head_repository_id === null) return undefined
  try {
    return await locateRepositoryById(database.read, actor, pull.head_repository_id)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** The head's repository with the permission of the pull request's author, if the caller may merge the pull request. */
async function findAsAuthor({ database }: Services, found: Merging): Promise<{ on: OnRepository; author: User } | undefined> {
  const db = database.read
  const { repository, pull, issue, me } = found
  const protection = await findProtection(db, repository.id, pull.base_branch)
  if (pull.head_repository_id === null || !(await mayMerge(db, protection, found, me))) return undefined
  const row = await findRepositoryById.first(db, { id: pull.head_repository_id })
  const owner = row && (await findUserById.first(db, { id: row.owner_id }))
  const author = await findUserById.first(db, { id: issue.author_id })
  if (!row || !owner || !author || !isChosenRepository(found.actor, row)) return undefined
  const owned = { repository: row, owner }
  return { on: { ...owned, permission: await permissionOn(db, signedInAs(author), owned) }, author }
}
