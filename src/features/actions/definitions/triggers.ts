import { compileGlob } from "../../../core/text/globs.ts"
import { branchOf, type ChangedFile, type RefName, tagOf } from "../../../git/index.ts"
import { isMapping, type Members } from "../../planning/issue-templates/yaml.ts"

const globsIn = (said: Members, name: string): readonly string[] | undefined => {
  const list = said[name]
  if (typeof list === "string") return [list]
  return Array.isArray(list) ? list.map(String) : undefined
}

/** Whether a text is among what the globs select one after the other; one behind an exclamation mark takes away. */
function selected(globs: readonly string[], text: string): boolean {
  let is = false
  for (const glob of globs) {
    const negative = glob.startsWith("!")
    if (compileGlob(negative ? glob.slice(1) : glob, { separator: "/" })?.(text)) is = !negative
  }
  return is
}

/** Whether a push of a reference starts what says this of pushes, as far as the reference goes. */
export function startsOnRef(said: Members, ref: RefName): boolean {
  const branch = branchOf(ref)
  const name = branch ?? tagOf(ref)
  if (name === undefined) return false
  const kind = branch === undefined ? "tags" : "branches"
  const wanted = globsIn(said, kind)
  const unwanted = globsIn(said, `${kind}-ignore`)
  const other = branch === undefined ? "branches" : "tags"
  if (!wanted && !unwanted) return !(globsIn(said, other) ?? globsIn(said, `${other}-ignore`))
  return (!wanted || selected(wanted, name)) && !(unwanted && selected(unwanted, name))
}

/** Whether it depends on the files that changed. */
export const asksForPaths = (said: Members): boolean => globsIn(said, "paths") !== undefined || globsIn(said, "paths-ignore") !== undefined

/** Whether it is started where these files changed. */
export function startsOnPaths(said: Members, paths: readonly string[]): boolean {
  const wanted = globsIn(said, "paths")
  const unwanted = globsIn(said, "paths-ignore")
  return (!wanted || paths.some((path) => selected(wanted, path))) && !(unwanted && paths.every((path) => selected(unwanted, path)))
}

/** What happens to a pull request that starts a workflow which doesn't say. */
const USUAL = ["opened", "reopened", "synchronize"]

/** Whether it is started by this happening to a pull request. */
export const startsOnAction = (said: Members, action: string): boolean => selected(globsIn(said, "types") ?? USUAL, action)

/** The files of a difference that may start something, under both names where they were renamed. */
export const pathsOf = (files: readonly ChangedFile[]): readonly string[] =>
  files.flatMap(({ path, previousPath }) => (previousPath === undefined || previousPath === path ? [path] : [path, previousPath]))

const SKIP = ["[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]"]

/** Whether a commit's message says that nothing is to be run for it. */
export const saysSkip = (message: string): boolean => SKIP.some((words) => message.includes(words))

/**
 * What a workflow that is started by hand is given: what was sent of the inputs that it declares, and their usual values where nothing was.
 * Those declared as boolean become one, true only for the text "true".
 */
export function inputsOf(said: Members, sent: Readonly<Record<string, string>>): Members {
  const declared = isMapping(said["inputs"]) ? said["inputs"] : {}
  return Object.fromEntries(
    Object.entries(declared).map(([name, input]) => {
      const about = isMapping(input) ? input : {}
      const text = Object.hasOwn(sent, name) ? sent[name] : String(about["default"] ?? "")
      return [name, about["type"] === "boolean" ? text === "true" : (text ?? "")]
    }),
  )
}
