/** How the title of a pull request begins that is still being worked on. */
const UNFINISHED = /^(?:WIP:|\[WIP\])/i

/** Whether a title says that the pull request is still being worked on: it is a draft, and can't be merged. */
export const isUnfinished = (title: string): boolean => UNFINISHED.test(title)
