import type { OnIssue } from "../../../access/policies/issues.ts"
import type { Handle } from "../../../core/database/database.ts"
import { findEdited } from "../../../features/planning/edits/store.ts"
import { repositoryPath } from "../../../web/address.ts"

/** The path of the history of a text: of the opening text, or of a comment. The same for issues and pull requests. */
export const historyPath = (call: OnIssue, commentId: number | null): string =>
  `${repositoryPath(call)}/issues/${call.issue.number}${commentId === null ? "" : `/comments/${commentId}`}/history`

/** The paths of the histories of an issue's texts that were edited, by the ids of their comments; 0 is the opening text. One query. */
export async function historiesOf(db: Handle, call: OnIssue): Promise<ReadonlyMap<number, string>> {
  const edited = await findEdited(db, { issueId: call.issue.id })
  return new Map(edited.map(({ comment_id }) => [comment_id ?? 0, historyPath(call, comment_id)]))
}
