import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import { publish } from "../../../core/events/publish.ts"
import { bindFiles, type WrittenText } from "../../code/attachments/unbound.ts"
import { findIssueById } from "../issues/store.ts"

/** Binds files that were sent before their text to the texts that name them: of issues and pull requests, of comments and of reviews. */
export const attachedFiles: Listener = {
  name: "attached files",
  async hear({ tx, events }) {
    for (const event of events)
      for (const written of await textsOf(tx, event))
        for (const attachment of await bindFiles(tx, written)) {
          const { repositoryId, issueId, commentId, authorId } = written
          const issue = { id: issueId, repository_id: repositoryId }
          publish(tx, { kind: "attachment.added", attachment, actor: { id: authorId }, issue, commentId: commentId || null })
        }
  },
}

/** The texts that were written or changed. Who changed a text of someone else binds their own files to it. */
async function textsOf(tx: Transaction, event: DomainEvent): Promise<readonly WrittenText[]> {
  switch (event.kind) {
    case "issue.opened":
      return [textOf(event, 0, event.issue.content)]
    case "issue.edited":
      return event.changes.body ? [textOf(event, 0, await bodyOf(tx, event.issue.id))] : []
    case "comment.created":
    case "comment.edited":
      return [textOf(event, event.comment.id, event.comment.content)]
    case "review.submitted":
      return [event.header, ...event.lines].map(({ id, content }) => textOf(event, id, content))
    default:
      return []
  }
}

interface OfIssue {
  readonly issue: { readonly id: number; readonly repository_id: number }
  readonly actor: { readonly id: number }
}

const textOf = ({ issue, actor }: OfIssue, commentId: number, text: string): WrittenText => ({
  repositoryId: issue.repository_id,
  issueId: issue.id,
  commentId,
  authorId: actor.id,
  text,
})

async function bodyOf(tx: Transaction, id: number): Promise<string> {
  const row = await findIssueById.first(tx, { id })
  return row?.content ?? ""
}
