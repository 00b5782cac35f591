import type { Insertable } from "kysely"
import type { ActionJobsTable } from "../../../core/database/tables/actions.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import type { Members } from "../../../core/yaml.ts"
import { membersOf } from "../../../core/yaml.ts"
import { parseStrings } from "../../code/repositories/present.ts"
import {
  type CalledFile,
  type CalledFiles,
  explaining,
  inputsOfCall,
  MOST_LEVELS,
  notCallable,
  outputsOfCall,
  secretsOfCall,
} from "../definitions/calls.ts"
import { type LaidOutJob, layOut } from "../definitions/layout.ts"
import { MOST_JOBS } from "../definitions/matrix.ts"
import { type JobPermissions, permissionsFor } from "../definitions/permissions.ts"
import { type JobPlan, textOr } from "../definitions/workflow.ts"
import type { Board } from "./board.ts"
import { callOf, contextsOfJob } from "./known.ts"
import { needsAmong } from "./needs.ts"
import { callersOf } from "./progress.ts"
import type { Job, Run } from "./store.ts"

/** Makes rows of jobs: from a workflow, from a matrix that follows from outputs of other jobs, and from a called workflow. */

// Neither database stores NUL in a text.
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFD")

/** The maximum length of a job's name, in characters. */
const LONGEST_NAME = 255

/** The name of a job, which begins with that of the job that called it. */
const nameOf = (caller: Pick<Job, "name"> | undefined, name: string): string =>
  storable(
    Array.from(caller ? `${caller.name} / ${name}` : name)
      .slice(0, LONGEST_NAME)
      .join(""),
  )

/** What a job's row has from its layout. */
const columnsOf = ({
  key,
  name,
  needs,
  condition,
  labels,
  continueOnError,
  timeoutMinutes,
  definition,
  isUnexpanded,
  error,
}: LaidOutJob) => ({
  key,
  name: nameOf(undefined, name),
  needs: JSON.stringify(needs),
  condition: storable(condition),
  labels: JSON.stringify(labels),
  definition: JSON.stringify(definition),
  continue_on_error: flag(continueOnError),
  timeout_minutes: timeoutMinutes,
  is_unexpanded: flag(isUnexpanded),
  error: storable(error),
})

export interface JobsOf {
  readonly run: Pick<Run, "id" | "repository_id" | "attempt" | "is_untrusted">
  /** The members of its workflow besides the jobs. */
  readonly workflow: Members
  /** The keys of the files that its jobs call. */
  readonly calls: CalledFiles["calls"]
  /** The calling job, for jobs of a called workflow. */
  readonly caller?: Pick<Job, "id" | "name" | "permissions">
  readonly now: Seconds
}

/** The rows of the jobs of a workflow; blocked, except for those that can't be run. */
export const rowsOf = ({ run, workflow, calls, caller, now }: JobsOf, jobs: readonly LaidOutJob[]) =>
  jobs.map((job) => {
    const uses = textOr(job.definition["uses"])
    const most: JobPermissions | undefined = caller && JSON.parse(caller.permissions)
    const permissions = permissionsFor({ workflow, job: job.definition, isUntrusted: run.is_untrusted === 1, most })
    return {
      ...columnsOf(job),
      name: nameOf(caller, job.name),
      run_id: run.id,
      repository_id: run.repository_id,
      attempt: run.attempt,
      parent_id: caller?.id ?? 0,
      permissions: JSON.stringify(permissions),
      call: uses === "" ? "{}" : JSON.stringify({ file: calls[uses] ?? "" }),
      state: job.error === "" ? "blocked" : "failure",
      stopped_at: job.error === "" ? 0 : now,
      created_at: now,
      queued_at: 0,
    } satisfies Insertable<ActionJobsTable>
  })

export const planOf = ({ key, needs, condition, definition }: Job): JobPlan => {
  const members = membersOf(definition)
  return { key, needs: parseStrings(needs), condition, uses: textOr(members["uses"]), definition: members }
}

const tooMany = (board: Board, more: number): string | undefined =>
  board.jobs.length + more > MOST_JOBS ? `the run would have more than ${MOST_JOBS} jobs` : undefined

const fail = (board: Board, { id }: Job, error: string): void =>
  board.change(id, { state: "failure", error: storable(error), is_unexpanded: 0, stopped_at: board.services.now() })

/** Lays a job out whose needed jobs have ended: its row becomes the first of its combinations. */
export async function layOutLate(board: Board, job: Job): Promise<boolean> {
  const needs = needsAmong(board.jobs, job)
  const laidOut = layOut(planOf(job), { ...(await board.contextsFor(job)), needs }, board.fuel)
  const [first, ...more] = laidOut
  const problem = tooMany(board, more.length) ?? first?.error
  if (!first || problem) {
    fail(board, job, problem ?? "")
    return true
  }
  const caller = callersOf(board.jobs, job).at(-1)
  const laidOutAs = (one: LaidOutJob) => ({ ...columnsOf(one), name: nameOf(caller, one.name) })
  board.change(job.id, laidOutAs(first))
  const { id: _, ...row } = job
  await board.add(more.map((one) => ({ ...row, ...laidOutAs(one) })))
  return true
}

/** The file that a job calls. */
function fileOf({ run }: Board, job: Job): CalledFile {
  const { files }: CalledFiles = JSON.parse(run.called)
  return files?.[callOf(job)?.file ?? ""] ?? notCallable("the workflow that it calls is not there")
}

/** Makes the jobs of the workflow that a job calls; the job fails with the reason where it can't be called. */
export async function callWorkflow(board: Board, job: Job): Promise<void> {
  const file = fileOf(board, job)
  const key = callOf(job)?.file ?? ""
  const definition = membersOf(job.definition)
  const known = contextsOfJob(await board.contextsFor(job), needsAmong(board.jobs, job), definition)
  const call = explaining(
    () => {
      if (file.error !== "") return file.error
      if (callersOf(board.jobs, job).length >= MOST_LEVELS) return `workflows call each other over more than ${MOST_LEVELS} levels`
      return {
        file: key,
        inputs: inputsOfCall(file, definition["with"], known, board.fuel),
        secrets: secretsOfCall(file, definition["secrets"]),
      }
    },
    (message) => message,
  )
  if (typeof call === "string") return fail(board, job, call)
  const contexts = await board.contexts({ inputs: call.inputs })
  const laidOut = file.jobs.flatMap((plan) => layOut(plan, contexts, board.fuel))
  const problem = tooMany(board, laidOut.length)
  if (problem) return fail(board, job, problem)
  board.change(job.id, { call: JSON.stringify(call) })
  const { run, services } = board
  await board.add(rowsOf({ run, workflow: file.members, calls: file.calls, caller: job, now: services.now() }, laidOut))
}

/** What a job has put out that called a workflow whose jobs have ended; a failure where that can't be evaluated. */
export async function finishCall(board: Board, job: Job, called: readonly Job[]): Promise<Partial<Job>> {
  const everyKey = { needs: JSON.stringify(called.map(({ key }) => key)), parent_id: job.id }
  const contexts = await board.contexts({ inputs: callOf(job)?.inputs })
  return explaining<Partial<Job>>(
    () => ({
      outputs: JSON.stringify(outputsOfCall(fileOf(board, job), { ...contexts, jobs: needsAmong(board.jobs, everyKey) }, board.fuel)),
    }),
    (message) => ({ state: "failure", error: storable(message) }),
  )
}
