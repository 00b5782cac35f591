import type { OnPull } from "../../../access/policies/pulls.ts"
import { addressOf } from "../../../core/forms/form.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Draft } from "../../../core/page.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { findReviewsBy, findReviewsWithText } from "../../../features/review/reviews/store.ts"
import { viewedBy } from "../../../features/review/reviews/viewed-store.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { shortcut } from "../../../web/components.ts"
import { formButton, formView, type Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { plural } from "../../../web/time.ts"
import { type ConversationCall, conversationPath } from "../../parts/conversation/call.ts"
import type { DiffQuery } from "../../parts/diffs/choices.ts"
import type { FileChange } from "../../parts/diffs/model.ts"
import { lineBox, linesAsked, linesForm, linesRefused } from "./line-form.ts"
import { discardPending, newReview, submitPending } from "./review-forms.ts"
import { viewedForm } from "./viewed.ts"

/** What a reader who has signed in can do on the page of all changes: comment on lines, review, and mark files as viewed. */

export type FilesCall = ConversationCall &
  OnPull & { readonly query: DiffQuery & { readonly comment?: string }; readonly draft?: Draft | undefined }

export interface LineForm {
  readonly path: string
  /** Negative on the old side; 0 where the line is not chosen yet. */
  readonly line: number
  readonly content: Content
}

interface Reviewing {
  readonly above: Content
  readonly tools: Content
  readonly fileTools: (file: FileChange) => Content
  readonly isViewed: (file: FileChange) => boolean
  readonly lineForm: LineForm | undefined
}

/** The id of the reader's review that is not submitted yet, and how many comments it has. */
export interface Pending {
  readonly id: number
  readonly comments: number
}

export async function pendingOf({ db, actor, issue }: Pick<FilesCall, "db" | "actor" | "issue">): Promise<Pending | undefined> {
  if (actor.kind === "anonymous") return undefined
  const own = await findReviewsBy(db, { issueId: issue.id, reviewerId: actor.user.id })
  const pending = own.find(({ state }) => state === "PENDING")
  if (!pending) return undefined
  const [review] = await findReviewsWithText(db, { ids: [pending.id] })
  return { id: pending.id, comments: review?.comments_count ?? 0 }
}

export async function reviewing(call: FilesCall, files: readonly FileChange[]): Promise<Reviewing | undefined> {
  const { db, actor, repository, pull, path } = call
  if (actor.kind !== "user") return undefined
  const mayWrite = repository.is_archived === 0
  const pending = await pendingOf(call)
  const marks = await viewedBy(db, { userId: actor.user.id, pullId: pull.id })
  const isViewed = (file: FileChange): boolean => marks.get(file.path) === (file.newId ?? "")
  const isPending = pending !== undefined
  const lineForm = mayWrite ? lineFormOf(call, isPending) : undefined
  return {
    above:
      mayWrite &&
      html`
        <template id="line-box" data-at="${conversationPath(call)}/lines">
          ${lineBox(call, ANY_LINE, { isPending })}
        </template>
        ${
          lineForm?.line === 0 &&
          html`
            <section class="card">
              <div class="inside">${lineForm.content}</div>
            </section>
          `
        }
      `,
    tools: html`
      <span class="muted small" id="viewed-count" data-all="${files.length}">
        ${files.filter(isViewed).length} of ${files.length} viewed
      </span>
      ${mayWrite && reviewMenu(call, pending)}
    `,
    isViewed,
    fileTools: (file) =>
      html`
        ${mayWrite && commentLink(call, file)}
        <form class="viewed" method="post" action="${addressOf(viewedForm, path)}">
          <input type="hidden" name="path" value="${file.path}">
          <input type="hidden" name="blob" value="${file.newId ?? ""}">
          <button
            class="small quiet"
            name="viewed"
            value="${isViewed(file) ? "false" : "true"}"
            aria-pressed="${isViewed(file) ? "true" : "false"}"
          >
            ${icon("check")}Viewed<span class="hidden-text">: ${file.path}</span>
          </button>
        </form>
      `,
    lineForm,
  }
}

/** Leads to the form in which the lines are typed; the script opens the box in place. */
const commentLink = (call: FilesCall, { path }: FileChange): Html =>
  html`
    <a
      rel="nofollow"
      data-comment="${path}"
      href="${withQuery(`${conversationPath(call)}/files`, { file: path, comment: `${path}:R:0` })}"
    >
      Comment<span class="hidden-text"> on ${path}</span>
    </a>
  `

/** The form for a comment on lines that the address asks for, or that was refused. */
function lineFormOf(call: FilesCall, isPending: boolean): LineForm | undefined {
  const refused = linesRefused(call.draft)
  const lines = refused ?? linesAsked(call.query.comment)
  if (!lines) return undefined
  const { path, side, last } = lines
  const content = refused || last === 0 ? linesForm(call, lines, { isPending }) : lineBox(call, lines, { isPending })
  return { path, line: side === "L" ? -last : last, content }
}

/** The script names the lines. */
const ANY_LINE = { path: "", side: "R", first: 1, last: 1 } as const

const VERDICTS: readonly Option[] = [
  ["COMMENT", t("Comment"), t("Submit general feedback without explicit approval.")],
  ["APPROVED", t("Approve"), t("Approve these changes.")],
  ["REQUEST_CHANGES", t("Request changes"), t("Submit feedback that must be addressed before merging.")],
]

/** The menu that finishes a review: its summary and verdict, sent with the comments that were kept for it. */
export function reviewMenu(call: FilesCall, pending: Pending | undefined): Html {
  const { actor, issue, path, draft } = call
  const isOwn = actor.kind === "user" && actor.user.id === issue.author_id
  const to = pending === undefined ? newReview : submitPending
  const place = pending === undefined ? path : { ...path, id: String(pending.id) }
  const kept = pending?.comments ?? 0
  return html`
    <details class="menu review-menu" id="review" ${flagged("open", draft?.form === to.id)}>
      <summary class="button primary small" ${shortcut("r")}>
        ${icon("file-diff")}Review changes${kept > 0 && html` <span class="count">${kept}</span>`}
      </summary>
      <div class="card stack">
        ${pending !== undefined && html`<p class="small strong">Your review has ${plural(kept, "pending comment")}.</p>`}
        ${formView(to, {
          path: place,
          draft,
          submit: t("Submit review"),
          fields: [
            {
              kind: "markdown",
              name: "body",
              label: t("Summary"),
              rows: 4,
              repository: repositoryPath(call),
              files: takesFiles(call.services),
            },
            {
              kind: "choice",
              name: "event",
              label: t("Decision"),
              value: "COMMENT",
              options: isOwn || issue.is_closed === 1 ? VERDICTS.slice(0, 1) : VERDICTS,
            },
          ],
        })}
        ${pending !== undefined && formButton(discardPending, place, t("Discard pending comments"))}
      </div>
    </details>
  `
}
