import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { giveReleases } from "../../code/releases/store.ts"
import { GHOST } from "../../people/users/present.ts"
import { giveIssues } from "../../planning/issues/store.ts"
import { giveComments } from "../../planning/issues/timeline-store.ts"
import { insertReaction } from "../../planning/reactions/store.ts"
import { giveReviews } from "../../review/reviews/store.ts"
import { findImportedPerson, findThere, takeReactions, takeWaiting } from "./writers/people-store.ts"

/** The records that change in one transaction. */
const AT_ONCE = 200

/** Makes who has claimed a person the author of what is waiting for them, in batches. A second run finds nothing. */
export async function takeOver({ database }: Services, personId: number, signal: AbortSignal): Promise<void> {
  for (let isMore = true; isMore; ) {
    signal.throwIfAborted()
    isMore = await database.write((tx) => giveSome(tx, personId))
  }
}

async function giveSome(tx: Transaction, personId: number): Promise<boolean> {
  const person = await findImportedPerson.first(tx, { id: personId })
  const user = person && (await findUserById.first(tx, { id: person.user_id }))
  if (!user) return false
  const items = await takeWaiting(tx, personId, AT_ONCE)
  const of = (...kinds: readonly string[]) => items.flatMap(({ kind, local_id }) => (kinds.includes(kind) ? [local_id] : []))
  await giveIssues(tx, of("issues", "pull_requests"), user.id)
  await giveComments(tx, of("comments", "line_comments"), user.id)
  await giveComments(tx, of("reviews"), user.id, "reviews")
  await giveReviews(tx, of("reviews"), { nobodyId: GHOST.id, userId: user.id })
  await giveReleases(tx, of("releases"), user.id)
  const reactions = await takeReactions(tx, personId, AT_ONCE)
  const comments = await findThere(
    tx,
    reactions.flatMap(({ comment_id }) => (comment_id === 0 ? [] : [comment_id])),
  )
  const there = new Set([0, ...comments.map(({ id }) => id)])
  for (const { issue_id, comment_id, content, created_at } of reactions)
    if (there.has(comment_id))
      await insertReaction.first(tx, { issueId: issue_id, commentId: comment_id, userId: user.id, content, now: created_at })
  return items.length === AT_ONCE || reactions.length === AT_ONCE
}
