import { sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"

/** The oldest milestone of the repository that has the same title. */
const sameMilestone = (milestone: ReturnType<typeof sql.ref>, repositoryId: number) =>
  sql`(select min(other.id) from milestones join milestones as other on other.title = milestones.title
    where milestones.id = ${milestone} and other.repository_id = ${repositoryId})`

/** Gives an issue its new repository and number. What names something of the former repository is not kept. */
export const moveIssue = (
  tx: Transaction,
  { repositoryId, number, now, id }: { readonly repositoryId: number; readonly number: number; readonly now: number; readonly id: number },
) =>
  tx
    .updateTable("issues")
    .set({
      repository_id: repositoryId,
      number,
      milestone_id: sql<number | null>`${sameMilestone(sql.ref("issues.milestone_id"), repositoryId)}`,
      ref: "",
      pin_order: 0,
      updated_at: now,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** References to an issue lead to its new repository. */
export const moveReferences = (tx: Transaction, { repositoryId, issueId }: { readonly repositoryId: number; readonly issueId: number }) =>
  tx.updateTable("comments").set({ ref_repository_id: repositoryId }).where("ref_issue_id", "=", issueId).execute()

/** Entries of a timeline about labels are about those of the same names that the new repository has; others are not kept. */
export async function moveLabelEntries(
  tx: Transaction,
  { issueId, repositoryId, ownerId }: { readonly issueId: number; readonly repositoryId: number; readonly ownerId: number },
): Promise<void> {
  const isUsable = (label: string) =>
    sql`(${sql.ref(`${label}.repository_id`)} = ${repositoryId} or ${sql.ref(`${label}.organization_id`)} = ${ownerId})`
  const same = sql`(select min(other.id) from labels join labels as other on other.name = labels.name
    where labels.id = comments.label_id and ${isUsable("other")})`
  const isForeign = sql`label_id is not null and label_id not in (select labels.id from labels where ${isUsable("labels")})`
  await sql`delete from comments where issue_id = ${issueId} and ${isForeign} and ${same} is null`.execute(tx)
  await sql`update comments set label_id = ${same} where issue_id = ${issueId} and ${isForeign}`.execute(tx)
}

/** Entries of a timeline about milestones are about those of the same titles that the new repository has. */
export const moveMilestoneEntries = (
  tx: Transaction,
  { issueId, repositoryId }: { readonly issueId: number; readonly repositoryId: number },
) =>
  sql`update comments set milestone_id = ${sameMilestone(sql.ref("comments.milestone_id"), repositoryId)},
      old_milestone_id = ${sameMilestone(sql.ref("comments.old_milestone_id"), repositoryId)}
    where issue_id = ${issueId} and kind = 'milestone'`.execute(tx)
