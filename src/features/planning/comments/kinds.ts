import { refuse } from "../../../core/errors.ts"
import type { TimelineKind } from "../issues/timeline.ts"

/** The kinds of timeline entries that are somebody's words, which can be edited, reacted to and hung with files. */
const TEXTS: readonly TimelineKind[] = ["comment", "code", "code_draft", "review", "review_draft", "dismiss_review"]

export const isText = ({ kind }: { readonly kind: string }): boolean => TEXTS.some((text) => text === kind)

/** Refuses `notFound` for entries that only tell what happened. */
export function requireText(entry: { readonly kind: string }): void {
  if (!isText(entry)) throw refuse.notFound()
}
