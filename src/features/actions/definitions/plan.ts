import { isMapping, type Members } from "../../../core/yaml.ts"
import { explaining } from "./calls.ts"
import { type Contexts, type Fuel, hasExpression, interpolate } from "./expressions.ts"
import { type Concurrency, concurrencyOf, type LaidOutJob, layOut } from "./layout.ts"
import { MOST_JOBS } from "./matrix.ts"
import { WorkflowError } from "./source.ts"
import { textOr, type Workflow } from "./workflow.ts"

/** What becomes of a workflow when it is started. */

export interface Plan {
  /** The title that the workflow gives its runs; "" where that follows from the event. */
  readonly title: string
  readonly concurrency: Concurrency
  readonly jobs: readonly LaidOutJob[]
  /** Why it can't be run; "" where it can. */
  readonly error: string
}

const NO_CONCURRENCY: Concurrency = { group: "", cancelsRunning: false }

/** The members of jobs that are evaluated when a run is made. */
const OF_JOBS = ["name", "strategy", "runs-on", "continue-on-error", "timeout-minutes"]

/** Whether something is to be evaluated that names contexts, when the workflow is started. */
export const isOpenWorkflow = ({ members, jobs }: Workflow): boolean =>
  containsExpression([
    members["run-name"],
    members["concurrency"],
    ...jobs.map(({ definition }) => OF_JOBS.map((name) => definition[name])),
  ])

const containsExpression = (value: unknown): boolean =>
  typeof value === "string"
    ? hasExpression(value)
    : typeof value === "object" && value !== null && Object.values(value).some(containsExpression)

/** Evaluates what is known when a workflow is started. */
export function planOfWorkflow(workflow: Workflow, contexts: Contexts, fuel: Fuel): Plan {
  const failed = (error: string): Plan => ({ title: "", concurrency: NO_CONCURRENCY, jobs: [], error })
  if (workflow.error !== "") return failed(workflow.error)
  return explaining<Plan>(() => {
    const title = interpolate(textOr(workflow.members["run-name"]), contexts, fuel)
    const concurrency = concurrencyOf(workflow.members["concurrency"], contexts, fuel)
    const jobs = workflow.jobs.flatMap((plan) => layOut(plan, contexts, fuel))
    if (jobs.length > MOST_JOBS) throw new WorkflowError(`it has more than ${MOST_JOBS} jobs`)
    return { title, concurrency, jobs, error: "" }
  }, failed)
}

/** The concurrency of a workflow again, for its next attempt. It has none where it can't be evaluated any more. */
export const concurrencyAgain = (members: Members, contexts: Contexts, fuel: Fuel): Concurrency =>
  explaining(
    () => concurrencyOf(members["concurrency"], contexts, fuel),
    () => NO_CONCURRENCY,
  )

/** Whether a job waits for nothing but a runner, so that it need not be looked at again. */
export const startsAtOnce = ({ needs, definition, error }: LaidOutJob): boolean => {
  const { strategy } = definition
  const isLimited = isMapping(strategy) && strategy["max-parallel"] !== undefined
  return error === "" && needs.length === 0 && definition["uses"] === undefined && definition["concurrency"] === undefined && !isLimited
}
