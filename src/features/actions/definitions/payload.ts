import { isMapping, type Members, membersOf } from "../../../core/yaml.ts"
import { parseStrings } from "../../code/repositories/present.ts"
import type { Job, Run } from "../runs/store.ts"

/** What runners are given of a workflow. */

export interface PayloadParts {
  readonly run: Pick<Run, "definition" | "title">
  readonly job: Pick<Job, "key" | "name" | "definition" | "labels" | "continue_on_error">
  /** Of a job of a called workflow, the members of the called file besides its jobs. */
  readonly called?: Members | undefined
}

/** Members of a workflow that the server has dealt with, or that would be those of another job. */
const OMITTED_FROM_WORKFLOW: ReadonlySet<string> = new Set(["jobs", "concurrency", "run-name"])
/** Members of a job that the server has dealt with. The runner learns the needed jobs by other means. */
const OMITTED_FROM_JOB: ReadonlySet<string> = new Set(["needs", "matrix", "strategy", "concurrency", "runs-on", "name"])

const without = (members: Members, names: ReadonlySet<string>): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)))

/**
 * The text of a workflow with this job alone, as runners read it: YAML, in the form of JSON. Its labels, matrix values, name and
 * `continue-on-error` are those of the job's row; what only the runner can evaluate is as it was written.
 */
export function payloadOf({ run, job, called }: PayloadParts): string {
  const workflow = called ?? membersOf(run.definition)
  const definition = membersOf(job.definition)
  const payload = {
    ...without(workflow, OMITTED_FROM_WORKFLOW),
    "run-name": run.title,
    jobs: { [job.key]: jobOf(job, definition) },
  }
  return yamlText(payload)
}

function jobOf(job: PayloadParts["job"], definition: Members): Members {
  const labels = parseStrings(job.labels)
  const strategy = strategyOf(definition)
  const minutes = definition["timeout-minutes"]
  return {
    name: job.name,
    "runs-on": labels.length === 1 ? labels[0] : labels,
    ...without(definition, OMITTED_FROM_JOB),
    ...(minutes === undefined ? {} : { "timeout-minutes": String(minutes) }),
    ...(strategy ? { strategy } : {}),
    ...("continue-on-error" in definition ? { "continue-on-error": job.continue_on_error === 1 } : {}),
  }
}

/** A strategy of one combination; undefined for a job without a matrix. */
function strategyOf(definition: Members): Members | undefined {
  const { strategy, matrix } = definition
  if (!isMapping(matrix)) return undefined
  const kept = isMapping(strategy) ? without(strategy, new Set(["matrix"])) : {}
  return {
    matrix: Object.fromEntries(Object.entries(matrix).map(([name, value]) => [name, [value]])),
    ...Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, String(value)])),
  }
}

/** YAML reads JSON, except for characters that it counts as line ends or refuses. */
const yamlText = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
