import type { Transaction } from "../../../core/database/database.ts"
import { deleteFound } from "../../../core/database/deletion.ts"
import { lockRows } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { type Flag, flag, type Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { dueAt } from "./due.ts"
import type { CreateMilestoneOption, EditMilestoneOption } from "./records.ts"
import type { Milestone } from "./store.ts"

/** Creates a milestone of a repository, open or closed. Several may have the same title. */
export function createMilestone(tx: Transaction, repositoryId: number, options: CreateMilestoneOption, now: Seconds): Promise<Milestone> {
  const { title = "", description = "", state, due_on } = options
  const isClosed = flag(state === "closed")
  return tx
    .insertInto("milestones")
    .values({
      repository_id: repositoryId,
      title: title.trim(),
      description,
      is_closed: isClosed,
      closed_at: isClosed === 1 ? now : 0,
      due_at: due_on === undefined ? 0 : dueAt(due_on),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Changes the given members of a milestone. One that is closed already keeps the time at which it was closed. Refuses `notFound` where it
 * is gone.
 */
export async function editMilestone(
  tx: Transaction,
  milestone: Pick<Milestone, "id">,
  options: EditMilestoneOption,
  now: Seconds,
): Promise<Milestone> {
  const { description, state, due_on } = options
  const title = options.title?.trim() ?? ""
  const isClosed: Flag | undefined = state ? flag(state === "closed") : undefined
  const edited = await tx
    .updateTable("milestones")
    .set((eb) => ({
      ...(title !== "" && { title }),
      ...(description !== undefined && { description }),
      ...(due_on !== undefined && { due_at: due_on === null ? 0 : dueAt(due_on) }),
      ...(isClosed !== undefined && {
        is_closed: isClosed,
        closed_at: eb
          .case()
          .when("is_closed", "=", isClosed)
          .then(eb.ref("closed_at"))
          .else(isClosed === 1 ? now : 0)
          .end(),
      }),
      updated_at: now,
    }))
    .where("id", "=", milestone.id)
    .returningAll()
    .executeTakeFirst()
  if (!edited) throw refuse.notFound()
  return edited
}

/** Deletes a milestone. Its issues then have none, without entries in their timelines. Refuses `notFound` where it is gone. */
export async function deleteMilestone(tx: Transaction, milestone: Pick<Milestone, "id">): Promise<void> {
  await deleteFound(tx.deleteFrom("milestones").where("id", "=", milestone.id))
}

const countIssues = query("milestones.countIssues", (db, p: Params<{ ids: readonly number[]; now: number }>) =>
  db
    .updateTable("milestones")
    .set((eb) => {
      const counted = (isClosed: Flag) =>
        eb
          .selectFrom("issues")
          .select((count) => count.fn.countAll<number>().as("total"))
          .whereRef("issues.milestone_id", "=", "milestones.id")
          .where("issues.is_closed", "=", isClosed)
      return { open_issues_count: counted(0), closed_issues_count: counted(1), updated_at: p.now }
    })
    .where("id", "in", p.ids),
)

/**
 * Recounts the open and the closed issues and pull requests of these milestones; null is ignored, since an issue may have no milestone.
 * Must be called whenever an issue of theirs is created, closed, reopened, moved or deleted.
 */
export async function recountMilestones(tx: Transaction, ids: readonly (number | null)[], now: Seconds): Promise<void> {
  const real = ids.filter((id) => id !== null)
  if (real.length === 0) return
  // Locked first, so that the count also includes what others committed while it waited.
  await lockRows(tx, "milestones", real)
  await countIssues(tx, { ids: real, now })
}
