import { t } from "../language/message.ts"
import { openWorker } from "../worker.ts"
import type { Resolve } from "./rendering.ts"
import type { Question, Targets, Task, ToThread } from "./thread.ts"

export interface Renderer {
  /**
   * HTML, or undefined for a text that is to be shown as it is written: one that is too much, or that takes too long. Refuses `busy` where too many
   * are waiting; callers get their turns fairly.
   */
  render(task: Task, resolve: Resolve | undefined): Promise<string | undefined>
}

/** The slowest text takes about a second. */
const DEADLINE_MS = 10_000

export function openRenderer(deadlineMs = DEADLINE_MS): Renderer {
  const worker = openWorker<ToThread, Question, ToThread, string | undefined>({
    name: "rendering",
    what: t("texts"),
    module: "core/markup/thread",
    memoryMb: 512,
    queue: 1024,
    waitMs: 2 * DEADLINE_MS,
  })
  const lookUp = async (mentions: Question, resolve: Resolve | undefined): Promise<Targets> => (await resolve?.(mentions)) ?? []
  return {
    render: (task, resolve) =>
      worker.run(task, deadlineMs, async (mentions) => ({ kind: "targets", targets: await lookUp(mentions, resolve) })),
  }
}
