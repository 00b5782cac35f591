import type { SignedIn } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { Services } from "../../core/services.ts"
import { findFailedRuns } from "../../features/actions/runs/store.ts"
import { type ThreadView, titleOf, viewThreads } from "../../features/events/notifications/present.ts"
import { findThreads } from "../../features/events/notifications/threads-store.ts"
import {
  assignedTo,
  awaitingReviewBy,
  type Condition,
  createdBy,
  type FoundIssues,
  inState,
  ofKind,
  searchIssues,
} from "../../features/planning/issues/list-store.ts"
import { viewIssues } from "../../features/planning/issues/present.ts"
import { path } from "../../web/address.ts"
import { buttonForm } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { time } from "../../web/time.ts"
import { issueRows } from "../parts/issues/list-view.ts"
import { pullNotes } from "../parts/issues/pull-notes.ts"

/** What waits for someone: reviews that are asked of them, what is assigned to them, mentions, their own pull requests, and their runs that failed. */

const SHOWN = 5
const DAY = 86_400
/** Older failures are no news, nor are those that many runs have followed. */
const FAILED_WITHIN = 3 * DAY

interface Call {
  readonly services: Services
  readonly db: Handle
  readonly actor: SignedIn
}

const FEW = { number: 1, limit: SHOWN, offset: 0 } as const

/** Undefined where nothing waits. A constant number of statements. */
export async function waitingFor({ services, db, actor }: Call): Promise<Html | undefined> {
  const me = actor.user.id
  const now = services.now()
  const some = (...conditions: readonly Condition[]) => searchIssues(db, actor, [inState(0), ...conditions], FEW)
  const reviews = await some(ofKind(1), awaitingReviewBy(me))
  const assigned = await some(assignedTo(me))
  const mine = await some(ofKind(1), createdBy(me))
  const mentions = await findThreads(db, actor, { statuses: ["unread"], subjects: ["issue", "pull"], reason: "mention" }, FEW)
  const failed = await findFailedRuns(db, actor, { since: now - FAILED_WITHIN, limit: SHOWN })
  if (reviews.total + assigned.total + mine.total + mentions.total + failed.length === 0) return undefined
  const rows = [...new Map([reviews, assigned, mine].flatMap(({ rows }) => rows).map((row) => [row.id, row])).values()]
  const views = new Map((await viewIssues(db, actor, rows)).map((view) => [view.issue.id, view]))
  const notes = await pullNotes(
    db,
    rows.filter(({ is_pull }) => is_pull === 1),
  )
  const issues = ({ rows }: FoundIssues) =>
    issueRows(
      rows.flatMap(({ id }) => views.get(id) ?? []),
      { withRepository: true, notes, now },
    )
  return html`
    <section class="stack" aria-label="What waits for you">
      <h2>Waiting for you</h2>
      ${group(t("Reviews asked of you"), "code-review", "/pulls?type=review_requested", reviews.total, () => issues(reviews))}
      ${group(t("Assigned to you"), "issue-opened", "/issues?type=assigned", assigned.total, () => issues(assigned), otherKind(assigned))}
      ${group(t("Unread mentions"), "mention", "/notifications?reason=mention", mentions.total, await mentionRows(db, mentions.rows, now))}
      ${group(t("Your pull requests"), "git-pull-request", "/pulls?type=created_by", mine.total, () => issues(mine))}
      ${group(t("Your failed runs"), "x-circle", undefined, failed.length, () => failedRows(failed, now))}
    </section>
  `
}

/** A list begins with its heading, which leads to the whole. */
function group(title: Text, name: IconName, href: string | undefined, total: number, rows: () => Html, also?: Content): Html {
  if (total === 0) return html``
  return html`
    <div class="card">
      <h3 class="head">
        ${icon(name)} ${href === undefined ? title : html`<a href="${href}">${title}</a>`} <span class="count">${total}</span>
        ${also}
        ${href !== undefined && total > SHOWN && html`<a class="end small" href="${href}">Show all ${total}</a>`}
      </h3>
      ${rows()}
    </div>
  `
}

/** The list of issues has no pull requests, which can be assigned too. */
const otherKind = ({ rows }: FoundIssues): Content =>
  rows.some(({ is_pull }) => is_pull === 1) && html`<a class="small" href="/pulls?type=assigned">Pull requests</a>`

async function mentionRows(db: Handle, threads: Parameters<typeof viewThreads>[1], now: number): Promise<() => Html> {
  const views = await viewThreads(db, threads)
  return () => html`<ul class="rows">${views.map((view) => mentionRow(view, now))}</ul>`
}

/** What opens a thread is a form: it is read from then on. */
const mentionRow = (view: ThreadView, now: number): Html =>
  html`
    <li>
      ${icon("mention")}
      <div class="main">
        <div class="title">
          ${buttonForm(path("notifications", "threads", view.thread.id), html`<span dir="auto">${titleOf(view)}</span>`, {}, "link")}
        </div>
        <p class="meta">
          <span><bdi>${view.home.owner.name}/${view.home.repository.name}</bdi>${view.issue && html`#${view.issue.number}`}</span>
          <span>${time(view.thread.updated_at, now)}</span>
        </p>
      </div>
    </li>
  `

/** The newest runs of the last days that the person triggered and that failed, in repositories that they may still see. */
const failedRows = (runs: Awaited<ReturnType<typeof findFailedRuns>>, now: number): Html =>
  html`
    <ul class="rows">
      ${runs.map(
        (run) =>
          html`
            <li>
              <span class="failure">${icon("x", t("Failed"))}</span>
              <div class="main">
                <p class="title">
                  <a href="${path(run.owner_name, run.name, "actions", "runs", run.id)}" dir="auto">${run.title}</a>
                </p>
                <p class="meta"><span>${run.owner_name}/${run.name}</span><span>${time(run.stopped_at, now)}</span></p>
              </div>
            </li>
          `,
      )}
    </ul>
  `
