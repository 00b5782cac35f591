import { Mode } from "../../../access/modes.ts"
import { writesKind } from "../../../access/policies/issues.ts"
import type { OnPull } from "../../../access/policies/pulls.ts"
import type { User } from "../../../core/actor.ts"
import { type Actor, actorId } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { addressOf } from "../../../core/forms/form.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Draft } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { usersById } from "../../../features/code/repositories/store.ts"
import { standIn } from "../../../features/people/users/present.ts"
import { takesFiles } from "../../../features/planning/attachments/keep.ts"
import { type Role, rolesOf } from "../../../features/planning/comments/roles-store.ts"
import { countReactions } from "../../../features/planning/reactions/store.ts"
import {
  findLineCommentsOf,
  findPlacedComments,
  findReviewsWithText,
  type LineComment,
  type ReviewWithText,
} from "../../../features/review/reviews/store.ts"
import { newLinesOf, partSuggestion } from "../../../features/review/reviews/suggestion-text.ts"
import { repositoryPath } from "../../../web/address.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import type { DrawnReview, ShownText, TextActions } from "../../parts/conversation/around.ts"
import { historiesOf } from "../../parts/conversation/histories.ts"
import { textActionsOf } from "../../parts/conversation/text-actions.ts"
import { ticksOf } from "../../parts/conversation/ticks.ts"
import { article } from "../../parts/conversation/timeline-view.ts"
import { renderTexts } from "../../parts/texts.ts"
import { dismiss, replyForm, resolve, suggestionsPlace, undismiss, unresolve } from "./review-forms.ts"

/** Reviews in the conversation of a pull request: the verdict, and the threads on lines of code. */

interface Call extends OnPull {
  readonly services: Services
  readonly db: Handle
  readonly actor: Actor
  readonly path: Readonly<Record<string, string>>
  /** A form of a thread that was refused. */
  readonly draft?: Draft | undefined
}

type Verdict = { readonly icon: IconName; readonly tone: string; readonly words: Text }

/** The state of a review in words that follow the reviewer's name. */
const VERDICTS: Readonly<Record<"APPROVED" | "REQUEST_CHANGES" | "COMMENT", Verdict>> = {
  APPROVED: { icon: "check-circle", tone: "success", words: t("approved the changes") },
  REQUEST_CHANGES: { icon: "file-diff", tone: "failure", words: t("requested changes") },
  COMMENT: { icon: "comment-discussion", tone: "", words: t("reviewed") },
}

/** Draws reviews, by their ids: a constant number of queries. */
export async function drawReviews(
  call: Call,
  ids: readonly number[],
  actions: TextActions | undefined,
): Promise<ReadonlyMap<number, DrawnReview>> {
  const { db } = call
  const reviews = await findReviewsWithText(db, { ids })
  const { written, people } = await writtenOf(call, await findLineCommentsOf(db, { reviewIds: ids }), actions)
  const threads = Map.groupBy(written, ({ comment }) => comment.review_id)
  return new Map(
    reviews.map((review) => {
      const { icon: name, tone, words } = verdictOf(review.state)
      const own = [...Map.groupBy(threads.get(review.id) ?? [], ({ comment }) => `${comment.line} ${comment.path}`).values()]
      const after = [...own.map((thread) => drawThread(call, thread, people)), dismissal(call, review) ?? []].flat()
      return [
        review.id,
        {
          isVerdict: tone !== "",
          icon: name,
          tone,
          words: html`
            ${words}${review.is_dismissed === 1 && t(" (dismissed)")}
            ${review.is_stale === 1 && review.state !== "COMMENT" && t(", of an earlier version")}
          `,
          after: after.length > 0 && html`${after}`,
        },
      ]
    }),
  )
}

/** Comments with their texts and reactions, and the people who wrote them. */
async function writtenOf(call: Call, comments: readonly LineComment[], actions: TextActions | undefined, from: "files" | "" = "") {
  const { db, issue } = call
  const texts = await renderTexts(
    call,
    comments.map(({ content }) => partSuggestion(content).rest),
    { style: "comment", ticks: (at) => ticksOf(call, comments[at], from) },
  )
  const reactions = Map.groupBy(await countReactions(db, { issueId: issue.id }), ({ comment_id }) => comment_id)
  const users = await usersById(
    db,
    comments.flatMap(({ author_id, resolver_id }) => (resolver_id === null ? [author_id] : [author_id, resolver_id])),
  )
  const roles = await rolesOf(
    call,
    comments.map(({ author_id }) => author_id),
  )
  const person = (id: number) => users.get(id) ?? standIn(id)
  const histories = await historiesOf(db, call)
  const written = comments.map((comment, at): Written => {
    const history = histories.get(comment.id)
    return {
      comment,
      text: { html: texts[at] ?? html``, isEdited: history !== undefined, history, reactions: reactions.get(comment.id) ?? [], files: [] },
    }
  })
  return { written, people: { person, roles, actions } }
}

