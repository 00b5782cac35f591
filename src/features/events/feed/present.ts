import type { Owned } from "../../../access/permission.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { memoize } from "../../../core/memoize.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { withoutNew } from "../../code/pushes/content.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import { findRepositoriesByIds, usersById } from "../../code/repositories/store.ts"
import { presentUser } from "../../people/users/present.ts"
import { presentComments } from "../../planning/comments/present.ts"
import { type ActivityRow, type FeedComment, findFeedComments } from "./feed-store.ts"
import { type ActivityKind, isActivityKind } from "./kinds.ts"
import type { Activity } from "./records.ts"

/** An entry of a feed with what is shown of it, as rows. */
export interface ActivityView {
  readonly activity: ActivityRow
  readonly kind: ActivityKind
  readonly home: Owned
  /** Who did it; undefined where the account is deleted. */
  readonly doer: User | undefined
  readonly comment: (FeedComment & { readonly home: Owned }) | undefined
}

/**
 * Entries of a feed, in the order given. The caller of this function selects the entries that may be seen. The number of queries doesn't
 * grow with the list.
 */
export async function viewActivities(db: Handle, rows: readonly ActivityRow[]): Promise<readonly ActivityView[]> {
  if (rows.length === 0) return []
  const repositories = await findRepositoriesByIds(db, { ids: [...new Set(rows.map((row) => row.repository_id))] })
  const people = await usersById(db, [...rows.map((row) => row.actor_id), ...repositories.map((repository) => repository.owner_id)])
  const homes = new Map(
    repositories.flatMap((repository) => {
      const owner = people.get(repository.owner_id)
      return owner ? [[repository.id, { repository, owner }] as const] : []
    }),
  )
  const commentIds = rows.flatMap(({ comment_id }) => (comment_id === 0 ? [] : comment_id))
  const found = commentIds.length === 0 ? [] : await findFeedComments(db, { ids: commentIds })
  const comments = new Map(
    found.flatMap((comment) => {
      const home = homes.get(comment.repository_id)
      return home ? [[comment.id, { ...comment, home }] as const] : []
    }),
  )
  return rows.flatMap((activity) => {
    const home = homes.get(activity.repository_id)
    // Deleted between two queries, or written by a later version.
    if (!home || !isActivityKind(activity.op_type)) return []
    const { op_type: kind, actor_id, comment_id } = activity
    return [{ activity, kind, home, doer: people.get(actor_id), comment: comments.get(comment_id) }]
  })
}

/** The same as records, as the caller sees them. */
export async function presentActivities(db: Handle, site: Site, actor: Actor, rows: readonly ActivityRow[]): Promise<Activity[]> {
  const views = await viewActivities(db, rows)
  const records = await presentRepositories(db, site, actor, [...new Set(views.map(({ home }) => home))])
  const repositories = new Map(records.map((record) => [record.id, record]))
  const shown = new Map(views.flatMap(({ comment }) => (comment ? [[comment.id, comment] as const] : [])))
  const placeOf = ({ id }: { readonly id: number }) => {
    const comment = shown.get(id)
    return comment && { home: comment.home, issue: comment }
  }
  const comments = new Map((await presentComments(db, site, [...shown.values()], placeOf)).map((comment) => [comment.id, comment]))
  const doer = memoize((user: User) => presentUser(site, user, actor))
  return views.flatMap((view) => {
    const { activity } = view
    const repo = repositories.get(activity.repository_id)
    if (!repo) return []
    return [
      {
        id: activity.id,
        user_id: activity.receiver_id,
        op_type: view.kind,
        act_user_id: activity.actor_id,
        act_user: view.doer ? doer(view.doer) : null,
        repo_id: activity.repository_id,
        repo,
        comment_id: view.comment?.id ?? 0,
        comment: comments.get(activity.comment_id) ?? null,
        ref_name: activity.ref_name,
        is_private: activity.is_private === 1,
        content: withoutNew(activity.content),
        created: rfc3339(activity.created_at),
      },
    ]
  })
}
