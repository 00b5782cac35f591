/** Whole seconds, both ends included. */
export interface Period {
  readonly since: number
  readonly before: number
}

/** How programs write a moment that they don't mean. */
const NEVER_YEAR = /^0001-01-01T00:00:00/

/** The times that a list is asked for. What is left out doesn't limit it. */
export function periodOf({ since, before }: { readonly since?: string; readonly before?: string }): Period {
  return { since: secondsOf(since) ?? 0, before: secondsOf(before) ?? Number.MAX_SAFE_INTEGER }
}

function secondsOf(moment: string | undefined): number | undefined {
  if (moment === undefined || NEVER_YEAR.test(moment)) return undefined
  return Math.floor(Date.parse(moment) / 1000)
}
