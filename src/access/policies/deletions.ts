import type { Selectable } from "kysely"
import type { User } from "../../core/actor.ts"
import type { DeletionKind, DeletionsTable } from "../../core/database/tables/undo.ts"
import { refuse } from "../../core/errors.ts"
import { type Access, pathNumber, type Request } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { unitMode } from "../permission.ts"
import { findDeletionById } from "../store.ts"
import { type OnOrganization, onOrganizationAsOwner } from "./organizations.ts"
import { plansIn } from "./planning.ts"
import { type OnRepository, onRepositorySignedIn, refuseArchived } from "./repositories.ts"
import { type Me, signedIn, siteAdministrator } from "./site.ts"

/** Who may restore what was deleted: those who may delete such things now, whoever deleted it. */

export type Deleted = Omit<Selectable<DeletionsTable>, "content">

export interface OnDeletion {
  readonly deletion: Deleted
}

/** The kinds that the caller may restore in a repository, whoever deleted them. */
export function restorableKinds(found: OnRepository): readonly DeletionKind[] {
  const { permission, repository } = found
  const writes = (unit: "repo.code" | "repo.releases") => unitMode(permission, repository, unit) >= Mode.write
  return [
    ...(permission.mode >= Mode.admin ? (["issue", "pull"] as const) : []),
    ...(plansIn(found) ? (["comment", "label", "milestone"] as const) : []),
    ...(writes("repo.code") ? (["branch"] as const) : []),
    ...(writes("repo.releases") ? (["release"] as const) : []),
  ]
}

/** What somebody wrote and deleted themselves they may restore too; not what others deleted of theirs. */
const isOwnComment = ({ kind, author_id, actor_id }: Deleted, me: User): boolean =>
  kind === "comment" && author_id === me.id && actor_id === me.id

/** A deletion of that id, within its time, of which `isIt` holds; it is missing otherwise. */
async function locateDeletion({ db, path, services }: Request, isIt: (deletion: Deleted) => boolean): Promise<Deleted> {
  const { keepSeconds } = services.config.undo
  const found = await findDeletionById.first(db, { id: pathNumber(path.id), since: services.now() - keepSeconds })
  if (!found || keepSeconds === 0 || !isIt(found)) throw refuse.notFound()
  return found
}

const isIn =
  ({ repository }: OnRepository) =>
  (deletion: Deleted) =>
    deletion.repository_id === repository.id && deletion.kind !== "repository"

/** The deletion of the path's {id} in a repository, for those who may restore it. */
export const onDeletion: Access<OnRepository & OnDeletion & Me> = {
  rule: { subject: "repository", needs: "deletion:authorOrAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    refuseArchived(request, found)
    const deletion = await locateDeletion(request, isIn(found))
    if (!restorableKinds(found).includes(deletion.kind) && !isOwnComment(deletion, found.me))
      throw refuse.forbidden("you may not restore this")
    return { ...found, deletion }
  },
}

/** The same for those who may remove it for good. */
export const onDeletionAsAdministrator: Access<OnRepository & OnDeletion & Me> = {
  rule: { subject: "repository", needs: "deletion:administrator", signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    const deletion = await locateDeletion(request, isIn(found))
    if (found.permission.mode < Mode.admin) throw refuse.forbidden("only administrators of the repository may delete it for good")
    return { ...found, deletion }
  },
}

/** A repository, or a label of an organisation, that its owner deleted. */
const isOf = (owner: User) => (deletion: Deleted) =>
  deletion.owner_id === owner.id && (deletion.kind === "repository" || deletion.repository_id === null)

/** One's own. */
export const onMyDeletion: Access<OnDeletion & Me> = {
  rule: { subject: "site", needs: "signIn", signIn: "required" },
  open: async (request) => {
    const found = await signedIn.open(request)
    return { ...found, deletion: await locateDeletion(request, isOf(found.me)) }
  },
}

/** That of an organisation, for its owners. */
export const onOrganizationDeletion: Access<OnOrganization & OnDeletion & Me> = {
  rule: onOrganizationAsOwner.rule,
  open: async (request) => {
    const found = await onOrganizationAsOwner.open(request)
    return { ...found, deletion: await locateDeletion(request, isOf(found.organization)) }
  },
}

/** Any, for administrators of the site, also one whose time is over and that is about to be removed. */
export const onAnyDeletion: Access<OnDeletion & Me> = {
  rule: siteAdministrator.rule,
  open: async (request) => {
    const found = await siteAdministrator.open(request)
    const deletion = await findDeletionById.first(request.db, { id: pathNumber(request.path.id), since: 0 })
    if (!deletion) throw refuse.notFound()
    return { ...found, deletion }
  },
}
