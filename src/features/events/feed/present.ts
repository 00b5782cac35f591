import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { presentRepositories } from "../../code/repositories/present.ts"
import { findRepositoriesByIds, usersById } from "../../code/repositories/store.ts"
import { presentUser } from "../../people/users/present.ts"
import type { User } from "../../people/users/records.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import type { ActivityRow } from "./feed.ts"
import { isActivityKind } from "./kinds.ts"
import type { Activity, ActivityComment } from "./records.ts"
import { findFeedComments } from "./store.ts"

type Comment = Awaited<ReturnType<typeof findFeedComments>>[number]

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
  const comments = new Map(
    commentIds.length === 0 ? [] : (await findFeedComments(db, { ids: commentIds })).map((comment) => [comment.id, comment]),
  )
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
        comment: comment ? presentComment(repo.html_url, comment) : null,
        ref_name: row.ref_name,
        is_private: row.is_private === 1,
        content: row.content,
        created: rfc3339(row.created_at),
      },
    ]
  })
}

function presentComment(repositoryPage: string, comment: Comment): ActivityComment {
  const page = issueUrl(repositoryPage, comment)
  return {
    id: comment.id,
    html_url: `${page}#issuecomment-${comment.id}`,
    pull_request_url: comment.is_pull === 1 ? page : "",
    issue_url: comment.is_pull === 1 ? "" : page,
    user: null,
    original_author: "",
    original_author_id: 0,
    body: comment.content,
    assets: [],
    created_at: rfc3339(comment.created_at),
    updated_at: rfc3339(comment.updated_at),
  }
}
