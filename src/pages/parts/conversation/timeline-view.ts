import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { onFirstUse } from "../../../core/memoize.ts"
import type { Attachment } from "../../../features/code/attachments/records.ts"
import type { User } from "../../../features/people/users/records.ts"
import type { TimelineComment } from "../../../features/planning/comments/records.ts"
import { ROLES } from "../../../features/planning/comments/roles-store.ts"
import { localPath } from "../../../web/address.ts"
import { avatar, person, personWithAvatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { bytes, timeOf } from "../../../web/time.ts"
import type { Around, Deeds, ReactionCount, ShownText } from "./around.ts"
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
function reactionButtons(reactions: readonly ReactionCount[], { add, remove, own }: ReturnType<NonNullable<Deeds["react"]>>): Html {
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
  return html`<form class="bar small reactions" method="post" action="${add}">${given}${menu}</form>`
}

/** The reactions that nobody has given yet. */
function menuWithout(given: ReadonlySet<string>): Content {
  const others = Object.entries(EMOJI).filter(([content]) => !given.has(content))
  return (
    others.length > 0 &&
    html`
      <details class="menu starts">
        <summary class="chip">${icon("smiley", "React")}</summary>
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

const files = (all: readonly Attachment[]): Content =>
  all.length > 0 &&
  html`
    <ul class="plain small files" aria-label="Attached files">
      ${all.map(
        ({ name, size, browser_download_url }) =>
          html`
            <li>
              ${icon("paperclip")} <a href="${localPath(browser_download_url)}"><bdi>${name}</bdi></a>${" "}
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
  readonly createdAt: string
  readonly text: ShownText
  /** Which entry it is, where something can be done with it. */
  readonly entryId?: number
  /** What was done by it: “commented”. */
  readonly verb: Content
  readonly after?: Content
  readonly tone?: string
}

/** Something that somebody wrote, as an article: the opening text, a comment, a review. */
export function article(written: Written, { authorId, roles, now, deeds }: Pick<Around, "authorId" | "roles" | "now" | "deeds">): Html {
  const { id, user, originalAuthor = "", createdAt, text, verb, after, entryId } = written
  const react = entryId === undefined ? undefined : deeds?.react?.(entryId)
  const role = originalAuthor === "" ? roles.get(user.id) : undefined
  const isAuthor = originalAuthor === "" && user.id === authorId
  return html`
    <article class="card comment" id="${id}">
      <header>
        <h2 class="by">
          ${originalAuthor === "" ? personWithAvatar(user, 24) : html`<bdi class="strong">${originalAuthor}</bdi>`}${" "}
          <span class="muted">${verb} <a href="#${id}">${timeOf(createdAt, now)}</a></span>
        </h2>
        ${
          text.history
            ? html`<a class="small" href="${text.history}" rel="nofollow" aria-label="Edited: the history of this text">edited</a>`
            : text.isEdited && html`<span class="muted small">edited</span>`
        }
        <span class="end roles">
          ${isAuthor && html`<span class="chip">Author</span>`}${role && html`<span class="chip">${ROLES[role]}</span>`}
          ${entryId !== undefined && deeds?.menu(entryId, user.id)}
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
export function timelineItems(entries: readonly TimelineComment[], around: Around): Html {
  return html`
    ${foldedRuns(entries).map((run) => {
      const [first] = run
      return first && timelineItem(first, run, around)
    })}
  `
}

const FOLDED = ["label", "assignees", "review_request", "comment_ref"]

const isFoldedWith = (before: TimelineComment, entry: TimelineComment): boolean =>
  before.type === entry.type &&
  FOLDED.includes(entry.type) &&
  before.user.id === entry.user.id &&
  before.ref_issue?.id === entry.ref_issue?.id &&
  before.ref_action === entry.ref_action

function foldedRuns(entries: readonly TimelineComment[]): readonly (readonly TimelineComment[])[] {
  const runs: TimelineComment[][] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    if (last && before && isFoldedWith(before, entry)) last.push(entry)
    else runs.push([entry])
  }
  return runs
}

function timelineItem(entry: TimelineComment, run: readonly TimelineComment[], around: Around): Html {
  const text = around.texts.get(entry.id)
  if (entry.type === "comment" && text)
    return html`
      <li id="entry-${entry.id}">
        ${article(
          { id: `issuecomment-${entry.id}`, user: entry.user, createdAt: entry.created_at, text, verb: "commented", entryId: entry.id },
          around,
        )}
      </li>
    `
  const review = entry.type === "review" ? around.reviews.get(entry.review_id) : undefined
  if (entry.type === "review" && text) {
    const verb = review ? html`<span class="${review.tone}">${icon(review.icon)} ${review.words}</span>` : "reviewed"
    const hasText = String(text.html) !== "" || text.files.length > 0
    if (hasText || review?.after)
      return html`
        <li id="entry-${entry.id}">
          ${article(
            {
              id: `issuecomment-${entry.id}`,
              user: entry.user,
              createdAt: entry.created_at,
              text,
              verb,
              ...(review?.after ? { after: review.after } : {}),
            },
            around,
          )}
        </li>
      `
    return line(review?.icon ?? "eye", review?.tone ?? "", entry, verb, around.now, `issuecomment-${entry.id}`)
  }
  const { icon: name, tone = "", words } = lineOf(entry, run, around)
  return line(name, tone, entry, words, around.now)
}

const line = (name: IconName, tone: string, entry: TimelineComment, words: Content, now: number, id = `event-${entry.id}`): Html =>
  html`
    <li class="event" id="${id}">
      <span class="mark ${tone}">${icon(name)}</span>
      <div>
        ${avatar(entry.user, 18)} ${person(entry.user)} ${words}${" "}
        <a class="muted" href="#${id}">${timeOf(entry.created_at, now)}</a>
      </div>
    </li>
  `
