import type { Config } from "../../../core/config.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { type Pattern, patternSet } from "../../../core/text/automaton.ts"
import { parseGlob } from "../../../core/text/globs.ts"
import { beginWork, TooMuchWork, type Work } from "../../../core/work.ts"
import { isMapping, type Members } from "../../../core/yaml.ts"
import { branchOf, branchRef, type ChangedFile, type RefName, tagOf } from "../../../git/index.ts"
import { parsePattern } from "./patterns.ts"

/** What the filters of a trigger say of an event: a workflow that is left out for its branch or files is reported where it is required. */
export type Verdict = "starts" | "excluded" | "other"

/** What starts a workflow, for its filters. */
export interface Trigger {
  /** The types of activity; of several, one that matches is enough. None for an event without types. */
  readonly types?: readonly string[]
  /** Of a run: the name of its workflow, or its file, and the branch that it ran for; "" for none. */
  readonly workflow?: { readonly name: string; readonly file: string; readonly branch: string }
  /** The branch that a trial of a merge queue is for. */
  readonly branch?: string
}

function textsIn(filters: Members, name: string): readonly string[] | undefined {
  const list = filters[name]
  if (typeof list === "string") return [list]
  return Array.isArray(list) ? list.map(String) : undefined
}

/** The most patterns of a list that are looked at, and the most changed files: more match in any case. */
const MOST_PATTERNS = 100
const MOST_PATHS = 1000

/** Tells whether patterns select a text. They are applied in order; those with an exclamation mark exclude. Throws `TooMuchWork`. */
type Selector = (text: string, work: Work) => Promise<boolean>

/** Compares filters with what one push or event is about. Each list of patterns is compiled once, and the work for all of them is limited. */
export interface Filtering {
  readonly selector: (patterns: readonly string[]) => Selector
  /** For types of activity, whose patterns are globs. */
  readonly typeSelector: (patterns: readonly string[]) => Selector
  /** For branches, tags, types and the names of workflows. What takes more doesn't match, so that no filter can be passed by making it costly. */
  readonly names: Work
  /** For changed files, which are far more. What takes more matches, as more than a thousand files do. */
  readonly paths: Work
}

/** To be begun for each push or event. Not to be used in a transaction. */
export function beginFiltering({ workSteps: steps }: Pick<Config["limits"], "workSteps">): Filtering {
  const begin = () => beginWork({ what: t("compare the filters of workflows with what happened"), steps })
  return {
    selector: compilingOnce(parsePattern),
    typeSelector: compilingOnce((glob) => parseGlob(glob, { separator: "/" })),
    names: begin(),
    paths: begin(),
  }
}

function compilingOnce(parse: (pattern: string) => Pattern | undefined): Filtering["selector"] {
  const known = new Map<string, Selector>()
  return (all) => {
    const patterns = all.slice(0, MOST_PATTERNS)
    const key = JSON.stringify(patterns)
    const selector = known.get(key) ?? compile(patterns, parse)
    known.set(key, selector)
    return selector
  }
}

function compile(patterns: readonly string[], parse: (pattern: string) => Pattern | undefined): Selector {
  const set = patternSet(patterns.map((pattern) => parse(pattern.replace(/^!/, ""))))
  // The last one that matches decides.
  return async (text, work) => patterns[(await set.matching(text, work)).at(-1) ?? -1]?.startsWith("!") === false
}

async function unlessTooMuch(otherwise: boolean, compare: () => Promise<boolean>): Promise<boolean> {
  try {
    return await compare()
  } catch (error) {
    if (error instanceof TooMuchWork) return otherwise
    throw error
  }
}

/** Whether a push trigger matches a reference: the filters of branches say nothing of tags, except that only branches are meant. */
export async function startsOnRef(filters: Members, ref: RefName, { selector, names }: Filtering): Promise<boolean> {
  const branch = branchOf(ref)
  const name = branch ?? tagOf(ref)
  if (name === undefined) return false
  const kind = branch === undefined ? "tags" : "branches"
  const wanted = textsIn(filters, kind)
  const unwanted = textsIn(filters, `${kind}-ignore`)
  const other = branch === undefined ? "branches" : "tags"
  if (!wanted && !unwanted) return !(textsIn(filters, other) ?? textsIn(filters, `${other}-ignore`))
  return unlessTooMuch(
    false,
    async () => (!wanted || (await selector(wanted)(name, names))) && !(unwanted && (await selector(unwanted)(name, names))),
  )
}

/** Whether a trigger depends on changed files. */
export const filtersPaths = (filters: Members): boolean =>
  textsIn(filters, "paths") !== undefined || textsIn(filters, "paths-ignore") !== undefined

/**
 * Whether a trigger matches changes of these files: one that is wanted, and one that is not ignored. More than a thousand match in any case, and so does what takes too much work:
 * a push that was accepted starts rather too much than too little.
 */
export async function startsOnPaths(filters: Members, paths: readonly string[], { selector, paths: work }: Filtering): Promise<boolean> {
  if (paths.length > MOST_PATHS) return true
  const wanted = textsIn(filters, "paths")
  const unwanted = textsIn(filters, "paths-ignore")
  const hasOne = async (patterns: readonly string[], isSelected: boolean): Promise<boolean> => {
    const selects = selector(patterns)
    for (const path of paths) if ((await selects(path, work)) === isSelected) return true
    return false
  }
  return unlessTooMuch(true, async () => (!wanted || (await hasOne(wanted, true))) && (!unwanted || (await hasOne(unwanted, false))))
}

/** The types of pull requests that start a workflow by default. */
const OF_PULLS = ["opened", "reopened", "synchronize"]

/** Whether a trigger matches one of these types of activity on a pull request. */
export const startsOnPull = (filters: Members, types: readonly string[], filtering: Filtering): Promise<boolean> =>
  matchesTypes(textsIn(filters, "types") ?? OF_PULLS, types, filtering)

const matchesTypes = (wanted: readonly string[], types: readonly string[], { typeSelector, names }: Filtering): Promise<boolean> =>
  unlessTooMuch(false, async () => {
    for (const type of types) if (await typeSelector(wanted)(type, names)) return true
    return false
  })

/** Whether a trigger other than of pushes and pull requests matches. Without filters everything does. */
export async function startsOn(filters: Members, { types = [], workflow, branch }: Trigger, filtering: Filtering): Promise<boolean> {
  const wanted = textsIn(filters, "types")
  if (wanted && types.length > 0 && !(await matchesTypes(wanted, types, filtering))) return false
  if (branch !== undefined && !(await startsOnRef(filters, branchRef(branch), filtering))) return false
  if (!workflow) return true
  const workflows = textsIn(filters, "workflows")
  const name = workflow.name || workflow.file
  // A name may have characters that mean something in patterns.
  const isNamed = async (patterns: readonly string[]) =>
    patterns.includes(name) || (await unlessTooMuch(false, () => filtering.selector(patterns)(name, filtering.names)))
  if (workflows && !(await isNamed(workflows))) return false
  if (!textsIn(filters, "branches") && !textsIn(filters, "branches-ignore")) return true
  return workflow.branch !== "" && startsOnRef(filters, branchRef(workflow.branch), filtering)
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
  if (type === "choice" && !options.includes(text)) throw refuse.invalid(field, t`should be one of ${options.join(", ").slice(0, 500)}`)
  return text
}
