import type { OnPull } from "../../../access/policies/pulls.ts"
import { addressOf } from "../../../core/forms/form.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import type { Draft } from "../../../core/page.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { findReviewsBy } from "../../../features/review/reviews/store.ts"
import { viewedBy } from "../../../features/review/reviews/viewed-store.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { type Field, formButton, formView, type Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { type ConversationCall, conversationPath } from "../../parts/conversation/call.ts"
import type { DiffQuery } from "../../parts/diffs/choices.ts"
import type { FileChange } from "../../parts/diffs/model.ts"
import { discardPending, lineComment, newReview, submitPending } from "./review-forms.ts"
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

export async function reviewing(call: FilesCall, files: readonly FileChange[]): Promise<Reviewing | undefined> {
  const { db, actor, repository, issue, pull, path } = call
  if (actor.kind !== "user") return undefined
  const mayWrite = repository.is_archived === 0
  const pending = (await findReviewsBy(db, { issueId: issue.id, reviewerId: actor.user.id })).find(({ state }) => state === "PENDING")
  const marks = await viewedBy(db, { userId: actor.user.id, pullId: pull.id })
  const isViewed = (file: FileChange): boolean => marks.get(file.path) === (file.newId ?? "")
  const lineForm = mayWrite ? lineFormOf(call, pending !== undefined) : undefined
  return {
    above:
      mayWrite &&
      html`
        ${reviewBox(call, pending?.id)}
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
    `,
    isViewed,
    fileTools: (file) =>
      html`
        ${
          mayWrite &&
          html`
            <a
              rel="nofollow"
              data-comment="${file.path}"
              href="${withQuery(`${conversationPath(call)}/files`, { file: file.path, comment: `${file.path}:R:0` })}"
            >
              Comment<span class="hidden-text"> on ${file.path}</span>
            </a>
          `
        }
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

const PLACE = /^(.+):([LR]):(\d{1,9})(?:-(\d{1,9}))?$/

/** The form for a comment on lines that the address asks for, or that was refused. */
function lineFormOf(call: FilesCall, hasPending: boolean): LineForm | undefined {
  const { path, draft, query } = call
  const typed = draft?.form === lineComment.id ? draft.typed : undefined
  const [, file = "", side = "R", from = "", to = from] = PLACE.exec(query.comment ?? "") ?? []
  const name = typed?.["path"]?.[0] ?? file
  if (name === "") return undefined
  const asked = { side: typed?.["side"]?.[0] ?? side, first: typed?.["first"]?.[0] ?? from, last: typed?.["last"]?.[0] ?? to }
  const last = Math.min(Math.max(Number(asked.last) || Number(asked.first) || 0, Number(asked.first) || 0), 1_000_000_000)
  const number = (text: string): string => (Number(text) > 0 ? text : "")
  const fields: readonly Field[] = [
    { kind: "hidden", name: "path", value: name },
    {
      kind: "content",
      content: html`
        <p class="mono break small"><bdi>${name}</bdi></p>
        <div class="bar lines">
      `,
    },
    { kind: "line", name: "first", label: "From line", type: "number", value: number(asked.first), required: true },
    { kind: "line", name: "last", label: "to", type: "number", value: number(asked.last) },
    {
      kind: "menu",
      name: "side",
      label: "of the",
      value: asked.side,
      options: [
        ["R", "new file"],
        ["L", "old file"],
      ],
    },
    { kind: "content", content: html`</div>` },
    {
      kind: "markdown",
      name: "text",
      label: "Comment",
      rows: 5,
      required: true,
      repository: repositoryPath(call),
      files: takesFiles(call.services),
      hint: "Markdown; code fenced as ```suggestion replaces these lines.",
    },
    ...(hasPending ? ([{ kind: "hidden", name: "action", value: "review" }] as const) : []),
  ]
  const content = formView(lineComment, {
    path,
    draft,
    fields,
    name: "form line-form",
    submit: hasPending ? "Add to your review" : "Comment",
    beside: !hasPending && html`<button name="action" value="review">Start a review</button>`,
  })
  return { path: name, line: asked.side === "L" ? -last : last, content }
}

/** The verdict, with the comments that were not sent yet. */
function reviewBox(call: FilesCall, pendingId: number | undefined): Html {
  const { actor, issue, path, draft } = call
  const isOwn = actor.kind === "user" && actor.user.id === issue.author_id
  const to = pendingId === undefined ? newReview : submitPending
  const place = pendingId === undefined ? path : { ...path, id: String(pendingId) }
  const verdicts: readonly Option[] = [
    ["COMMENT", "Comment", "Submit general feedback without explicit approval."],
    ["APPROVED", "Approve", "Approve these changes."],
    ["REQUEST_CHANGES", "Request changes", "Submit feedback that must be addressed before merging."],
  ]
  return html`
    <details class="card review-box" id="review" ${flagged("open", draft?.form === to.id)}>
      <summary class="head">
        ${icon("file-diff")}<span class="strong">Finish your review</span>
        ${pendingId !== undefined && html` <span class="chip">You have a pending review</span>`}
      </summary>
      <div class="inside stack">
        ${formView(to, {
          path: place,
          draft,
          submit: "Submit review",
          fields: [
            {
              kind: "markdown",
              name: "body",
              label: "Summary",
              rows: 4,
              repository: repositoryPath(call),
              files: takesFiles(call.services),
            },
            {
              kind: "choice",
              name: "event",
              label: "Decision",
              value: "COMMENT",
              options: isOwn || issue.is_closed === 1 ? verdicts.slice(0, 1) : verdicts,
            },
          ],
        })}
        ${pendingId !== undefined && formButton(discardPending, place, "Discard pending comments")}
      </div>
    </details>
  `
}