/** A conversation about a line of a file at the head of a pull request. */
export interface LineThread {
  readonly path: string
  /** Negative for a line of the old file. */
  readonly line: number
  readonly content: Content
  readonly comments: number
  readonly hasSuggestion: boolean
}

/** The conversations about lines that are still there, without the lines themselves: a constant number of queries. Of drafts the reader sees their own. */
export async function drawThreads(call: Call, isWanted: (comment: LineComment) => boolean = () => true): Promise<readonly LineThread[]> {
  const placed = await findPlacedComments(call.db, { issueId: call.issue.id, readerId: actorId(call.actor) })
  const found = placed.filter(isWanted)
  if (found.length === 0) return []
  const { written, people } = await writtenOf(call, found, await textActionsOf(call, "files"), "files")
  return [...Map.groupBy(written, ({ comment }) => `${comment.line} ${comment.path}`).values()].flatMap((thread) => {
    const [first] = thread
    if (!first) return []
    const { path, line } = first.comment
    return [
      {
        path,
        line,
        content: drawThread(call, thread, people, "files"),
        comments: thread.length,
        hasSuggestion: thread.some(({ comment }) => isOpenSuggestion(comment)),
      },
    ]
  })
}

export const verdictOf = (state: string | undefined): Verdict =>
  VERDICTS[state === "APPROVED" || state === "REQUEST_CHANGES" ? state : "COMMENT"]

interface Written {
  readonly comment: LineComment
  readonly text: ShownText
}

/** Those who wrote or resolved, what they are to the repository, and what the reader can do. */
interface People {
  readonly person: (id: number) => User
  readonly roles: ReadonlyMap<number, Role>
  readonly actions: TextActions | undefined
}

/** A comment on a line with its replies. A resolved conversation is closed. */
function drawThread(call: Call, thread: readonly Written[], { person, roles, actions }: People, from: "files" | "" = ""): Content {
  const { services, issue } = call
  const [first] = thread
  if (!first) return undefined
  const { path, line, lines, hunk, is_outdated, resolver_id } = first.comment
  const around = { authorId: issue.author_id, roles, now: services.now(), actions }
  return html`
    <details class="card thread" data-at="${placeOf(path, line)}" ${flagged("open", resolver_id === null)}>
      <summary class="head">
        ${from === "" && html`<span class="mono break"><bdi>${path}</bdi></span>${" "}`}
        <span class="muted">
          ${linesIn(line, lines)}
        </span>
        ${is_outdated === 1 && html` <span class="chip">Outdated</span>`}
        ${resolver_id !== null && html` <span class="state success">${icon("check")}Resolved by ${person(resolver_id).name}</span>`}
      </summary>
      <div class="inside stack">
        ${from === "" && hunk !== "" && drawHunk(hunk)}
        ${thread.map(({ comment, text }) =>
          article(
            {
              id: `issuecomment-${comment.id}`,
              user: person(comment.author_id),
              createdAt: comment.created_at,
              madeWith: comment.made_with,
              text: { ...text, html: html`${text.html}${drawSuggestion(call, comment, from)}` },
              entry: comment,
              verb: comment.kind === "code_draft" ? html`<span class="chip">Pending</span>` : t("commented"),
            },
            around,
          ),
        )}
        ${threadForms(call, first.comment, from)}
      </div>
    </details>
  `
}

/** A line as addresses name it: `path:R:7`, or `path:L:7` of the old file. */
export const placeOf = (path: string, line: number): string => `${path}:${line < 0 ? "L" : "R"}:${Math.abs(line)}`

/** Lines in words: the last of them, which is negative in the old file, and how many they are. */
export function linesIn(line: number, lines: number): Html {
  const last = Math.abs(line)
  if (line < 0) return lines > 1 ? html`Lines ${last - lines + 1} to ${last} before the change` : html`Line ${last} before the change`
  return lines > 1 ? html`Lines ${last - lines + 1} to ${last}` : html`Line ${last}`
}

/** Whether what a comment suggests can be committed: the lines are as they were, and the comment was sent. */
const isOpenSuggestion = ({ kind, content, line, is_outdated }: LineComment): boolean =>
  kind === "code" && line > 0 && is_outdated === 0 && partSuggestion(content).suggestion !== undefined

