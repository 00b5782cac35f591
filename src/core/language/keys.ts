/** Written by `npm run messages`. */

/** The messages of `t`. */
export type MessageKey = "in a moment" | "just now" | "topics.name"

/** Those that modules for the browser say. */
export const BROWSER_MESSAGES: readonly string[] = []
