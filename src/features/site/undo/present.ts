import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Deletion } from "../../code/deletions/store.ts"
import { usersById } from "../../code/repositories/store.ts"
import { findIssuesByIds } from "../../planning/issues/store.ts"
import type { DeletedThing } from "./records.ts"

/** Deletions as records, a whole list at a time. Their contents are never part of them. */
export async function presentDeletions(db: Handle, { config }: Services, rows: readonly Deletion[]): Promise<readonly DeletedThing[]> {
  const users = await usersById(db, [...new Set(rows.map(({ actor_id }) => actor_id))])
  const comments = rows.filter(({ kind }) => kind === "comment")
  const issues = comments.length === 0 ? [] : await findIssuesByIds(db, { ids: [...new Set(comments.map(({ issue_id }) => issue_id))] })
  const numbers = new Map(issues.map(({ id, number }) => [id, number]))
  return rows.map((row) => {
    const by = users.get(row.actor_id)
    return {
      id: row.id,
      kind: row.kind,
      name: row.name,
      number: row.kind === "comment" ? (numbers.get(row.issue_id) ?? 0) : row.number,
      subject_id: row.subject_id,
      commit_id: row.commit_id,
      deleted_by: by ? { id: by.id, login: by.name } : null,
      deleted_at: rfc3339(row.created_at),
      restorable_until: rfc3339(row.created_at + config.undo.keepSeconds),
      bytes: row.row_bytes + row.file_bytes,
    }
  })
}
