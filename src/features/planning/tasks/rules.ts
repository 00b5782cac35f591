import type { OnComment } from "../../../access/policies/comments.ts"
import type { Issue, OnIssue } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { tickTask } from "../../../core/markup/markup.ts"
import type { Services } from "../../../core/services.ts"
import { editComment } from "../comments/rules.ts"
import { type CommentRow, findCommentsByIds } from "../comments/store.ts"
import { editIssue } from "../issues/edit.ts"
import { lockIssue } from "../issues/lock.ts"
import { findIssueById } from "../issues/store.ts"
import type { TickTaskOption } from "./records.ts"

/**
 * Ticking boxes in texts. The text is parsed outside of transactions; what is written is written only if the text is still the one that was parsed, and
 * otherwise the newer one is parsed, so that of two people who tick at once neither undoes what the other did.
 */

/** The opening text of an issue. Refuses `conflict` where the box isn't there, or it isn't clear which one is meant; otherwise as `editIssue`. */
export async function tickInIssue(services: Services, found: OnIssue & Me, option: TickTaskOption): Promise<Issue> {
  const find = (db: Handle) => findIssueById.first(db, { id: found.issue.id })
  return ticked(services.database, found.issue, option, find, (tx, body) => editIssue(tx, services, found, { body }))
}

/** A comment, or the text of a review. Refuses like `tickInIssue`, and as `editComment`. */
export async function tickInComment(services: Services, found: OnComment & Me, option: TickTaskOption): Promise<CommentRow> {
  const find = async (db: Handle) => (await findCommentsByIds(db, { ids: [found.comment.id] }))[0]
  return ticked(services.database, found.issue, option, find, (tx, text) => editComment(tx, services, found, text))
}

const MOST_TRIES = 10

/** Tries again as long as others write the same text meanwhile. */
async function ticked<Row extends { readonly content: string }>(
  database: Services["database"],
  issue: Issue,
  option: TickTaskOption,
  find: (db: Handle) => Promise<Row | undefined>,
  edit: (tx: Transaction, text: string) => Promise<Row>,
): Promise<Row> {
  let read = present(await find(database.read))
  for (let left = MOST_TRIES; left > 0; left--) {
    const { content } = read
    const text = await textWith(content, option)
    if (text === content) return read
    // What another transaction of the same group has written is seen here alone until the group is committed.
    read = await database.write(async (tx) => {
      await lockIssue(tx, issue)
      const current = present(await find(tx))
      return current.content === content ? edit(tx, text) : current
    })
    if (read.content === text) return read
  }
  throw CHANGED
}

function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw refuse.notFound()
  return row
}

const CHANGED = refuse.conflict(
  "the text has changed, and it is not clear any more which box is meant; look at it as it is now, and tick again",
)

async function textWith(text: string, { task, done }: TickTaskOption): Promise<string> {
  const made = await tickTask(text, task, done)
  if (made === undefined) throw CHANGED
  return made
}
