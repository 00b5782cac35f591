import type { ActionState } from "../../../core/database/tables/actions.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"

/** States of runs and jobs, and the status and conclusion that the API shows for them. */

type Status = "queued" | "waiting" | "in_progress" | "completed"
type Conclusion = "success" | "failure" | "cancelled" | "skipped"

const conclusionOf = (state: ActionState): Conclusion | undefined =>
  state === "success" || state === "failure" || state === "cancelled" || state === "skipped" ? state : undefined

/** Whether it has ended. */
export const isDone = (state: ActionState): boolean => conclusionOf(state) !== undefined

/** The API's status and conclusion for a state; the conclusion exists once it is completed. */
export function presentState(state: ActionState): { readonly status: Status; readonly conclusion?: Conclusion } {
  switch (state) {
    case "waiting":
      return { status: "queued" }
    case "blocked":
      return { status: "waiting" }
    case "running":
    case "cancelling":
      return { status: "in_progress" }
    default:
      return { status: "completed", conclusion: state }
  }
}

const DONE = ["success", "failure", "skipped", "cancelled"] as const satisfies readonly ActionState[]

/** The states that a filter value selects. */
const SELECTED: Readonly<Record<string, readonly ActionState[]>> = {
  pending: ["blocked"],
  waiting: ["blocked"],
  requested: ["blocked"],
  action_required: ["blocked"],
  queued: ["waiting"],
  in_progress: ["running"],
  completed: DONE,
  success: ["success"],
  failure: ["failure"],
  skipped: ["skipped"],
  neutral: ["skipped"],
  cancelled: ["cancelled"],
  timed_out: ["cancelled"],
}

export const STATUS_WORDS = Object.keys(SELECTED)

/** The states that any of the filter values selects, one on each line; undefined where none was given. Refuses `badRequest` unknown values. */
export function statesNamed(words: string | undefined): readonly ActionState[] | undefined {
  if (words === undefined) return undefined
  return words.split("\n").flatMap((word) => {
    const states = Object.hasOwn(SELECTED, word) ? SELECTED[word] : undefined
    if (!states) throw refuse.badRequest(t`invalid status ${word}: must be one of ${STATUS_WORDS.join(", ")}`)
    return states
  })
}

/** The state of a run or attempt, from its jobs; the first rule that matches. */
export function stateOf(jobs: readonly { readonly state: ActionState; readonly continue_on_error: number }[]): ActionState {
  const all = (fits: (job: (typeof jobs)[number]) => boolean) => jobs.every(fits)
  const any = (state: ActionState) => jobs.some((job) => job.state === state)
  if (jobs.length > 0 && all(({ state }) => state === "skipped")) return "skipped"
  if (all((job) => job.state === "skipped" || countsAsSuccess(job))) return "success"
  for (const state of ["cancelling", "running", "waiting", "blocked", "cancelled"] as const) if (any(state)) return state
  return "failure"
}

/** An allowed failure counts as success. */
export const countsAsSuccess = ({
  state,
  continue_on_error,
}: {
  readonly state: ActionState
  readonly continue_on_error: number
}): boolean => state === "success" || (state === "failure" && continue_on_error === 1)
