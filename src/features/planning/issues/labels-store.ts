import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { Tables } from "../../../core/database/tables/index.ts"

/**
 * Removes the labels that an organisation shares from the issues of one of its repositories and from their timelines, since they are lost
 * when the repository is transferred.
 */
export async function dropSharedLabels(tx: Transaction, repositoryId: number, organizationId: number): Promise<void> {
  const issues = tx.selectFrom("issues").select("id").where("repository_id", "=", repositoryId)
  const shared = tx.selectFrom("labels").select("id").where("organization_id", "=", organizationId)
  await tx.deleteFrom("issue_labels").where("issue_id", "in", issues).where("label_id", "in", shared).execute()
  await tx.deleteFrom("comments").where("issue_id", "in", issues).where("label_id", "in", shared).execute()
}

export const deleteIssueLabels = (
  tx: Transaction,
  { issueId, labelIds }: { readonly issueId: number; readonly labelIds: readonly number[] },
) => tx.deleteFrom("issue_labels").where("issue_id", "=", issueId).where(inList("issue_labels.label_id", labelIds)).execute()

export const insertIssueLabels = (tx: Transaction, rows: readonly Insertable<Tables["issue_labels"]>[]) =>
  tx.insertInto("issue_labels").values(rows).execute()