/** What a comment suggests, as a difference, with what commits it. */
function drawSuggestion({ actor, repository, issue, path }: Call, comment: LineComment, from: "files" | ""): Content {
  const { id, content, line, lines, hunk } = comment
  const { suggestion } = partSuggestion(content)
  if (suggestion === undefined || line < 1) return undefined
  const applies = actor.kind === "user" && issue.is_closed === 0 && repository.is_archived === 0 && isOpenSuggestion(comment)
  return html`
    <div class="suggestion">
      <p class="small muted">Suggested change</p>
      <pre class="hunk" tabindex="0">
        ${newLinesOf(hunk, lines).map((text) => html`<span class="del">-${text}</span>`)}
        ${suggestion.map((text) => html`<span class="add">+${text}</span>`)}
      </pre>
      ${
        applies &&
        html`
          <div class="bar">
            ${formButton(suggestionsPlace, path, t("Commit suggestion"), { comment: String(id) })}
            ${
              from === "files" &&
              html`<label class="small"><input type="checkbox" name="comment" value="${id}" form="suggestions"> Add to batch</label>`
            }
          </div>
        `
      }
    </div>
  `
}

/** The form that commits the suggestions that are ticked. It is hidden where there are none to tick: a script may put one on the page. */
export const suggestionsBox = ({ actor, repository, issue, path }: Call, hasSuggestions: boolean): Content =>
  actor.kind === "user" &&
  issue.is_closed === 0 &&
  repository.is_archived === 0 &&
  html`
    <form
      class="bar suggestions"
      id="suggestions"
      method="post"
      action="${addressOf(suggestionsPlace, path)}"
      ${flagged("hidden", !hasSuggestions)}
    >
      <label>Message <input name="message" placeholder="Apply suggestions from review" maxlength="500"></label>
      <button class="small">Commit selected suggestions</button>
    </form>
  `

/** Replying, and resolving. */
function threadForms(call: Call, { id, resolver_id, kind }: LineComment, from: "files" | ""): Content {
  const { actor, repository, issue, path: place, draft } = call
  if (actor.kind !== "user" || repository.is_archived === 1 || (issue.is_locked === 1 && !writesKind(call, issue))) return undefined
  const path = { ...place, id: String(id) }
  const hidden = { from, comment: String(id) }
  const refused = draft?.typed["comment"]?.[0] === String(id) ? draft : undefined
  const isOpen = refused?.form === replyForm.id
  return html`
    <div class="thread-forms">
      <details ${flagged("open", isOpen)}>
        <summary class="button small">Reply</summary>
        ${replyBox(call, { id, from, draft: refused })}
      </details>
      ${
        kind === "code" &&
        (issue.author_id === actor.user.id || writesKind(call, issue)) &&
        (resolver_id === null ? formButton(resolve, path, t("Resolve"), hidden) : formButton(unresolve, path, t("Unresolve"), hidden))
      }
    </div>
  `
}

interface ReplyOptions {
  /** The comment that is answered. */
  readonly id: number
  /** The page that the thread stands on. */
  readonly from: string
  readonly draft: Draft | undefined
  readonly text?: string
}

/** The form for an answer in a thread. */
export const replyBox = (
  call: Pick<Call, "services" | "owner" | "repository" | "path">,
  { id, from, draft, text = "" }: ReplyOptions,
): Html =>
  formView(replyForm, {
    path: { ...call.path, id: String(id) },
    draft,
    key: id,
    look: "small",
    submit: t("Reply"),
    fields: [
      { kind: "hidden", name: "from", value: from },
      { kind: "hidden", name: "comment", value: String(id) },
      {
        kind: "markdown",
        name: "body",
        label: t("Reply"),
        value: text,
        rows: 4,
        required: true,
        repository: repositoryPath(call),
        files: takesFiles(call.services),
      },
    ],
  })

/** For administrators: a verdict can be dismissed, and counts again when that is taken back. */
function dismissal(call: Call, { id, state, is_dismissed }: ReviewWithText): Content {
  const { actor, repository, issue, permission, path: place, draft } = call
  const isVerdict = state === "APPROVED" || state === "REQUEST_CHANGES"
  if (actor.kind !== "user" || !isVerdict || issue.is_closed === 1 || repository.is_archived === 1 || permission.mode < Mode.admin)
    return undefined
  const path = { ...place, id: String(id) }
  if (is_dismissed === 1) return formButton(undismiss, path, t("Undo dismissal"))
  return html`
    <details>
      <summary class="small">Dismiss</summary>
      ${formView(dismiss, {
        path,
        draft,
        key: id,
        look: "small",
        submit: t("Dismiss review"),
        fields: [{ kind: "line", name: "message", label: t("Reason") }],
      })}
    </details>
  `
}

const CLASSES: Readonly<Record<string, string>> = { "+": "add", "-": "del", "@": "at" }

/** The excerpt of the diff that a comment stands beneath. */
const drawHunk = (hunk: string): Html =>
  html`
    <pre class="hunk" tabindex="0">
      ${hunk.split("\n").map((text) => html`<span class="${CLASSES[text.charAt(0)] ?? ""}">${text === "" ? " " : text}</span>`)}
    </pre>
  `
