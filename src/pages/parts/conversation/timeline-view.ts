import { isDraft } from "../../../access/policies/comments.ts"
import type { User } from "../../../core/actor.ts"
import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { onFirstUse } from "../../../core/memoize.ts"
import { ROLES } from "../../../features/planning/comments/roles-store.ts"
import type { TimelineView } from "../../../features/planning/comments/timeline.ts"
import { avatar, person, personWithAvatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { bytes, time } from "../../../web/time.ts"
import { madeWithMark } from "../made-with.ts"
import type { Around, ReactionCount, ShownText, TextActions, TextEntry } from "./around.ts"
import { lineOf } from "./timeline-lines.ts"

/** The timeline of an issue or pull request as its page shows it. */

const EMOJI: Readonly<Record<string, string>> = {
  "+1": "👍",
  "-1": "👎",
  laugh: "😄",
  hooray: "🎉",
  confused: "😕",
  heart: "❤️",
  rocket: "🚀",
  eyes: "👀",
}

/** Reactions as counts. */
export const reactionCounts = (reactions: readonly ReactionCount[]): Content =>
  reactions.length > 0 &&
  html`
    <p class="bar small reactions">
      ${reactions.map(
        ({ content, total }) =>
          html`
            <span class="chip" title="${content}">
              <span aria-hidden="true">${EMOJI[content] ?? content}</span><span class="hidden-text">${content}</span>${" "}
              ${total}
            </span>
          `,
      )}
    </p>
  `

/** Reactions as buttons that give and take back one's own. */
function reactionButtons(
  reactions: readonly ReactionCount[],
  { add, remove, own, from }: ReturnType<NonNullable<TextActions["react"]>>,
): Html {
  const given = reactions.map(({ content, total }) => {
    const isOwn = own.includes(content)
    return html`
      <button
        class="chip"
        name="content"
        value="${content}"
        title="${content}"
        ${attribute("formaction", isOwn ? remove : undefined)}
        aria-pressed="${isOwn ? "true" : "false"}"
      >
        <span aria-hidden="true">${EMOJI[content] ?? content}</span><span class="hidden-text">${content}</span> ${total}
      </button>
    `
  })
  const menu = reactions.length === 0 ? wholeMenu() : menuWithout(new Set(reactions.map(({ content }) => content)))
  const back = from !== "" && html`<input type="hidden" name="from" value="${from}">`
  return html`<form class="bar small reactions" method="post" action="${add}" data-remove="${remove}">${back}${given}${menu}</form>`
}

/** The reactions that no one has given yet. */
function menuWithout(given: ReadonlySet<string>): Content {
  const others = Object.entries(EMOJI).filter(([content]) => !given.has(content))
  return (
    others.length > 0 &&
    html`
      <details class="menu starts">
        <summary class="chip">${icon("smiley", t("React"))}</summary>
        <div class="menu-items faces">
          ${others.map(
            ([content, emoji]) =>
              html`<button class="chip" name="content" value="${content}" title="${content}" aria-label="${content}">${emoji}</button>`,
          )}
        </div>
      </details>
    `
  )
}

/** Most texts have no reactions: their menus are the same. */
const wholeMenu = onFirstUse(() => menuWithout(new Set()))

const files = (all: ShownText["files"]): Content =>
  all.length > 0 &&
  html`
    <ul class="plain small files" aria-label="Attached files">
      ${all.map(
        ({ uuid, name, size }) =>
          html`
            <li>
              ${icon("paperclip")} <a href="/attachments/${uuid}"><bdi>${name}</bdi></a>${" "}
              <span class="muted">${bytes(size)}</span>
            </li>
          `,
      )}
    </ul>
  `

export interface Written {
  /** The anchor of the article. */
  readonly id: string
  readonly user: User
  /** Where it was brought from another server. */
  readonly originalAuthor?: string
  /** The name of the token for one task that made it; "" where a person did. */
  readonly madeWith?: string
  readonly createdAt: number
  readonly text: ShownText
  /** Which entry it is, where something can be done with it. */
  readonly entry?: Pick<TextEntry, "id" | "kind">
  /** What was done by it: “commented”. */
  readonly verb: Content
  readonly after?: Content
  readonly tone?: string
}

/** Something that someone wrote, as an article: the opening text, a comment, a review. */
export function article(written: Written, { authorId, roles, now, actions }: Pick<Around, "authorId" | "roles" | "now" | "actions">): Html {
  const { id, user, originalAuthor = "", madeWith = "", createdAt, text, verb, after, entry } = written
  const react = entry && !isDraft(entry) ? actions?.react?.(entry.id) : undefined
  const role = originalAuthor === "" ? roles.get(user.id) : undefined
  const isAuthor = originalAuthor === "" && user.id === authorId
  return html`
    <article class="card comment" id="${id}">
      <header>
        <h2 class="by">
          ${originalAuthor === "" ? personWithAvatar(user, 24) : html`<bdi class="strong">${originalAuthor}</bdi>`}${" "}
          <span class="muted">${verb} <a href="#${id}">${time(createdAt, now)}</a></span>
        </h2>
        ${
          text.history
            ? html`<a class="small" href="${text.history}" rel="nofollow" aria-label="Edited: the history of this text">edited</a>`
            : text.isEdited && html`<span class="muted small">edited</span>`
        }
        <span class="end roles">
          ${madeWith !== "" && madeWithMark(madeWith)}
          ${isAuthor && html`<span class="chip">Author</span>`}${role && html`<span class="chip">${ROLES[role]}</span>`}
          ${entry && actions?.menu({ ...entry, authorId: user.id })}
        </span>
      </header>
      <div class="inside stack">
        ${String(text.html) === "" ? !after && html`<p class="muted">No description.</p>` : text.html}
        ${files(text.files)}${react ? reactionButtons(text.reactions, react) : reactionCounts(text.reactions)}${after}
      </div>
    </article>
  `
}

/** The entries in their order; consecutive changes of labels, assignees and reviewers by one person share a line. */
export function timelineItems(entries: readonly TimelineView[], around: Around): Html {
  return html`
    ${foldedRuns(entries).map((run) => {
      const [first] = run
      return first && timelineItem(first, run, around)
    })}
  `
}

const FOLDED = ["label", "assignees", "review_request", "comment_ref"]

const isFoldedWith = ({ entry: before }: TimelineView, { entry }: TimelineView): boolean =>
  before.kind === entry.kind &&
  FOLDED.includes(entry.kind) &&
  before.author_id === entry.author_id &&
  before.ref_issue_id === entry.ref_issue_id &&
  before.ref_action === entry.ref_action &&
  before.made_with === entry.made_with

function foldedRuns(entries: readonly TimelineView[]): readonly (readonly TimelineView[])[] {
  const runs: TimelineView[][] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    if (last && before && isFoldedWith(before, entry)) last.push(entry)
    else runs.push([entry])
  }
  return runs
}

