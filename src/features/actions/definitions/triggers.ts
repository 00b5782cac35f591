import { compileGlob } from "../../../core/text/globs.ts"
import { branchOf, type ChangedFile, type RefName, tagOf } from "../../../git/index.ts"
import { isMapping, type Members } from "../../planning/issue-templates/yaml.ts"

const globsIn = (filters: Members, name: string): readonly string[] | undefined => {
  const list = filters[name]
  if (typeof list === "string") return [list]
  return Array.isArray(list) ? list.map(String) : undefined
}

/** Whether the globs select a text, applied in order; those with an exclamation mark exclude. */
function selected(globs: readonly string[], text: string): boolean {
  let is = false
  for (const glob of globs) {
    const negative = glob.startsWith("!")
    if (compileGlob(negative ? glob.slice(1) : glob, { separator: "/" })?.(text)) is = !negative
  }
  return is
}

/** Whether a push trigger matches a reference. */
export function startsOnRef(filters: Members, ref: RefName): boolean {
  const branch = branchOf(ref)
  const name = branch ?? tagOf(ref)
  if (name === undefined) return false
  const kind = branch === undefined ? "tags" : "branches"
  const wanted = globsIn(filters, kind)
  const unwanted = globsIn(filters, `${kind}-ignore`)
  const other = branch === undefined ? "branches" : "tags"
  if (!wanted && !unwanted) return !(globsIn(filters, other) ?? globsIn(filters, `${other}-ignore`))
  return (!wanted || selected(wanted, name)) && !(unwanted && selected(unwanted, name))
}

/** Whether a trigger depends on changed files. */
export const filtersPaths = (filters: Members): boolean =>
  globsIn(filters, "paths") !== undefined || globsIn(filters, "paths-ignore") !== undefined

/** Whether a trigger matches changes of these files. */
export function startsOnPaths(filters: Members, paths: readonly string[]): boolean {
  const wanted = globsIn(filters, "paths")
  const unwanted = globsIn(filters, "paths-ignore")
  return (!wanted || paths.some((path) => selected(wanted, path))) && !(unwanted && paths.every((path) => selected(unwanted, path)))
}

/** The actions on a pull request that start a workflow by default. */
const DEFAULT_ACTIONS = ["opened", "reopened", "synchronize"]

/** Whether a trigger matches an action on a pull request. */
export const startsOnAction = (filters: Members, action: string): boolean => selected(globsIn(filters, "types") ?? DEFAULT_ACTIONS, action)

/** The paths of changed files for path filters, with both names of renamed files. */
export const filteredPaths = (files: readonly ChangedFile[]): readonly string[] =>
  files.flatMap(({ path, previousPath }) => (previousPath === undefined || previousPath === path ? [path] : [path, previousPath]))

const SKIP = ["[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]"]

/** Whether a commit's message asks to start no workflows. */
export const requestsSkip = (message: string): boolean => SKIP.some((words) => message.includes(words))

/**
 * The inputs of a workflow that is started by hand: the sent values of its declared inputs, with defaults for the others. Boolean inputs
 * are true only for the text "true".
 */
export function inputsOf(filters: Members, sent: Readonly<Record<string, string>>): Members {
  const declared = isMapping(filters["inputs"]) ? filters["inputs"] : {}
  return Object.fromEntries(
    Object.entries(declared).map(([name, input]) => {
      const about = isMapping(input) ? input : {}
      const text = Object.hasOwn(sent, name) ? sent[name] : String(about["default"] ?? "")
      return [name, about["type"] === "boolean" ? text === "true" : (text ?? "")]
    }),
  )
}
