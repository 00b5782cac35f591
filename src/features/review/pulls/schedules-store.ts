import { type Params, query } from "../../../core/database/query.ts"
import type { Flag } from "../../../core/database/tables/types.ts"

export const findScheduledAround = query(
  "merge.findScheduledAround",
  (db, p: Params<{ repositoryId: number; branches: readonly string[] }>) =>
    db
      .selectFrom("pull_schedules")
      .innerJoin("pulls", "pulls.id", "pull_schedules.pull_id")
      .select("pulls.id")
      .where("pulls.is_merged", "=", 0)
      .where((eb) =>
        eb.or([
          eb.and([eb("pulls.repository_id", "=", p.repositoryId), eb("pulls.base_branch", "in", p.branches)]),
          eb.and([eb("pulls.head_repository_id", "=", p.repositoryId), eb("pulls.head_branch", "in", p.branches)]),
        ]),
      )
      .orderBy("pulls.id"),
)

export const findSchedule = query("merge.findSchedule", (db, p: Params<{ pullId: number }>) =>
  db.selectFrom("pull_schedules").selectAll().where("pull_id", "=", p.pullId),
)

export const insertSchedule = query(
  "merge.insertSchedule",
  (db, p: Params<{ pullId: number; userId: number; style: string; message: string; deleteBranch: Flag; now: number }>) =>
    db
      .insertInto("pull_schedules")
      .values({
        pull_id: p.pullId,
        user_id: p.userId,
        style: p.style,
        message: p.message,
        delete_branch: p.deleteBranch,
        created_at: p.now,
      })
      .onConflict((conflict) => conflict.column("pull_id").doNothing()),
)

export const findScheduledByCommit = query("merge.findScheduledByCommit", (db, p: Params<{ repositoryId: number; commitId: string }>) =>
  db
    .selectFrom("pull_schedules")
    .innerJoin("pulls", "pulls.id", "pull_schedules.pull_id")
    .select("pulls.id")
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.head_id", "=", p.commitId)
    .where("pulls.is_merged", "=", 0)
    .orderBy("pulls.id"),
)

export const findScheduledByIssue = query("merge.findScheduledByIssue", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("pull_schedules")
    .innerJoin("pulls", "pulls.id", "pull_schedules.pull_id")
    .select("pulls.id")
    .where("pulls.issue_id", "=", p.issueId)
    .where("pulls.is_merged", "=", 0),
)

/** All pull requests with a scheduled merge. */
export const findScheduledIds = query("merge.findScheduledIds", (db) =>
  db.selectFrom("pull_schedules").select("pull_id").orderBy("pull_id"),
)

export const findScheduledIn = query("merge.findScheduledOfRepository", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("pull_schedules")
    .innerJoin("pulls", "pulls.id", "pull_schedules.pull_id")
    .select("pulls.id")
    .where("pulls.repository_id", "=", p.repositoryId)
    .orderBy("pulls.id"),
)

/** Removes the schedule; `changes` of the result says whether there was one. */
export const removeSchedule = query("merge.removeSchedule", (db, p: Params<{ pullId: number }>) =>
  db.deleteFrom("pull_schedules").where("pull_id", "=", p.pullId),
)

/** Gives a row while the push of a merge is under way, which can't be stopped any more. */
export const findMergeUnderWay = query("merge.findUnderWay", (db, p: Params<{ pullId: number }>) =>
  db
    .selectFrom("pulls")
    .innerJoin("jobs", "jobs.id", "pulls.merge_entry")
    .select("pulls.id")
    .where("pulls.id", "=", p.pullId)
    .where("jobs.state", "in", ["waiting", "running"]),
)
