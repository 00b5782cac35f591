import type { Selectable } from "kysely"
import type { User } from "../../core/actor.ts"
import type { DeletionKind, DeletionsTable } from "../../core/database/tables/undo.ts"
import { refuse } from "../../core/errors.ts"
import { pathNumber, type Request } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { unitMode } from "../permission.ts"
import { findDeletionById } from "../store.ts"
import { plansIn } from "./planning.ts"
import type { OnRepository } from "./repositories.ts"
import type { Me } from "./site.ts"

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

/** The deletion of the path's {id} in a repository. Refuses `notFound` one of another place, and `forbidden` callers who may not restore it. */
export async function deletionToRestore(call: Request & OnRepository & Me): Promise<Deleted> {
  const deletion = await deletionIn(call)
  if (!restorableKinds(call).includes(deletion.kind) && !isOwnComment(deletion, call.me)) throw refuse.forbidden("you may not restore this")
  return deletion
}

/** The same, whoever may restore it. */
export const deletionIn = (call: Request & OnRepository): Promise<Deleted> => locateDeletion(call, isIn(call))

/** The deletion of the path's {id}: a repository of an account, or a label of an organisation. Refuses `notFound` one of another owner. */
export const deletionOf = (request: Request, owner: User): Promise<Deleted> =>
  locateDeletion(request, ({ owner_id, kind, repository_id }) => owner_id === owner.id && (kind === "repository" || repository_id === null))

/** Any, also one whose time is over and that is about to be removed. */
export async function anyDeletion({ db, path }: Request): Promise<Deleted> {
  const deletion = await findDeletionById.first(db, { id: pathNumber(path.id), since: 0 })
  if (!deletion) throw refuse.notFound()
  return deletion
}
