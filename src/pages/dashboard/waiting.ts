import type { SignedIn } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { type Html, html } from "../../core/html.ts"
import type { Text } from "../../core/language/message.ts"
import type { Services } from "../../core/services.ts"
import { findFailedRuns } from "../../features/actions/runs/store.ts"
import { assignedTo, awaitingReviewBy, type Condition, inState, ofKind, searchIssues } from "../../features/planning/issues/list-store.ts"
import { type IssueView, viewIssues } from "../../features/planning/issues/present.ts"
import { path } from "../../web/address.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { time } from "../../web/time.ts"
import { issueRows } from "../parts/issues/list-view.ts"

/** What waits for someone: reviews that are asked for, what they are to do, and their runs that failed. */

const SHOWN = 5
const DAY = 86_400
/** Older failures are no news, nor are those that many runs have followed. */
const FAILED_WITHIN = 3 * DAY

interface Call {
  readonly services: Services
  readonly db: Handle
  readonly actor: SignedIn
}

/** Nothing where nothing waits. At most the statements of two lists of issues and one of runs. */
export async function waitingFor(call: Call): Promise<Html> {
  const { actor, services } = call
  const open = inState(0)
  const reviews = await someOf(call, [open, ofKind(1), awaitingReviewBy(actor.user.id)])
  const assigned = await someOf(call, [open, assignedTo(actor.user.id)])
  const failed = await failedRuns(call)
  const now = services.now()
  const groups = [
    group("Review requests", "code-review", "/pulls?type=review_requested", reviews, now),
    group("Assigned to you", "issue-opened", "/issues?type=assigned", assigned, now),
  ]
  if (reviews.total + assigned.total + failed.length === 0) return html``
  return html`
    <section class="stack" aria-label="What waits for you">
      <h2>Waiting for you</h2>
      ${groups}
      ${
        failed.length > 0 &&
        html`
          <div class="card">
            <h3 class="head">${icon("x-circle")} Your failed runs</h3>
            <ul class="rows">
              ${failed.map(
                (run) =>
                  html`
                    <li>
                      <span class="failure">${icon("x", "Failed")}</span>
                      <div class="main">
                        <p class="title"><a href="${run.href}" dir="auto">${run.title}</a></p>
                        <p class="meta"><span>${run.repository}</span><span>${time(run.at, now)}</span></p>
                      </div>
                    </li>
                  `,
              )}
            </ul>
          </div>
        `
      }
    </section>
  `
}

interface Some {
  readonly issues: readonly IssueView[]
  readonly total: number
}

async function someOf({ db, actor }: Call, conditions: readonly Condition[]): Promise<Some> {
  const { rows, total } = await searchIssues(db, actor, conditions, { number: 1, limit: SHOWN, offset: 0 })
  return { issues: await viewIssues(db, actor, rows), total }
}

function group(title: Text, name: IconName, href: string, { issues, total }: Some, now: number): Html {
  if (issues.length === 0) return html``
  return html`
    <div class="card">
      <h3 class="head">${icon(name)} <a href="${href}">${title}</a> <span class="count">${total}</span></h3>
      ${issueRows(issues, { withRepository: true, now })}
    </div>
  `
}

/** The newest runs of the last days that the person triggered and that failed, in repositories that they may still see. */
async function failedRuns({ services, db, actor }: Call) {
  const rows = await findFailedRuns(db, actor, { since: services.now() - FAILED_WITHIN, limit: SHOWN })
  return rows.map((run) => ({
    href: path(run.owner_name, run.name, "actions", "runs", run.id),
    title: run.title,
    repository: `${run.owner_name}/${run.name}`,
    at: run.stopped_at,
  }))
}
