import { findRepositoryById } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { Runner } from "../runners/store.ts"
import { appendLog, type LogLine } from "../runs/logs.ts"
import { type Masks, workOfMasking } from "./masks.ts"
import { requireTask } from "./report.ts"

/** Lines of a task's log as its runner sends them. */
export interface LogReport {
  readonly taskId: number
  /** The number of the first line, from 0. */
  readonly index: number
  readonly lines: readonly LogLine[]
  readonly isLast: boolean
}

/**
 * Appends lines to the log of a runner's task, with what is confidential masked once more, and returns how many lines are stored. Refuses `notFound` for a
 * task that is not this runner's, and `conflict` for lines after the last.
 */
export async function reportLog(services: Services, masks: Masks, runner: Runner, { taskId, lines, ...part }: LogReport): Promise<number> {
  const task = await requireTask(services, runner, taskId)
  const repository = await findRepositoryById.first(services.database.read, { id: task.repository_id })
  if (!repository) throw refuse.notFound("the repository of this task is gone")
  const masked: LogLine[] = []
  if (lines.length > 0) {
    const { mask } = await masks.of(task)
    const work = workOfMasking(services)
    for (const line of lines) masked.push({ ...line, content: await mask(line.content, work) })
  }
  return appendLog(services, { repository, taskId, lines: masked, ...part })
}
