import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { DomainEvent } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import { findIssueById } from "../issues/store.ts"
import { type Edit, keepVersion } from "./rules.ts"

/** Keeps the text before each edit, by any user. Of drafts nothing is kept: their edits are no events. */
export const edits: Listener = {
  name: "edits",
  async hear({ tx, services, events }) {
    for (const event of events) {
      const edit = await editOf(tx, event, services.now())
      if (edit) await keepVersion(tx, edit)
    }
  },
}

/** What an event says of an edit; undefined where the text is the same as before. */
async function editOf(tx: Transaction, event: DomainEvent, now: Seconds): Promise<Edit | undefined> {
  if (event.kind === "comment.edited") {
    const { comment, from, actor, at } = event
    const { id, issue_id, author_id, created_at, content } = comment
    if (content === from) return undefined
    return { issueId: issue_id, commentId: id, from, authorId: author_id, createdAt: created_at, editorId: actor.id, at }
  }
  if (event.kind !== "issue.edited" || !event.changes.body) return undefined
  const { from } = event.changes.body
  const issue = await findIssueById.first(tx, { id: event.issue.id })
  if (!issue || issue.content === from) return undefined
  const { id, author_id, created_at } = issue
  return { issueId: id, commentId: null, from, authorId: author_id, createdAt: created_at, editorId: event.actor.id, at: event.at ?? now }
}
