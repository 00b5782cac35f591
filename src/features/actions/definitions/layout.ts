import { isMapping, type Members } from "../../../core/yaml.ts"
import {
  type Contexts,
  ExpressionError,
  evaluate,
  evaluateAll,
  type Fuel,
  hasExpression,
  interpolate,
  names,
  requireCondition,
  spend,
} from "./expressions.ts"
import { type Combination, combinationsOf, matrixJobName } from "./matrix.ts"
import { WorkflowError } from "./source.ts"
import { type JobPlan, textOr } from "./workflow.ts"

/** What the server evaluates of a job: its matrix, and for each combination its name, labels and limits. */

export interface LaidOutJob {
  readonly key: string
  readonly name: string
  readonly needs: readonly string[]
  readonly condition: string
  /** The labels that a runner must have. */
  readonly labels: readonly string[]
  readonly continueOnError: boolean
  /** 0 for the site's limit. */
  readonly timeoutMinutes: number
  /** The unevaluated definition, with the values of its combination under `matrix`. */
  readonly definition: Members
  /** It names outputs of needed jobs, so that it is laid out once they have ended. */
  readonly isUnexpanded: boolean
  /** Why it can't be run; "" where it can. */
  readonly error: string
}

/** The contexts that conditions can name: runners evaluate some, and know more. */
const OF_CONDITIONS = ["github", "needs", "vars", "inputs", "matrix", "strategy", "env", "secrets", "gitea", "runner", "job", "steps"]
/** Those that the server knows when it evaluates conditions. */
const OF_SERVER = ["github", "gitea", "needs", "vars", "inputs", "matrix", "strategy"]

/** The members of a job that are evaluated before it is queued. */
const EVALUATED = ["name", "strategy", "runs-on", "continue-on-error", "timeout-minutes"]

/** Characters of definitions that are stored for one of fuel: 32 MB for all jobs together. */
const STORED_FOR_FUEL = 4

const unevaluated = ({ key, needs, condition, definition }: JobPlan): LaidOutJob => ({
  key,
  name: key,
  needs,
  condition,
  labels: [],
  continueOnError: false,
  timeoutMinutes: 0,
  definition,
  isUnexpanded: false,
  error: "",
})

/** Whether a job's layout depends on what the jobs before it put out. */
export const dependsOnNeeds = ({ needs, definition }: JobPlan): boolean =>
  needs.length > 0 && EVALUATED.some((member) => names(definition[member], "needs"))

/**
 * The jobs of a plan, one for each combination of its matrix, by name. While `needs` is not among the contexts, a job that names it is kept
 * as one that is to be laid out later. What can't be evaluated makes one job with an error.
 */
export function layOut(plan: JobPlan, contexts: Contexts, fuel: Fuel): readonly LaidOutJob[] {
  try {
    requireCondition(plan.condition, plan.needs.length > 0 || plan.uses !== "" ? OF_SERVER : OF_CONDITIONS)
    if (!("needs" in contexts)) {
      if (dependsOnNeeds(plan)) return [{ ...unevaluated(plan), name: rawName(plan), isUnexpanded: true }]
      return layOut(plan, { ...contexts, needs: {} }, fuel)
    }
    const strategy = strategyOf(plan.definition, contexts, fuel)
    const combinations = combinationsOf(strategy)
    // Each job is stored with its definition.
    const size = JSON.stringify(plan.definition).length * Math.max(1, combinations.length)
    spend(fuel, size / STORED_FOR_FUEL, "the jobs of this workflow are too large together")
    if (combinations.length === 0) return [jobOf(plan, contexts, undefined, fuel)]
    return combinations
      .map((combination, index) => {
        const context = { ...strategyContext(strategy), "job-index": index, "job-total": combinations.length }
        return jobOf(plan, { ...contexts, matrix: combination, strategy: context }, combination, fuel)
      })
      .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof WorkflowError)
      return [{ ...unevaluated(plan), name: rawName(plan), error: error.message }]
    throw error
  }
}

/** The name of a job that is not laid out: its own without expressions, or its key. */
const rawName = ({ key, definition }: JobPlan): string => {
  const name = textOr(definition["name"])
  return name === "" || hasExpression(name) ? key : name
}

