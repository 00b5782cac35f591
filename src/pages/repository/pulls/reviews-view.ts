import { Mode } from "../../../access/modes.ts"
import { writesKind } from "../../../access/policies/issues.ts"
import type { OnPull } from "../../../access/policies/pulls.ts"
import type { User } from "../../../core/actor.ts"
import { type Actor, actorId } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { addressOf } from "../../../core/forms/form.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import type { Text } from "../../../core/language/message.ts"
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
import type { DrawnReview, ShownText } from "../../parts/conversation/around.ts"
import { historiesOf } from "../../parts/conversation/histories.ts"
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
  APPROVED: { icon: "check-circle", tone: "success", words: "approved the changes" },
  REQUEST_CHANGES: { icon: "file-diff", tone: "failure", words: "requested changes" },
  COMMENT: { icon: "comment-discussion", tone: "", words: "reviewed" },
}

/** Draws reviews, by their ids: a constant number of queries. */
export async function drawReviews(call: Call, ids: readonly number[]): Promise<ReadonlyMap<number, DrawnReview>> {
  const { db } = call
  const reviews = await findReviewsWithText(db, { ids })
  const { written, people } = await writtenOf(call, await findLineCommentsOf(db, { reviewIds: ids }))
  const threads = Map.groupBy(written, ({ comment }) => comment.review_id)
  return new Map(
    reviews.map((review) => {
      const { icon: name, tone, words } = verdictOf(review.state)
      const own = [...Map.groupBy(threads.get(review.id) ?? [], ({ comment }) => `${comment.line} ${comment.path}`).values()]
      return [
        review.id,
        {
          icon: name,
          tone,
          words: html`
            ${words}${review.is_dismissed === 1 && " (dismissed)"}
            ${review.is_stale === 1 && review.state !== "COMMENT" && ", of an earlier version"}
          `,
          after: html`${own.map((thread) => drawThread(call, thread, people))}${dismissal(call, review)}`,
        },
      ]
    }),
  )
}

/** Comments with their texts and reactions, and the people who wrote them. */
async function writtenOf(call: Call, comments: readonly LineComment[], from: "files" | "" = "") {
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
  return { written, people: { person, roles } }
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
export async function drawThreads(call: Call): Promise<readonly LineThread[]> {
  const found = await findPlacedComments(call.db, { issueId: call.issue.id, readerId: actorId(call.actor) })
  if (found.length === 0) return []
  const { written, people } = await writtenOf(call, found, "files")
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

/** Those who wrote or resolved, and what they are to the repository. */
interface People {
  readonly person: (id: number) => User
  readonly roles: ReadonlyMap<number, Role>
}

/** A comment on a line with its replies. A resolved conversation is closed. */
function drawThread(call: Call, thread: readonly Written[], { person, roles }: People, from: "files" | "" = ""): Content {
  const { services, issue } = call
  const [first] = thread
  if (!first) return undefined
  const { path, line, lines, hunk, is_outdated, resolver_id } = first.comment
  const around = { authorId: issue.author_id, roles, now: services.now() }
  return html`
    <details class="card thread" ${flagged("open", resolver_id === null)}>
      <summary class="head">
        <span class="mono break"><bdi>${path}</bdi></span>${" "}
        <span class="muted">
          ${lines > 1 ? `lines ${Math.abs(line) - lines + 1} to ${Math.abs(line)}` : `line ${Math.abs(line)}`}
          ${line < 0 && " before the change"}
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
              text,
              verb: comment.kind === "code_draft" ? html`commented (pending) <span class="chip">Pending</span>` : "commented",
              after: drawSuggestion(call, comment, from),
            },
            around,
          ),
        )}
        ${threadForms(call, first.comment, from)}
      </div>
    </details>
  `
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
            ${formButton(suggestionsPlace, path, "Commit suggestion", { comment: String(id) })}
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

/** The form that commits the suggestions that are ticked; nothing where there are none to tick. */
export const suggestionsBox = ({ actor, repository, issue, path }: Call, hasSuggestions: boolean): Content =>
  hasSuggestions &&
  actor.kind === "user" &&
  issue.is_closed === 0 &&
  repository.is_archived === 0 &&
  html`
    <form class="bar suggestions" id="suggestions" method="post" action="${addressOf(suggestionsPlace, path)}">
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
        ${formView(replyForm, {
          path,
          draft: refused,
          key: id,
          look: "small",
          submit: "Reply",
          fields: [
            { kind: "hidden", name: "from", value: from },
            { kind: "hidden", name: "comment", value: String(id) },
            {
              kind: "markdown",
              name: "body",
              label: "Reply",
              rows: 4,
              required: true,
              repository: repositoryPath(call),
              files: takesFiles(call.services),
            },
          ],
        })}
      </details>
      ${
        kind === "code" &&
        (issue.author_id === actor.user.id || writesKind(call, issue)) &&
        (resolver_id === null ? formButton(resolve, path, "Resolve", hidden) : formButton(unresolve, path, "Unresolve", hidden))
      }
    </div>
  `
}

/** For administrators: a verdict can be dismissed, and counts again when that is taken back. */
function dismissal(call: Call, { id, state, is_dismissed }: ReviewWithText): Content {
  const { actor, repository, issue, permission, path: place, draft } = call
  const isVerdict = state === "APPROVED" || state === "REQUEST_CHANGES"
  if (actor.kind !== "user" || !isVerdict || issue.is_closed === 1 || repository.is_archived === 1 || permission.mode < Mode.admin)
    return undefined
  const path = { ...place, id: String(id) }
  if (is_dismissed === 1) return formButton(undismiss, path, "Undo dismissal")
  return html`
    <details>
      <summary class="small">Dismiss</summary>
      ${formView(dismiss, {
        path,
        draft,
        key: id,
        look: "small",
        submit: "Dismiss review",
        fields: [{ kind: "line", name: "message", label: "Reason" }],
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
