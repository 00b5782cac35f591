import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Html, html } from "../../../core/html.ts"
import type { Page } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { type Condition, ofKind } from "../../../features/planning/issues/list-store.ts"
import { type IssueView, viewIssues } from "../../../features/planning/issues/present.ts"
import { type FoundIssue, searchIssueTexts } from "../../../features/planning/search/issues.ts"
import { person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { marked } from "../../../web/marked.ts"
import { plural, time } from "../../../web/time.ts"
import { homeName, issuePath, stateOf } from "./list-view.ts"

/** Searches in issues and pull requests as pages show them. */

export type Kind = "issues" | "pulls"

interface Call {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
}

interface Sought {
  readonly q: string
  readonly kind: Kind
  /** Limits the search to its place. */
  readonly within?: readonly Condition[]
}

const conditionsOf = ({ kind, within = [] }: Sought): readonly Condition[] => [ofKind(kind === "pulls" ? 1 : 0), ...within]

/** Beyond the end of every list, where only the total is asked for. */
const BEYOND: Page = { number: 1, limit: 0, offset: Number.MAX_SAFE_INTEGER }

/** How many there are that the reader may see. One query. */
export const countIssueResults = async ({ db, actor }: Pick<Call, "db" | "actor">, sought: Sought): Promise<number> =>
  (await searchIssueTexts(db, actor, { q: sought.q, conditions: conditionsOf(sought) }, BEYOND)).total

export interface IssueResults {
  readonly rows: Html
  readonly total: number
}

/** The issues or pull requests with the words, as rows. A constant number of queries. */
export async function issueResults({ services, db, actor }: Call, sought: Sought, page: Page): Promise<IssueResults> {
  const { rows, total } = await searchIssueTexts(db, actor, { q: sought.q, conditions: conditionsOf(sought) }, page)
  const views = await viewIssues(
    db,
    actor,
    rows.map(({ issue }) => issue),
  )
  const found = new Map(rows.map((row) => [row.issue.id, row]))
  return {
    total,
    rows: html`
      <ul class="rows">
        ${views.map((view) => {
          const row = found.get(view.issue.id)
          return row && resultRow(view, row, services.now())
        })}
      </ul>
    `,
  }
}

function resultRow(view: IssueView, { titleMarks, snippet }: FoundIssue, now: number): Html {
  const { issue, author } = view
  const { tone, icon: name, text } = stateOf(view)
  const address = issuePath(view)
  const place = snippet?.commentId === undefined ? address : `${address}#issuecomment-${snippet.commentId}`
  return html`
    <li>
      <span class="${tone}">${icon(name, text)}</span>
      <div class="main">
        <h2 class="title"><a href="${address}" dir="auto">${marked(issue.title, titleMarks)}</a></h2>
        ${
          snippet &&
          html`
            <p class="break" dir="auto">
              ${snippet.isCutBefore && "… "}${marked(snippet.text, snippet.marks)}${snippet.isCutAfter && " …"}
              ${snippet.commentId !== undefined && html` <a href="${place}">in a comment</a>`}
            </p>
          `
        }
        <p class="meta">
          <span><bdi>${homeName(view)}</bdi> #${issue.number}</span>
          <span>
            opened ${time(issue.created_at, now)} by${" "}
            ${issue.original_author === "" ? person(author) : html`<bdi>${issue.original_author}</bdi>`}
          </span>
          ${issue.comments_count > 0 && html`<span>${icon("comment")} ${plural(issue.comments_count, "comment")}</span>`}
        </p>
      </div>
    </li>
  `
}