function strategyOf(definition: Members, contexts: Contexts, fuel: Fuel): Members | undefined {
  const strategy = evaluateAll(definition["strategy"], contexts, fuel)
  if (strategy === undefined || strategy === null) return undefined
  if (!isMapping(strategy)) throw new WorkflowError("'strategy' should be a mapping")
  return strategy
}

/** How the combinations of a strategy depend on each other. */
export interface Limits {
  readonly isFailFast: boolean
  /** The most that run at once; 0 for no limit. */
  readonly maxParallel: number
}

const limitsOf = (strategy: Members | undefined): Limits => {
  const most = Number(textOr(strategy?.["max-parallel"]) || 0)
  if (!Number.isInteger(most) || most < 0) throw new WorkflowError("'max-parallel' should be a number")
  return { isFailFast: textOr(strategy?.["fail-fast"]) !== "false", maxParallel: most }
}

function strategyContext(strategy: Members | undefined): Members {
  const { isFailFast, maxParallel } = limitsOf(strategy)
  return { "fail-fast": isFailFast, "max-parallel": maxParallel }
}

/** The limits of the matrix of a job that is laid out. */
export function limitsIn(definition: Members): Limits {
  const { strategy } = definition
  return isMapping(definition["matrix"]) ? limitsOf(isMapping(strategy) ? strategy : undefined) : { isFailFast: false, maxParallel: 0 }
}

function jobOf(plan: JobPlan, contexts: Contexts, combination: Combination | undefined, fuel: Fuel): LaidOutJob {
  const { key, needs, condition, definition, uses } = plan
  const own = textOr(definition["name"])
  const evaluated = own === "" ? key : interpolate(own, contexts, fuel)
  const { strategy } = definition
  return {
    key,
    name: (hasExpression(own) || !combination ? evaluated : matrixJobName(evaluated, combination)) || key,
    needs,
    condition,
    labels: uses === "" ? labelsOf(evaluateAll(definition["runs-on"], contexts, fuel)) : [],
    continueOnError: isTrue(evaluate(definition["continue-on-error"], contexts, fuel)),
    timeoutMinutes: minutesOf(evaluate(definition["timeout-minutes"], contexts, fuel)),
    definition: combination
      ? { ...definition, strategy: { ...(isMapping(strategy) ? strategy : {}), ...strategyTexts(contexts) }, matrix: combination }
      : definition,
    isUnexpanded: false,
    error: "",
  }
}

/** The evaluated limits of a strategy. */
function strategyTexts({ strategy }: Contexts): Members {
  if (!isMapping(strategy)) return {}
  const { "fail-fast": failFast, "max-parallel": most } = strategy
  return { "fail-fast": failFast, ...(most === 0 ? {} : { "max-parallel": most }) }
}

const isTrue = (value: unknown): boolean => value === true || value === "true"

function labelsOf(runsOn: unknown): readonly string[] {
  const given = isMapping(runsOn) ? [runsOn["labels"], runsOn["group"]].flat() : [runsOn].flat()
  const labels = given.map(textOr).filter((label) => label !== "")
  if (labels.length === 0) throw new WorkflowError("'runs-on' names no label")
  return labels
}

function minutesOf(value: unknown): number {
  if (value === undefined || value === null) return 0
  const minutes = Number(value)
  if (!(minutes > 0) || textOr(value) === "")
    throw new WorkflowError(`'timeout-minutes' should be a number of minutes: ${textOr(value).slice(0, 100)}`)
  return Math.ceil(minutes)
}

/** The limits of a concurrency group. */
export interface Concurrency {
  /** "" for none. */
  readonly group: string
  readonly cancelsRunning: boolean
}

const LONGEST_GROUP = 400

/** The evaluated `concurrency` of a workflow or job. Throws `ExpressionError` and `WorkflowError`. */
export function concurrencyOf(written: unknown, contexts: Contexts, fuel: Fuel): Concurrency {
  if (written === undefined || written === null) return { group: "", cancelsRunning: false }
  const value = evaluateAll(written, contexts, fuel)
  const group = textOr(isMapping(value) ? value["group"] : value)
  if (group === "") throw new WorkflowError("'concurrency' names no group")
  if (group.length > LONGEST_GROUP)
    throw new WorkflowError(`the name of the group of 'concurrency' is longer than ${LONGEST_GROUP} characters`)
  return { group, cancelsRunning: isMapping(value) && isTrue(value["cancel-in-progress"]) }
}