function timelineItem(view: TimelineView, run: readonly TimelineView[], around: Around): Html {
  const { entry, author: user } = view
  const text = around.texts.get(entry.id)
  const written = text && { id: `issuecomment-${entry.id}`, user, createdAt: entry.created_at, madeWith: entry.made_with, text }
  if (entry.kind === "comment" && written)
    return html`<li id="entry-${entry.id}">${article({ ...written, verb: t("commented"), entry }, around)}</li>`
  if (entry.kind === "review" && written) {
    const review = around.reviews.get(entry.review_id ?? 0)
    const verb = review ? html`<span class="${review.tone}">${icon(review.icon)} ${review.words}</span>` : t("reviewed")
    const hasText = String(text.html) !== "" || text.files.length > 0
    if (hasText || review?.after)
      return html`
        <li id="entry-${entry.id}">
          ${article({ ...written, verb, entry, ...(review?.after ? { after: review.after } : {}) }, around)}
        </li>
      `
    // Nothing is left of it: its text or its comments were deleted.
    if (review?.isVerdict === false) return html``
    return line(review?.icon ?? "eye", review?.tone ?? "", view, verb, around.now, written.id)
  }
  const { icon: name, tone = "", words } = lineOf(view, run, around)
  return line(name, tone, view, words, around.now)
}

const line = (name: IconName, tone: string, { entry, author }: TimelineView, words: Content, now: number, id = `event-${entry.id}`): Html =>
  html`
    <li class="event" id="${id}">
      <span class="mark ${tone}">${icon(name)}</span>
      <div>
        ${avatar(author, 18)} ${person(author)} ${words}${" "}
        ${entry.made_with !== "" && html`${madeWithMark(entry.made_with)} `}
        <a class="muted" href="#${id}">${time(entry.created_at, now)}</a>
      </div>
    </li>
  `
