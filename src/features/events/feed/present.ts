import type { Owned } from "../../../access/permission.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import { findRepositoriesByIds, usersById } from "../../code/repositories/store.ts"
import { presentUser } from "../../people/users/present.ts"
import type { User } from "../../people/users/records.ts"
import { presentComments } from "../../planning/comments/present.ts"
import type { Comment } from "../../planning/comments/records.ts"
import { type ActivityRow, findFeedComments } from "./feed-store.ts"
import { isActivityKind } from "./kinds.ts"
import type { Activity } from "./records.ts"

/** The comments of entries, by their ids. */
async function commentsById(
  db: Handle,
  site: Site,
  ids: readonly number[],
  owned: readonly Owned[],
): Promise<ReadonlyMap<number, Comment>> {
  if (ids.length === 0) return new Map()
  const homes = new Map(owned.map((home) => [home.repository.id, home]))
  const rows = await findFeedComments(db, { ids })
  const places = new Map(
    rows.flatMap((row) => {
      const home = homes.get(row.repository_id)
      return home ? [[row.id, { home, issue: row }] as const] : []
    }),
  )
  const comments = await presentComments(db, site, rows, ({ id }) => places.get(id))
  return new Map(comments.map((comment) => [comment.id, comment]))
}

/**
 * Entries of a feed as the caller sees them, in the order given. The caller of this function selects the entries that may be seen. The
 * number of queries doesn't grow with the list.
 */
export async function presentActivities(db: Handle, site: Site, actor: Actor, rows: readonly ActivityRow[]): Promise<Activity[]> {
  if (rows.length === 0) return []
  const rowsOfRepositories = await findRepositoriesByIds(db, { ids: [...new Set(rows.map((row) => row.repository_id))] })
  const people = await usersById(db, [...rows.map((row) => row.actor_id), ...rowsOfRepositories.map((repository) => repository.owner_id)])
  const owned = rowsOfRepositories.flatMap((repository) => {
    const owner = people.get(repository.owner_id)
    return owner ? [{ repository, owner }] : []
  })
  const records = await presentRepositories(db, site, actor, owned)
  const repositories = new Map(records.map((record) => [record.id, record]))
  const actors = new Map<number, User>()
  for (const { actor_id } of rows) {
    const user = people.get(actor_id)
    if (user && !actors.has(user.id)) actors.set(user.id, presentUser(site, user, actor))
  }
  const commentIds = rows.flatMap(({ comment_id }) => (comment_id === 0 ? [] : comment_id))
  const comments = await commentsById(db, site, commentIds, owned)
  return rows.flatMap((row) => {
    const repo = repositories.get(row.repository_id)
    // Deleted between two queries, or written by a later version.
    if (!repo || !isActivityKind(row.op_type)) return []
    const comment = comments.get(row.comment_id)
    return [
      {
        id: row.id,
        user_id: row.receiver_id,
        op_type: row.op_type,
        act_user_id: row.actor_id,
        act_user: actors.get(row.actor_id) ?? null,
        repo_id: row.repository_id,
        repo,
        comment_id: comment ? comment.id : 0,
        comment: comment ?? null,
        ref_name: row.ref_name,
        is_private: row.is_private === 1,
        content: row.content,
        created: rfc3339(row.created_at),
      },
    ]
  })
}
