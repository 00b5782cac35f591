import { isMapping, type Members } from "../../../core/yaml.ts"
import { combinationsOf, MOST_JOBS } from "./matrix.ts"
import { readSource, type Source, WorkflowError } from "./source.ts"

/** A job as the workflow defines it, before its expressions are evaluated. */
export interface JobPlan {
  readonly key: string
  readonly needs: readonly string[]
  /** The unevaluated expression; "" for none. */
  readonly condition: string
  /** The workflow that it calls; "" for a job with steps. */
  readonly uses: string
  readonly definition: Members
}

export interface Workflow {
  /** "" where it has none. */
  readonly name: string
  /** The events that start it, with their filters. */
  readonly events: ReadonlyMap<string, Members>
  /** The unparsed entries of its schedule. */
  readonly schedule: readonly unknown[]
  /** The members besides the jobs, as written. */
  readonly members: Members
  /** None where there is an error. */
  readonly jobs: readonly JobPlan[]
  /** How many jobs there are, counting those of a matrix that is written out. */
  readonly size: number
  /** Why it can't be run, with the place in its text; "" where it can. */
  readonly error: string
}

/**
 * Reads the text of a workflow; nothing is evaluated. One that is wrong has an `error`. Where not even its events can be read it counts as
 * one that pushes start, so that its author is told.
 */
export function readWorkflow(text: string): Workflow {
  let source: Source
  try {
    source = readSource(text)
  } catch (error) {
    if (error instanceof WorkflowError) return unreadable(error.message)
    throw error
  }
  const { members: file, placeOf } = source
  const { jobs: _, ...members } = file
  const name = textOr(file["name"])
  try {
    const events = eventsOf(file["on"])
    const read = { name, events, members }
    try {
      const jobs = jobsOf(file["jobs"])
      return { ...read, schedule: scheduleOf(file["on"]), jobs, size: sizeOf(jobs), error: "" }
    } catch (error) {
      return { ...read, schedule: [], jobs: [], size: 0, error: located(error, placeOf) }
    }
  } catch (error) {
    return { ...unreadable(located(error, placeOf)), name, members }
  }
}

/** A workflow that can't be read at all. */
export const unreadable = (error: string): Workflow => ({
  name: "",
  events: new Map([["push", {}]]),
  schedule: [],
  members: {},
  jobs: [],
  size: 0,
  error,
})

function located(error: unknown, placeOf: Source["placeOf"]): string {
  if (!(error instanceof WorkflowError)) throw error
  const place = placeOf(error.path)
  return place === "" ? error.message : `${place}: ${error.message}`
}

export const textOr = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : ""

const textsOr = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(textOr) : textOr(value) === "" ? [] : [textOr(value)]

function scheduleOf(on: unknown): readonly unknown[] {
  const schedule = isMapping(on) ? on["schedule"] : undefined
  return Array.isArray(schedule) ? schedule : []
}

function eventsOf(on: unknown): ReadonlyMap<string, Members> {
  if (isMapping(on)) return new Map(Object.entries(on).map(([name, filters]) => [name, isMapping(filters) ? filters : {}]))
  const names = textsOr(on)
  if (names.length === 0) throw new WorkflowError("'on' names no event that starts it", ["on"])
  return new Map(names.map((name) => [name, {}]))
}

// --- jobs ------------------------------------------------------------------------------------------------------------------------

function jobsOf(jobs: unknown): readonly JobPlan[] {
  const declared = isMapping(jobs) ? Object.entries(jobs) : []
  if (declared.length === 0) throw new WorkflowError("it has no jobs", ["jobs"])
  if (declared.length > MOST_JOBS) throw new WorkflowError(`it has more than ${MOST_JOBS} jobs`, ["jobs"])
  const plans = declared.map(([key, job]) => planOf(key, job))
  requireOrder(plans)
  if (sizeOf(plans) > MOST_JOBS) throw new WorkflowError(`it has more than ${MOST_JOBS} jobs`, ["jobs"])
  return plans
}

const sizeOf = (plans: readonly JobPlan[]): number =>
  plans.reduce((sum, { definition }) => sum + Math.max(1, combinationsOf(definition["strategy"]).length), 0)

/** Members that a job which calls a workflow can't have. */
const NOT_OF_CALLS = ["steps", "runs-on", "container", "services"]

function planOf(key: string, job: unknown): JobPlan {
  const path = ["jobs", key]
  const wrong = (message: string, ...more: readonly string[]) => new WorkflowError(message, [...path, ...more])
  if (!/^[A-Za-z_][\w-]{0,99}$/.test(key))
    throw wrong(`'${key.slice(0, 100)}' is no id of a job: letters, digits, - and _, beginning with a letter or _`)
  if (!isMapping(job)) throw wrong(`the job '${key}' should be a mapping`)
  const uses = textOr(job["uses"])
  if (uses === "" && isMissing(job["runs-on"])) throw wrong(`the job '${key}' has no 'runs-on'`)
  if (uses === "" && job["uses"] !== undefined) throw wrong(`'uses' of the job '${key}' should be a text`, "uses")
  for (const name of uses === "" ? ["with", "secrets"] : NOT_OF_CALLS)
    if (job[name] !== undefined)
      throw wrong(
        `the job '${key}' ${uses === "" ? "has" : "calls a workflow, so it can't have"} '${name}'${uses === "" ? ", but calls no workflow" : ""}`,
        name,
      )
  const { steps } = job
  if (steps !== undefined && !(Array.isArray(steps) && steps.every(isMapping)))
    throw wrong(`'steps' of the job '${key}' should be a list of mappings`, "steps")
  const needs = job["needs"]
  if (needs !== undefined && needs !== null && (isMapping(needs) || textsOr(needs).some((needed) => needed === "")))
    throw wrong(`'needs' of the job '${key}' should be a text or a list of texts`, "needs")
  try {
    combinationsOf(job["strategy"])
  } catch (error) {
    throw error instanceof WorkflowError ? wrong(`${error.message} in the job '${key}'`, "strategy", ...error.path) : error
  }
  return { key, needs: [...new Set(textsOr(needs))], condition: textOr(job["if"]), uses, definition: job }
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)

/** Throws `WorkflowError` unless there is an order in which each job follows those that it needs. */
function requireOrder(jobs: readonly JobPlan[]): void {
  const keys = new Set(jobs.map(({ key }) => key))
  for (const { key, needs } of jobs) {
    const missing = needs.find((needed) => !keys.has(needed))
    if (missing !== undefined)
      throw new WorkflowError(`the job '${key}' needs '${missing.slice(0, 100)}', which is not there`, ["jobs", key, "needs"])
  }
  const placed = new Set<string>()
  for (let before = -1; placed.size > before; ) {
    before = placed.size
    for (const { key, needs } of jobs) if (needs.every((needed) => placed.has(needed))) placed.add(key)
  }
  const [first, ...others] = jobs.filter(({ key }) => !placed.has(key))
  if (first)
    throw new WorkflowError(
      `the job '${first.key}' can never start: it needs itself${others.length === 0 ? "" : `, by way of ${others.map(({ key }) => `'${key}'`).join(", ")}`}`,
      ["jobs", first.key, "needs"],
    )
}
