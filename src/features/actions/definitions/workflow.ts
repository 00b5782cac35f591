import { isMapping, type Members, readMapping, UnreadableYamlError } from "../../planning/issue-templates/yaml.ts"
import { combinationsOf, MOST_JOBS, matrixJobName, substitute } from "./matrix.ts"

/** A job as the workflow defines it, before it has run. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  /** The unevaluated expression; "" for none. */
  readonly condition: string
  /** The labels that a runner must have. */
  readonly labels: readonly string[]
  readonly continueOnError: boolean
  /** The unevaluated definition, with its matrix values under `matrix`. */
  readonly definition: Members
}

export interface Workflow {
  /** "" where it has none. */
  readonly name: string
  /** The title of its runs; "" where that follows from the event, or is only known when it runs. */
  readonly runName: string
  /** The events that start it, with their filters. */
  readonly events: ReadonlyMap<string, Members>
  /** The unparsed entries of its schedule. */
  readonly schedule: readonly unknown[]
  readonly jobs: readonly PlannedJob[]
}

/**
 * Reads the text of a workflow. Expressions are not evaluated, except for matrix values in names and labels. Throws `UnreadableYamlError`
 * for an invalid workflow: no jobs, jobs that need missing ones or each other, more than 256 jobs.
 */
export function readWorkflow(text: string): Workflow {
  const file = readMapping(text)
  const events = eventsOf(file["on"])
  const declared = isMapping(file["jobs"]) ? Object.entries(file["jobs"]) : []
  const jobs = declared.flatMap(([key, job]) => jobsOf(key, job))
  if (jobs.length === 0) throw new UnreadableYamlError("it has no jobs")
  if (jobs.length > MOST_JOBS) throw new UnreadableYamlError(`it has more than ${MOST_JOBS} jobs`)
  requireOrder(jobs)
  const runName = textOr(file["run-name"])
  return { name: textOr(file["name"]), runName: /\$\{\{/.test(runName) ? "" : runName, events, schedule: scheduleOf(file["on"]), jobs }
}

const textOr = (value: unknown): string =>
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
  if (names.length === 0) throw new UnreadableYamlError("'on' names nothing")
  return new Map(names.map((name) => [name, {}]))
}

function jobsOf(key: string, job: unknown): readonly PlannedJob[] {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) throw new UnreadableYamlError(`'${key.slice(0, 100)}' is no id of a job`)
  if (!isMapping(job)) throw new UnreadableYamlError(`the job '${key}' should be a mapping`)
  const combinations = combinationsOf(job["strategy"])
  const planned = (combinations.length === 0 ? [{}] : combinations).map((combination): PlannedJob => {
    const runsOn = job["runs-on"]
    return {
      key,
      name: matrixJobName(textOr(job["name"]) || key, combination),
      needs: textsOr(job["needs"]),
      condition: textOr(job["if"]),
      labels: textsOr(isMapping(runsOn) ? runsOn["labels"] : runsOn).map((label) => substitute(label, combination)),
      continueOnError: job["continue-on-error"] === true,
      definition: Object.keys(combination).length === 0 ? job : { ...job, matrix: combination },
    }
  })
  return combinations.length < 2 ? planned : planned.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}

/** Throws `UnreadableYamlError` unless there is an order in which each job follows those that it needs. */
function requireOrder(jobs: readonly PlannedJob[]): void {
  const needs = new Map(jobs.map(({ key, needs: keys }) => [key, keys]))
  const placed = new Set<string>()
  for (let before = -1; placed.size > before; ) {
    before = placed.size
    for (const [key, keys] of needs) if (keys.every((needed) => placed.has(needed))) placed.add(key)
  }
  if (placed.size < needs.size) throw new UnreadableYamlError("its jobs need jobs that are not there, or each other")
}
