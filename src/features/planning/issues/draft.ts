/** The prefixes by which the title of a pull request marks it as a draft. */
const UNFINISHED = /^(?:WIP:|\[WIP\])/i

/** Whether a title marks the pull request as a draft, which can't be merged. */
export const isUnfinished = (title: string): boolean => UNFINISHED.test(title)

export const draftTitle = (title: string): string => `WIP: ${title}`

/** The title without the marks of a draft. */
export function readyTitle(title: string): string {
  let rest = title
  while (isUnfinished(rest)) rest = rest.replace(UNFINISHED, "").trimStart()
  return rest === "" ? "Untitled" : rest
}
