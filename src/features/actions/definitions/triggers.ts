import { refuse } from "../../../core/errors.ts"
import { compileGlob } from "../../../core/text/globs.ts"
import { branchOf, branchRef, type ChangedFile, type RefName, tagOf } from "../../../git/index.ts"
import { isMapping, type Members } from "../../planning/issue-templates/yaml.ts"
import { compilePattern } from "./patterns.ts"

/** What the filters of a trigger say of an event: a workflow that is left out for its branch or files is reported where it is required. */
export type Verdict = "starts" | "excluded" | "other"

/** What starts a workflow, for its filters. */
export interface Trigger {
  /** The types of activity; of several, one that matches is enough. None for an event without types. */
  readonly types?: readonly string[]
  /** Of a run: the name of its workflow, or its file, and the branch that it ran for; "" for none. */
  readonly workflow?: { readonly name: string; readonly file: string; readonly branch: string }
}

function textsIn(filters: Members, name: string): readonly string[] | undefined {
  const list = filters[name]
  if (typeof list === "string") return [list]
  return Array.isArray(list) ? list.map(String) : undefined
}

type Compile = typeof compilePattern
const compileType: Compile = (glob) => compileGlob(glob, { separator: "/" })

/** The most patterns of a list that are looked at, and the most changed files: a push waits while they are compared. */
const MOST_PATTERNS = 100
const MOST_PATHS = 1000

/** A function that tells whether patterns select a text. They are applied in order; those with an exclamation mark exclude. */
function selector(patterns: readonly string[], compile: Compile = compilePattern): (text: string) => boolean {
  const compiled = patterns.slice(0, MOST_PATTERNS).map((pattern) => {
    const negative = pattern.startsWith("!")
    return { negative, fits: compile(negative ? pattern.slice(1) : pattern) }
  })
  return (text) => {
    let is = false
    for (const { negative, fits } of compiled) if (negative === is && fits?.(text)) is = !negative
    return is
  }
}

const selected = (patterns: readonly string[], text: string, compile?: Compile): boolean => selector(patterns, compile)(text)

/** Whether a push trigger matches a reference: the filters of branches say nothing of tags, except that only branches are meant. */
export function startsOnRef(filters: Members, ref: RefName): boolean {
  const branch = branchOf(ref)
  const name = branch ?? tagOf(ref)
  if (name === undefined) return false
  const kind = branch === undefined ? "tags" : "branches"
  const wanted = textsIn(filters, kind)
  const unwanted = textsIn(filters, `${kind}-ignore`)
  const other = branch === undefined ? "branches" : "tags"
  if (!wanted && !unwanted) return !(textsIn(filters, other) ?? textsIn(filters, `${other}-ignore`))
  return (!wanted || selected(wanted, name)) && !(unwanted && selected(unwanted, name))
}

/** Whether a trigger depends on changed files. */
export const filtersPaths = (filters: Members): boolean =>
  textsIn(filters, "paths") !== undefined || textsIn(filters, "paths-ignore") !== undefined

/** Whether a trigger matches changes of these files: one that is wanted, and one that is not ignored. More than a thousand match in any case. */
export function startsOnPaths(filters: Members, paths: readonly string[]): boolean {
  if (paths.length > MOST_PATHS) return true
  const wanted = textsIn(filters, "paths")
  const unwanted = textsIn(filters, "paths-ignore")
  return (!wanted || paths.some(selector(wanted))) && !(unwanted && paths.every(selector(unwanted)))
}

/** The types of pull requests that start a workflow by default. */
const OF_PULLS = ["opened", "reopened", "synchronize"]

/** Whether a trigger matches one of these types of activity on a pull request. */
export const startsOnPull = (filters: Members, types: readonly string[]): boolean =>
  matchesTypes(textsIn(filters, "types") ?? OF_PULLS, types)

const matchesTypes = (wanted: readonly string[], types: readonly string[]): boolean =>
  types.some((type) => selected(wanted, type, compileType))

/** Whether a trigger other than of pushes and pull requests matches. Without filters everything does. */
export function startsOn(filters: Members, { types = [], workflow }: Trigger): boolean {
  const wanted = textsIn(filters, "types")
  if (wanted && types.length > 0 && !matchesTypes(wanted, types)) return false
  if (!workflow) return true
  const names = textsIn(filters, "workflows")
  const name = workflow.name || workflow.file
  // A name may have characters that mean something in patterns.
  if (names && !names.includes(name) && !selected(names, name)) return false
  if (!textsIn(filters, "branches") && !textsIn(filters, "branches-ignore")) return true
  return workflow.branch !== "" && startsOnRef(filters, branchRef(workflow.branch))
}

/** The paths of changed files for path filters, with both names of renamed files. */
export const filteredPaths = (files: readonly ChangedFile[]): readonly string[] =>
  files.flatMap(({ path, previousPath }) => (previousPath === undefined || previousPath === path ? [path] : [path, previousPath]))

const SKIP = ["[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]"]

/** Whether a commit's message, or the title of a pull request, asks to start no workflows. In lower case, anywhere in it. */
export const requestsSkip = (message: string): boolean => SKIP.some((words) => message.includes(words))

// --- inputs ------------------------------------------------------------------------------------------------------------------------

const textOr = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : ""

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

const TYPES = ["boolean", "number", "choice", "environment"] as const

/** An input that a workflow declares for those who start it by hand. */
export interface DeclaredInput {
  readonly name: string
  readonly type: (typeof TYPES)[number] | "string"
  /** "" for none. */
  readonly description: string
  /** "" for none. */
  readonly default: string
  readonly isRequired: boolean
  /** Of a choice. */
  readonly options: readonly string[]
}

/** The inputs that a trigger declares, in their order. */
export function declaredInputs(filters: Members): readonly DeclaredInput[] {
  const declared = isMapping(filters["inputs"]) ? filters["inputs"] : {}
  return Object.entries(declared).map(([name, input]) => {
    const about = isMapping(input) ? input : {}
    return {
      name,
      type: TYPES.find((type) => type === about["type"]) ?? "string",
      description: textOr(about["description"]),
      default: textOr(about["default"]),
      isRequired: textOr(about["required"]) === "true",
      options: Array.isArray(about["options"]) ? about["options"].map(textOr) : [],
    }
  })
}

/**
 * The values of the declared inputs: those that were sent, with defaults for the others; what isn't declared is left out. A boolean is
 * true only for the text "true"; all others stay texts. Refuses `invalid` a required one that is missing, a number that is none, and a
 * choice that isn't offered.
 */
export const inputsOf = (filters: Members, sent: Readonly<Record<string, string>>): Members =>
  Object.fromEntries(
    declaredInputs(filters).map((input) => {
      const { name } = input
      return [name, inputValue(input, (Object.hasOwn(sent, name) ? sent[name] : undefined) ?? input.default)]
    }),
  )

function inputValue({ name, type, isRequired, options }: DeclaredInput, text: string): string | boolean {
  const field = `inputs.${name}`
  if (text === "") {
    if (isRequired) throw refuse.invalid(field, "is required")
    return type === "boolean" ? false : ""
  }
  if (type === "boolean") return text === "true"
  if (type === "number" && !NUMBER.test(text)) throw refuse.invalid(field, "should be a number")
  if (type === "choice" && !options.includes(text)) throw refuse.invalid(field, `should be one of ${options.join(", ").slice(0, 500)}`)
  return text
}
