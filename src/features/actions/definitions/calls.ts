import { isMapping, type Members } from "../../../core/yaml.ts"
import { type Contexts, ExpressionError, evaluateAll, type Fuel } from "./expressions.ts"
import { WorkflowError } from "./source.ts"
import { type JobPlan, textOr, type Workflow } from "./workflow.ts"

/** Workflows that jobs call with `uses`. */

/** The most levels of workflows that call each other, below the first. */
export const MOST_LEVELS = 9

/** A called file as it is kept with the run, so that a later attempt has the same. */
export interface CalledFile {
  /** The members besides its jobs. */
  readonly members: Members
  readonly jobs: readonly JobPlan[]
  /** The files that its jobs call: their keys by the texts of `uses`. */
  readonly calls: Readonly<Record<string, string>>
  /** Why it can't be called; "" where it can. */
  readonly error: string
}

/** All files that a run may call, directly or through others. */
export interface CalledFiles {
  readonly calls: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, CalledFile>>
}

export const NO_CALLS: CalledFiles = { calls: {}, files: {} }

/** Which file a text of `uses` names: one of the calling file's own commit, or of another repository. */
export type CalledPath =
  | { readonly of: "commit"; readonly path: string }
  | { readonly of: "repository"; readonly owner: string; readonly name: string; readonly path: string; readonly ref: string }

const PATH = String.raw`\.(?:hearth|gitea|github)/workflows/(?:[^/@]+/)*[^/@]+\.ya?ml`

/** Reads a text of `uses`. Throws `WorkflowError` for anything else. */
export function readUses(uses: string, rootUrl: string): CalledPath {
  const own = new RegExp(`^\\./(${PATH})$`).exec(uses)
  if (own?.[1] !== undefined) return { of: "commit", path: own[1] }
  const there = uses.startsWith(`${rootUrl}/`) ? uses.slice(rootUrl.length + 1) : uses
  const [, owner, name, path, ref] = new RegExp(`^([^/@:]+)/([^/@:]+)/(${PATH})@(.+)$`).exec(there) ?? []
  if (owner === undefined || name === undefined || path === undefined || ref === undefined)
    throw new WorkflowError(
      `'uses: ${uses.slice(0, 200)}' names no workflow: ./.gitea/workflows/FILE, or OWNER/REPOSITORY/.gitea/workflows/FILE@REF; .hearth/workflows and .github/workflows will do as well`,
    )
  return { of: "repository", owner, name, path, ref }
}

/** A workflow as a called file. */
export function calledFile({ events, members, jobs, error }: Workflow, calls: CalledFile["calls"]): CalledFile {
  const callable = events.has("workflow_call")
  return { members, jobs, calls, error: error || (callable ? "" : "the workflow can't be called: it has no 'workflow_call' in 'on'") }
}

/** The called file with this error. */
export const notCallable = (error: string): CalledFile => ({ members: {}, jobs: [], calls: {}, error })

const callOf = ({ members }: CalledFile): Members => {
  const on = members["on"]
  const call = isMapping(on) ? on["workflow_call"] : undefined
  return isMapping(call) ? call : {}
}

const declared = (file: CalledFile, name: string): Readonly<Record<string, Members>> => {
  const members = callOf(file)[name]
  return Object.fromEntries(Object.entries(isMapping(members) ? members : {}).map(([key, about]) => [key, isMapping(about) ? about : {}]))
}

/** What a caller hands over. */
export interface Call {
  /** The key of the called file. */
  readonly file: string
  readonly inputs: Members
  /** Names of the caller's secrets by their names in the called workflow, or all of them under their own names. */
  readonly secrets: "inherit" | Readonly<Record<string, string>>
}

/**
 * The inputs that a called workflow gets: those handed over, and defaults. What it doesn't declare is passed over. Throws `WorkflowError`
 * for missing inputs and for those of another type, and `ExpressionError`.
 */
export function inputsOfCall(file: CalledFile, given: unknown, contexts: Contexts, fuel: Fuel): Members {
  const handed = evaluateAll(given ?? {}, contexts, fuel)
  if (!isMapping(handed)) throw new WorkflowError("'with' should be a mapping")
  return Object.fromEntries(
    Object.entries(declared(file, "inputs")).map(([name, about]) => {
      const type = textOr(about["type"])
      if (type !== "string" && type !== "boolean" && type !== "number")
        throw new WorkflowError(`the input '${name}' of the called workflow has no type: string, boolean or number`)
      if (Object.hasOwn(handed, name)) return [name, typed(name, type, handed[name])]
      if (about["required"] === true && about["default"] === undefined) throw new WorkflowError(`the input '${name}' is required`)
      return [name, about["default"] ?? EMPTY[type]]
    }),
  )
}

const EMPTY = { string: "", boolean: false, number: 0 } as const

function typed(name: string, type: keyof typeof EMPTY, value: unknown): unknown {
  if (type === "string" && (typeof value === "string" || typeof value === "number" || typeof value === "boolean")) return String(value)
  if (type === "string" && value === null) return ""
  if (type === "number" && textOr(value).trim() !== "" && Number.isFinite(Number(value))) return Number(value)
  if (type === "boolean" && (value === true || value === "true")) return true
  if (type === "boolean" && (value === false || value === "false")) return false
  throw new WorkflowError(`the input '${name}' should be a ${type}: ${JSON.stringify(value).slice(0, 100)}`)
}

/** The secrets that a called workflow gets. Throws `WorkflowError` for anything but names of secrets, and for missing ones. */
export function secretsOfCall(file: CalledFile, given: unknown): Call["secrets"] {
  if (given === "inherit") return "inherit"
  const wanted = declared(file, "secrets")
  const handed = given ?? {}
  if (!isMapping(handed)) throw new WorkflowError("'secrets' should be 'inherit' or a mapping")
  for (const [name, about] of Object.entries(wanted))
    if (about["required"] === true && !Object.hasOwn(handed, name)) throw new WorkflowError(`the secret '${name}' is required`)
  return Object.fromEntries(
    Object.entries(handed).map(([name, value]) => {
      if (!Object.hasOwn(wanted, name)) throw new WorkflowError(`the called workflow declares no secret '${name.slice(0, 100)}'`)
      const [, secret] = /^\s*\$\{\{\s*secrets\.([A-Za-z_]\w*)\s*\}\}\s*$/.exec(textOr(value)) ?? []
      if (secret === undefined) throw new WorkflowError(`the secret '${name}' should be one of the caller's, and nothing else`)
      return [name, secret.toUpperCase()]
    }),
  )
}

/** The outputs of a called workflow, from those of its jobs. Throws `ExpressionError`. */
export function outputsOfCall(file: CalledFile, contexts: Contexts, fuel: Fuel): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(declared(file, "outputs")).map(([name, about]) => {
      const value = evaluateAll(about["value"], contexts, fuel)
      return [name, typeof value === "object" && value !== null ? JSON.stringify(value) : textOr(value)]
    }),
  )
}

/** Runs `work`; what is wrong with a call or an expression is given to `otherwise` as a message for its author. */
export function explaining<Result>(work: () => Result, otherwise: (message: string) => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof WorkflowError) return otherwise(error.message)
    throw error
  }
}
