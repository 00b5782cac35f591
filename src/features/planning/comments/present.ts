import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Flag } from "../../../core/database/tables/index.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { inListOf } from "../../../core/text/bytes.ts"
import { type AttachmentRow, presentAttachment } from "../../code/attachments/present.ts"
import { findAttachmentsOfComments } from "../../code/attachments/store.ts"
import { usersById } from "../../code/repositories/store.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import type { User as UserRecord } from "../../people/users/records.ts"
import type { Comment } from "./records.ts"
import type { CommentRow } from "./store.ts"

/** The issue that a comment belongs to, with its repository. */
export interface CommentLocation {
  readonly home: Owned
  readonly issue: { readonly number: number; readonly is_pull: Flag }
}

/**
 * Comments in the order given, each with the location that `locationOf` gives; one without a location is left out. Always two queries.
 * Users are shown as anonymous callers see them.
 */
export async function presentComments(
  db: Handle,
  site: Site,
  comments: readonly CommentRow[],
  locationOf: (comment: CommentRow) => CommentLocation | undefined,
): Promise<Comment[]> {
  if (comments.length === 0) return []
  const attachments = await attachmentsOf(db, comments)
  const authors = await usersById(
    db,
    comments.map((comment) => comment.author_id),
  )
  const author = publicUserPresenter(site)
  return comments.flatMap((comment) => {
    const place = locationOf(comment)
    if (!place) return []
    const user = author(authors.get(comment.author_id) ?? standIn(comment.author_id))
    return [
      presentComment(site, place, { ...comment, content: inListOf(comments, comment.content) }, user, attachments.get(comment.id) ?? []),
    ]
  })
}

/** One comment of a given issue. */
export async function presentOne(db: Handle, site: Site, place: CommentLocation, comment: CommentRow): Promise<Comment> {
  const [record] = await presentComments(db, site, [comment], () => place)
  if (!record) throw new TypeError("one comment gives one record")
  return record
}

export function presentComment(
  site: Site,
  place: CommentLocation,
  comment: CommentRow,
  user: UserRecord,
  attachments: readonly AttachmentRow[],
): Comment {
  return {
    id: comment.id,
    ...commentAddresses(site, place, comment.id),
    user,
    original_author: comment.original_author,
    original_author_id: comment.original_author_id,
    body: comment.content,
    assets: attachments.map((attachment) => presentAttachment(site, attachment)),
    created_at: rfc3339(comment.created_at),
    updated_at: rfc3339(comment.updated_at),
    ...(comment.made_with !== "" && { made_with: comment.made_with }),
  }
}

/** The URLs of a timeline entry and of the issue or pull request that it belongs to. */
export function commentAddresses(site: Site, { home: { owner, repository }, issue }: CommentLocation, id: number) {
  const isPull = issue.is_pull === 1
  const page = `${site.rootUrl}/${owner.name}/${repository.name}/${isPull ? "pulls" : "issues"}/${issue.number}`
  return { html_url: `${page}#issuecomment-${id}`, pull_request_url: isPull ? page : "", issue_url: isPull ? "" : page }
}

/** The attachments of each comment, by its id. */
export async function attachmentsOf(db: Handle, comments: readonly CommentRow[]): Promise<ReadonlyMap<number, readonly AttachmentRow[]>> {
  const issueIds = [...new Set(comments.map((comment) => comment.issue_id))]
  const rows = await findAttachmentsOfComments(db, { issueIds, commentIds: comments.map(({ id }) => id) })
  return Map.groupBy(rows, (row) => row.comment_id)
}

/** Presents users as anonymous callers see them. Each is presented once, since the same few users write most comments. */
export function publicUserPresenter(site: Site): (user: User) => UserRecord {
  const known = new Map<number, UserRecord>()
  return (user) => {
    const seen = known.get(user.id)
    if (seen) return seen
    const made = presentUser(site, user)
    known.set(user.id, made)
    return made
  }
}
