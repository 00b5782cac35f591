import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Html, html } from "../../../core/html.ts"
import type { Page } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { type Condition, ofKind } from "../../../features/planning/issues/list-store.ts"
import { presentIssues } from "../../../features/planning/issues/present.ts"
import type { Issue } from "../../../features/planning/issues/records.ts"
import { type FoundIssue, searchIssueTexts } from "../../../features/planning/search/issues.ts"
import { localPath } from "../../../web/address.ts"
import { person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { marked } from "../../../web/marked.ts"
import { plural, timeOf } from "../../../web/time.ts"
import { stateOf } from "./list-view.ts"

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
export const countFoundIssues = async ({ db, actor }: Pick<Call, "db" | "actor">, sought: Sought): Promise<number> =>
  (await searchIssueTexts(db, actor, { q: sought.q, conditions: conditionsOf(sought) }, BEYOND)).total

export interface FoundIssues {
  readonly rows: Html
  readonly total: number
}

/** The issues or pull requests with the words, as rows. A constant number of queries. */
export async function foundIssues({ services, db, actor }: Call, sought: Sought, page: Page): Promise<FoundIssues> {
  const { rows, total } = await searchIssueTexts(db, actor, { q: sought.q, conditions: conditionsOf(sought) }, page)
  const records = await presentIssues(
    db,
    services.site,
    actor,
    rows.map(({ issue }) => issue),
  )
  const found = new Map(rows.map((row) => [row.issue.id, row]))
  return {
    total,
    rows: html`
      <ul class="rows">
        ${records.map((record) => {
          const row = found.get(record.id)
          return row && foundRow(record, row, services.now())
        })}
      </ul>
    `,
  }
}

function foundRow(issue: Issue, { titleMarks, snippet }: FoundIssue, now: number): Html {
  const { tone, icon: name, text } = stateOf(issue)
  const address = localPath(issue.html_url)
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
          <span><bdi>${issue.repository.full_name}</bdi> #${issue.number}</span>
          <span>
            opened ${timeOf(issue.created_at, now)} by${" "}
            ${issue.original_author === "" ? person(issue.user) : html`<bdi>${issue.original_author}</bdi>`}
          </span>
          ${issue.comments > 0 && html`<span>${icon("comment")} ${plural(issue.comments, "comment")}</span>`}
        </p>
      </div>
    </li>
  `
}
