import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** Queries of the summaries of jobs. */

export const findSummaries = query("actions.findSummaries", (db, p: Params<{ jobIds: readonly number[] }>) =>
  db.selectFrom("action_summaries").selectAll().where("job_id", "in", p.jobIds).orderBy("job_id").orderBy("step"),
)

export const removeSummary = (tx: Transaction, { jobId, step }: { readonly jobId: number; readonly step: number }) =>
  tx.deleteFrom("action_summaries").where("job_id", "=", jobId).where("step", "=", step).execute()

/** Stores the summary of a step in place of an earlier one. */
export const writeSummary = (
  tx: Transaction,
  { jobId, step, content }: { readonly jobId: number; readonly step: number; readonly content: string },
) =>
  tx
    .insertInto("action_summaries")
    .values({ job_id: jobId, step, content })
    .onConflict((conflict) => conflict.columns(["job_id", "step"]).doUpdateSet({ content }))
    .execute()

export const removeSummariesOfJobs = (tx: Transaction, jobIds: readonly number[]) =>
  tx.deleteFrom("action_summaries").where(inList("action_summaries.job_id", jobIds)).execute()
