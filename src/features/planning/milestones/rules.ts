import type { User } from "../../../core/actor.ts"
import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRows } from "../../../core/database/lock.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import type { CreateMilestoneOption, EditMilestoneOption } from "./records.ts"
import { countIssues, deleteMilestoneById, insertMilestone, lockMilestone, type Milestone, updateMilestone } from "./store.ts"

/**
 * The due time for an RFC 3339 text: the end of its date in UTC; time of day and offset are ignored. The year 1, which some clients send
 * for "none", gives 0.
 */
export function dueAt(text: string): Seconds {
  const day = text.slice(0, 10)
  return day.startsWith("0001-") ? 0 : Math.floor(Date.parse(`${day}T23:59:59Z`) / 1000)
}

/** Creates a milestone of a repository, open or closed. Several may have the same title. Refuses as `invalid` a blank title, or none. */
export async function createMilestone(
  tx: Transaction,
  repositoryId: number,
  actor: User,
  options: CreateMilestoneOption,
  now: Seconds,
): Promise<Milestone> {
  const { description = "", state, due_on } = options
  const title = options.title?.trim() ?? ""
  // Documents don't require it, since clients know it as optional.
  if (title === "") throw refuse.invalid("title", "a milestone needs a title that is not blank")
  const isClosed = flag(state === "closed")
  const milestone = await insertMilestone(tx, {
    repository_id: repositoryId,
    title,
    description,
    is_closed: isClosed,
    closed_at: isClosed === 1 ? now : 0,
    due_at: due_on === undefined ? 0 : dueAt(due_on),
    created_at: now,
    updated_at: now,
  })
  publish(tx, { kind: "milestone.created", repositoryId, milestone, actor, at: now })
  return milestone
}

/** Changes the given members of a milestone. Refuses `notFound` where the repository has none. */
export async function editMilestone(
  tx: Transaction,
  repositoryId: number,
  actor: User,
  idOrTitle: string,
  options: EditMilestoneOption,
  now: Seconds,
): Promise<Milestone> {
  const milestone = await requireLocked(tx, repositoryId, idOrTitle)
  const { description, state, due_on } = options
  const { is_closed, ...others } = differencesFrom(milestone, {
    title: options.title?.trim() || undefined,
    description,
    due_at: due_on === undefined ? undefined : due_on === null ? 0 : dueAt(due_on),
    is_closed: state ? flag(state === "closed") : undefined,
  })
  const changed = Object.keys(others)
  if (changed.length === 0 && is_closed === undefined) return milestone
  const event = { repositoryId, milestone, actor, at: now }
  if (changed.length > 0) publish(tx, { kind: "milestone.edited", ...event, changed })
  if (is_closed !== undefined) publish(tx, { kind: is_closed === 1 ? "milestone.closed" : "milestone.reopened", ...event })
  return updateMilestone(tx, milestone.id, {
    ...others,
    ...(is_closed !== undefined && { is_closed, closed_at: is_closed === 1 ? now : 0 }),
    updated_at: now,
  })
}

/** Deletes a milestone. Its issues then have none, without entries in their timelines. Refuses `notFound` where the repository has none. */
export async function deleteMilestone(
  tx: Transaction,
  { events }: Pick<Services, "events">,
  repositoryId: number,
  actor: User,
  idOrTitle: string,
): Promise<number> {
  const milestone = await requireLocked(tx, repositoryId, idOrTitle)
  publish(tx, { kind: "milestone.deleted", repositoryId, milestone, actor })
  await events.deliver(tx)
  await deleteMilestoneById(tx, milestone.id)
  return milestone.id
}

async function requireLocked(tx: Transaction, repositoryId: number, idOrTitle: string): Promise<Milestone> {
  const milestone = await lockMilestone(tx, repositoryId, idOrTitle)
  if (!milestone) throw refuse.notFound()
  return milestone
}

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
