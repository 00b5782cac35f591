import type { Selectable } from "kysely"
import { type Actor, actorId, isSiteAdministrator } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import type { CommentsTable } from "../../core/database/tables/issues.ts"
import { refuse } from "../../core/errors.ts"
import { type Access, pathNumber, type Request } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { findCommentById, findIssueById } from "../store.ts"
import { admitIssue, type OnIssue, onIssues, onIssuesSignedIn, openForChange, requireWriting } from "./issues.ts"
import type { OnRepository } from "./repositories.ts"
import type { Me } from "./site.ts"

/** An entry of an issue's timeline; comments are one kind of it. */
export type Comment = Selectable<CommentsTable>

/** An issue and one of the entries of its timeline. */
export interface OnComment extends OnIssue {
  readonly comment: Comment
}

/** Whether an entry belongs to a review that is not submitted yet. */
export const isDraft = ({ kind }: Pick<Comment, "kind">): boolean => kind === "review_draft" || kind === "code_draft"

/** Whether the caller may see an entry of an issue that they may read: a draft is visible to its author only. */
export const seesEntry = (actor: Actor, entry: Pick<Comment, "kind" | "author_id">): boolean =>
  !isDraft(entry) || entry.author_id === actorId(actor) || isSiteAdministrator(actor)

/**
 * The entry of that id, if it belongs to the repository, its issue is of a kind that the caller may read, and it is not another user's draft;
 * otherwise refuses `notFound`.
 */
async function locateComment<Found extends OnRepository>({ db, actor, path }: Request, found: Found): Promise<Found & OnComment> {
  const comment = await findById(db, pathNumber(path.id))
  const issue = admitIssue(found, comment && (await findIssueById.first(db, { id: comment.issue_id })))
  if (!comment || !seesEntry(actor, comment)) throw refuse.notFound()
  return { ...found, issue, comment }
}

const findById = async (db: Handle, id: number): Promise<Comment | undefined> => (id === 0 ? undefined : findCommentById.first(db, { id }))

/** The timeline entry of the path's {id}, for callers who may read its issue. */
export const onComment: Access<OnComment> = {
  rule: { subject: "repository", needs: "comment:read", signIn: "optional" },
  open: async (request) => locateComment(request, await onIssues.open(request)),
}

/** Like `onComment`, for those who have signed in. */
export const onCommentSignedIn: Access<OnComment & Me> = {
  rule: { subject: "repository", needs: "comment:read", signIn: "required" },
  open: async (request) => locateComment(request, await onIssuesSignedIn.open(request)),
}

/** The timeline entry of the path's {id}, to be changed by its author or callers who may write to its issue. */
export const onCommentAsAuthor: Access<OnComment & Me> = {
  rule: { subject: "repository", needs: "comment:author", signIn: "required" },
  open: async (request) => {
    const found = await locateComment(request, await openForChange(request))
    if (found.comment.author_id !== found.me.id) requireWriting(found, found.issue)
    return found
  },
}

/** The timeline entry of the path's {id}, for its author and for administrators, as long as they may write to its issue. */
export const onCommentAsWritingAuthor: Access<OnComment & Me> = {
  rule: { subject: "repository", needs: "comment:writingAuthor", signIn: "required" },
  open: async (request) => {
    const found = await locateComment(request, await openForChange(request))
    requireWriting(found, found.issue)
    if (found.comment.author_id !== found.me.id && found.permission.mode < Mode.admin)
      throw refuse.forbidden("only the comment's author and administrators of the repo may do this")
    return found
  },
}

/** The timeline entry of the path's {id}, for its author and for administrators of the repository. */
export const onCommentAsAuthorOrAdministrator: Access<OnComment & Me> = {
  rule: { subject: "repository", needs: "comment:authorOrAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await locateComment(request, await openForChange(request))
    if (found.comment.author_id !== found.me.id && found.permission.mode < Mode.admin)
      throw refuse.forbidden("only the comment's author and administrators of the repo may do this")
    return found
  },
}
