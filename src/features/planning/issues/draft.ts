/** The prefixes by which the title of a pull request marks it as a draft. */
const UNFINISHED = /^(?:WIP:|\[WIP\])/i

/** Whether a title marks the pull request as a draft, which can't be merged. */
export const isUnfinished = (title: string): boolean => UNFINISHED.test(title)
