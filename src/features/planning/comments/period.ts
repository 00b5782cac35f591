import { secondsOf } from "../../../core/record.ts"

/** Whole seconds, both ends included. */
export interface Period {
  readonly since: number
  readonly before: number
}

/** The times that a list is asked for. What is left out doesn't limit it. */
export function periodOf({ since, before }: { readonly since?: string; readonly before?: string }): Period {
  return { since: secondsOf(since) ?? 0, before: secondsOf(before) ?? Number.MAX_SAFE_INTEGER }
}
