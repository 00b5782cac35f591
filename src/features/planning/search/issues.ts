import type { Issue } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type IssuePart, issuesWithWords } from "../../../core/database/expressions.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"
import { type Condition, searchIssues, withWords } from "../issues/list-store.ts"
import { markWords, type Range, type Snippet, snippetOf } from "./snippet.ts"
import { type Comment, firstComments } from "./store.ts"

export interface IssueSearch {
  /** Words, all of which one text must hold, each as the beginning of one of its words. */
  readonly q: string
  /** Title, body and comments unless told otherwise. */
  readonly parts?: readonly IssuePart[]
  /** Further conditions, such as those of `issues/list.ts`. */
  readonly conditions?: readonly Condition[]
}

export interface FoundIssue {
  readonly issue: Issue
  readonly titleMarks: readonly Range[]
  /** What was found in the body, or else in the first comment that has the words; undefined if it was in the title alone. */
  readonly snippet: (Snippet & { readonly commentId: number | undefined }) | undefined
}

/**
 * The issues and pull requests that the caller may read and that hold the words, newest first, with the words marked. Nothing is found without
 * words. Costs four queries.
 */
export async function searchIssueTexts(
  db: Handle,
  actor: Actor,
  { q, parts = ["title", "body", "comments"], conditions = [] }: IssueSearch,
  page: Page,
): Promise<Found<FoundIssue>> {
  const words = parts.length > 0 ? issuesWithWords(q, parts) : undefined
  if (!words) return { rows: [], total: 0 }
  const { rows, total } = await searchIssues(db, actor, [withWords(words), ...conditions], page)
  const comments = parts.includes("comments") ? await firstComments(db, rows, q) : new Map<number, Comment>()
  return {
    total,
    rows: rows.map((issue) => {
      const comment = comments.get(issue.id)
      const inBody = parts.includes("body") ? snippetOf(issue.content, q) : undefined
      const inComment = comment && { ...snippetOf(comment.content, q), commentId: comment.id }
      const shown = inBody && inBody.marks.length > 0 ? { ...inBody, commentId: undefined } : inComment
      return { issue, titleMarks: parts.includes("title") ? markWords(issue.title, q) : [], snippet: shown }
    }),
  }
}
