import type { OnComment } from "../../../access/policies/comments.ts"
import type { Issue, OnIssue } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { tickTask } from "../../../core/markup/markup.ts"
import type { Services } from "../../../core/services.ts"
import { editComment } from "../comments/rules.ts"
import { type CommentRow, findCommentsByIds } from "../comments/store.ts"
import { editIssue } from "../issues/edit.ts"
import { findIssueById } from "../issues/store.ts"
import type { TickTaskOption } from "./records.ts"

/**
 * Ticking boxes in texts. The text is parsed outside of transactions; what is written is written only if the text is still the one that was parsed, and
 * otherwise parsed again, so that of two people who tick at once neither undoes what the other did.
 */

/** The opening text of an issue. Refuses `conflict` where the box isn't there, or it isn't clear which one is meant; otherwise as `editIssue`. */
export async function tickInIssue(services: Services, found: OnIssue & Me, option: TickTaskOption): Promise<Issue> {
  const { database } = services
  return tried(async () => {
    const issue = await findIssueById.first(database.read, { id: found.issue.id })
    if (!issue) throw refuse.notFound()
    const body = await textWith(issue.content, option)
    if (body === issue.content) return issue
    return database.write((tx) => editIssue(tx, services, found, { body, content_version: issue.content_version }))
  })
}

/** A comment, or the text of a review. Refuses like `tickInIssue`, and as `editComment`. */
export async function tickInComment(services: Services, found: OnComment & Me, option: TickTaskOption): Promise<CommentRow> {
  const { database } = services
  return tried(async () => {
    const [comment] = await findCommentsByIds(database.read, { ids: [found.comment.id] })
    if (!comment) throw refuse.notFound()
    const text = await textWith(comment.content, option)
    if (text === comment.content) return comment
    return database.write((tx) => editComment(tx, services, found, text, comment.content))
  })
}

const MOST_TRIES = 10

/** Again, as long as others write the same text meanwhile. */
async function tried<Row>(act: () => Promise<Row>): Promise<Row> {
  for (let left = MOST_TRIES; ; left--)
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== "conflict" || error === CHANGED || left === 0) throw error
    }
}

const CHANGED = refuse.conflict(
  "the text has changed, and it is not clear any more which box is meant; look at it as it is now, and tick again",
)

async function textWith(text: string, { task, done }: TickTaskOption): Promise<string> {
  const made = await tickTask(text, task, done)
  if (made === undefined) throw CHANGED
  return made
}
