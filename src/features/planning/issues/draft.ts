/** The prefixes by which the title of a pull request marks it as a draft. */
const UNFINISHED = /^(?:WIP:|\[WIP\])/i

/** Whether a title marks the pull request as a draft, which can't be merged. */
export const isUnfinished = (title: string): boolean => UNFINISHED.test(title)

const draftTitle = (title: string): string => `WIP: ${title}`

/** The title with or without the mark of a draft; as it is where `isDraft` is not given, or the title says so already. */
export function titleAs(title: string, isDraft: boolean | undefined): string {
  if (isDraft === undefined || isDraft === isUnfinished(title)) return title
  return isDraft ? draftTitle(title) : readyTitle(title)
}

/** The title without the marks of a draft. */
function readyTitle(title: string): string {
  let rest = title
  while (isUnfinished(rest)) rest = rest.replace(UNFINISHED, "").trimStart()
  return rest === "" ? "Untitled" : rest
}
