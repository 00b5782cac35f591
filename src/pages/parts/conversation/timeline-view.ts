import type { CloseReason } from "../../../core/database/tables/issues.ts"
import { attribute, type Content, type Html, html, joined, NOTHING } from "../../../core/html.ts"
import { onFirstUse } from "../../../core/memoize.ts"
import type { Attachment } from "../../../features/code/attachments/records.ts"
import type { User } from "../../../features/people/users/records.ts"
import type { TimelineComment } from "../../../features/planning/comments/records.ts"
import { ROLES, type Role } from "../../../features/planning/comments/roles-store.ts"
import type { ProjectName } from "../../../features/planning/issues/beside-store.ts"
import type { Issue } from "../../../features/planning/issues/records.ts"
import { localPath, path } from "../../../web/address.ts"
import { avatar, label, person, personWithAvatar } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { bytes, dayOf, duration, plural, timeOf } from "../../../web/time.ts"
import { stateOf, titleOf } from "../issues/list-view.ts"

/** The timeline of an issue or pull request as its page shows it. */

/** A text that somebody wrote, as the page shows it. */
export interface ShownText {
  readonly html: Html
  readonly isEdited: boolean
  /** The path of its earlier versions, where some are kept. */
  readonly history?: string | undefined
  readonly reactions: readonly ReactionCount[]
  readonly files: readonly Attachment[]
}

export interface ReactionCount {
  readonly content: string
  readonly total: number
}

/** What features above draw of an entry: the header's words, and what follows the text. */
export interface DrawnReview {
  readonly icon: IconName
  readonly tone: string
  readonly words: Content
  readonly after: Content
}

/** What the reader can do with a text, by the id of its entry; 0 is the opening text. */
export interface Deeds {
  readonly menu: (entryId: number, authorId: number) => Content
  /** Where reactions are sent to, and those that the reader gave; undefined where they may not react. */
  readonly react: ((entryId: number) => { readonly add: string; readonly remove: string; readonly own: readonly string[] }) | undefined
}

export interface Around {
  /** The path of the repository. */
  readonly at: string
  /** The id of the issue's author. */
  readonly authorId: number
  /** What those who wrote are to the repository, by their ids. */
  readonly roles: ReadonlyMap<number, Role>
  readonly now: number
  /** The texts of comments and reviews, by the ids of their entries. */
  readonly texts: ReadonlyMap<number, ShownText>
  /** The projects that the reader may see, by their ids. */
  readonly projects: ReadonlyMap<number, ProjectName>
  /** Reviews by their ids. */
  readonly reviews: ReadonlyMap<number, DrawnReview>
  /** Why the issue was closed, and where it was before, by the ids of the entries that say so. */
  readonly closings: ReadonlyMap<number, Closing>
  readonly origins: ReadonlyMap<number, Origin>
  readonly deeds?: Deeds | undefined
}

export interface Closing {
  readonly reason: CloseReason
  /** The issue that it repeats, where the reader may see it. */
  readonly duplicateOf: Issue | undefined
}

/** Where an issue was before it was transferred, where the reader may see that. */
export interface Origin {
  readonly repository: string
  readonly number: number
}

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

interface Line {
  readonly icon: IconName
  readonly tone?: string
  readonly words: Content
}

function closingOf(closing: Closing | undefined): Line {
  if (closing?.reason === "not_planned") return { icon: "skip", words: "closed this as not planned" }
  if (closing?.reason !== "duplicate") return { icon: "issue-closed", tone: "done", words: "closed this" }
  const { duplicateOf } = closing
  return { icon: "duplicate", words: html`closed this as a duplicate${duplicateOf && html` of ${mention(duplicateOf)}`}` }
}

/** What a line says after the name of who did it. */
function lineOf(entry: TimelineComment, run: readonly TimelineComment[], around: Around): Line {
  const { old_title, new_title, old_ref, new_ref, body } = entry
  switch (entry.type) {
    case "close":
      return closingOf(around.closings.get(entry.id))
    case "reopen":
      return { icon: "issue-reopened", tone: "open", words: "reopened this" }
    case "merge_pull":
      return { icon: "git-merge", tone: "merged", words: "merged this" }
    case "label":
      return { icon: "tag", words: labelWords(run) }
    case "milestone":
      return { icon: "milestone", words: milestoneWords(entry, around) }
    case "assignees":
      return { icon: "person", words: assigneeWords(entry, run) }
    case "review_request":
      return { icon: "eye", words: requestWords(entry, run) }
    case "change_title":
      return {
        icon: "pencil",
        words: html`changed the title from <del dir="auto">${titleOf(old_title)}</del> to <ins dir="auto">${titleOf(new_title)}</ins>`,
      }
    case "change_target_branch":
      return { icon: "git-branch", words: html`changed the base from ${branch(old_ref)} to ${branch(new_ref)}` }
    case "change_issue_ref":
      if (new_ref === "") return { icon: "git-branch", words: html`removed the branch ${branch(old_ref)}` }
      return old_ref === ""
        ? { icon: "git-branch", words: html`set the branch to ${branch(new_ref)}` }
        : { icon: "git-branch", words: html`changed the branch from ${branch(old_ref)} to ${branch(new_ref)}` }
    case "delete_branch":
      return { icon: "git-branch", words: html`deleted the branch ${branch(old_ref)}` }
    case "lock":
      return { icon: "lock", words: html`locked the conversation${body !== "" && html` (<span dir="auto">${body}</span>)`}` }
    case "unlock":
      return { icon: "unlock", words: "unlocked the conversation" }
    case "transfer": {
      const origin = around.origins.get(entry.id)
      return { icon: "arrow-right", words: html`moved this here${origin && html` from <bdi>${origin.repository}</bdi>#${origin.number}`}` }
    }
    case "pin":
      return { icon: "pin", words: "pinned this" }
    case "unpin":
      return { icon: "pin", words: "unpinned this" }
    case "issue_ref":
    case "pull_ref":
    case "comment_ref":
      return { icon: "cross-reference", words: referenceWords(entry, run) }
    case "commit_ref":
      return { icon: "git-commit", words: html`referred to this in ${commitLink(entry)}` }
    case "add_dependency":
      return { icon: "package-dependencies", words: html`added a dependency: ${mention(entry.dependent_issue)}` }
    case "remove_dependency":
      return { icon: "package-dependencies", words: html`removed a dependency: ${mention(entry.dependent_issue)}` }
    case "added_deadline":
      return { icon: "calendar", words: html`set the due date to ${day(body)}` }
    case "modified_deadline": {
      const [to = "", from = ""] = body.split("|")
      return { icon: "calendar", words: html`moved the due date from ${day(from)} to ${day(to)}` }
    }
    case "removed_deadline":
      return { icon: "calendar", words: html`removed the due date ${day(body)}` }
    case "start_tracking":
      return { icon: "stopwatch", words: "started working" }
    case "stop_tracking":
      return { icon: "stopwatch", words: html`worked for ${spent(entry)}` }
    case "cancel_tracking":
      return { icon: "stopwatch", words: "stopped working, without counting the time" }
    case "add_time_manual":
      return { icon: "stopwatch", words: html`added ${spent(entry)} of work` }
    case "delete_time_manual":
      return { icon: "stopwatch", words: html`deleted ${spent(entry)} of work` }
    case "change_time_estimate":
      return { icon: "hourglass", words: html`changed the estimate to ${estimate(body)}` }
    case "project":
    case "project_board":
      return { icon: "project", words: projectWords(entry, around) }
    case "pull_push":
      return { icon: "repo-push", words: pushWords(entry, around) }
    case "dismiss_review":
      return {
        icon: "x-circle",
        words: html`
          dismissed a review${
            entry.review_id !== 0 && around.reviews.has(entry.review_id) && html` (${around.reviews.get(entry.review_id)?.words})`
          }
          ${body !== "" && html`: <span dir="auto">${body}</span>`}
        `,
      }
    case "pull_scheduled_merge":
      return { icon: "clock", tone: "pending", words: "scheduled an auto-merge for when all checks succeed" }
    case "pull_cancel_scheduled_merge":
      return { icon: "clock", words: "cancelled the auto-merge" }
    default:
      return { icon: "dot-fill", words: entry.type.replaceAll("_", " ") }
  }
}

const branch = (ref: string): Html => html`<code><bdi>${ref}</bdi></code>`

function day(text: string): Content {
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : dayOf(at / 1000)
}

const spent = ({ tracked_time, body }: TimelineComment): Content =>
  tracked_time ? duration(tracked_time.time) : body === "" ? "some time" : body
const estimate = (body: string): Content => (/^\d{1,12}$/.test(body) ? duration(Number(body)) : body)

/** The first entry of a folded line has its anchor on the line. */
const anchored = (entry: TimelineComment, run: readonly TimelineComment[], content: Content): Html =>
  entry === run[0] ? html`${content}` : html`<span ${attribute("id", `event-${entry.id}`)}>${content}</span>`

function changes(
  run: readonly TimelineComment[],
  isRemoval: (entry: TimelineComment) => boolean,
  show: (entry: TimelineComment) => Content,
): Html {
  const parts = [run.filter((entry) => !isRemoval(entry)), run.filter(isRemoval)].map((entries) =>
    entries.map((entry) => anchored(entry, run, show(entry))),
  )
  const [added = [], removed = []] = parts
  return html`
    ${added.length > 0 && html`added the ${added.length === 1 ? "label" : "labels"} ${joined(added, " ")}`}
    ${added.length > 0 && removed.length > 0 && " and "}
    ${removed.length > 0 && html`removed the ${removed.length === 1 ? "label" : "labels"} ${joined(removed, " ")}`}
  `
}

function labelWords(run: readonly TimelineComment[]): Html {
  const show = (entry: TimelineComment): Content =>
    entry.label
      ? label(entry.label.name, entry.label.color, { title: entry.label.description })
      : html`<span class="muted">a deleted label</span>`
  return changes(run, ({ body }) => body === "", show)
}

/** Those who were added and those who were removed, each kind behind its verb. */
function addedAndRemoved(
  run: readonly TimelineComment[],
  [added, removed]: readonly [string, string],
  show: (entry: TimelineComment) => Content,
  between: string,
): Html {
  const words = [
    [run.filter(({ removed_assignee }) => !removed_assignee), added],
    [run.filter(({ removed_assignee }) => removed_assignee), removed],
  ] as const
  return html`
    ${joined(
      words.flatMap(([entries, verb]) =>
        entries.length === 0
          ? []
          : [
              html`
                ${verb} ${joined(
                  entries.map((each) => anchored(each, run, show(each))),
                  ", ",
                )}
              `,
            ],
      ),
      between,
    )}
  `
}

function assigneeWords(entry: TimelineComment, run: readonly TimelineComment[]): Html {
  if (run.length === 1 && entry.assignee && entry.assignee.id === entry.user.id)
    return html`${entry.removed_assignee ? "unassigned themselves" : "self-assigned this"}`
  const show = ({ assignee }: TimelineComment): Content => person(assignee)
  return addedAndRemoved(run, ["assigned", "unassigned"], show, " and ")
}

function requestWords(entry: TimelineComment, run: readonly TimelineComment[]): Html {
  const isOwn = run.length === 1 && entry.assignee?.id === entry.user.id
  if (isOwn) return html`${entry.removed_assignee ? "declined to review this" : "self-requested a review"}`
  const show = ({ assignee, assignee_team }: TimelineComment): Content =>
    assignee ? person(assignee) : html`<span class="strong">${icon("people")} <bdi>${assignee_team?.name ?? "a deleted team"}</bdi></span>`
  return addedAndRemoved(run, ["requested a review from", "cancelled the review request to"], show, ", and ")
}

function milestoneWords({ milestone, old_milestone }: TimelineComment, { at }: Around): Html {
  const link = ({ id, title }: { readonly id: number; readonly title: string }) =>
    html`<a class="strong" href="${at}/milestone/${id}"><bdi>${title}</bdi></a>`
  if (milestone && old_milestone) return html`moved this from ${link(old_milestone)} to ${link(milestone)}`
  if (milestone) return html`added this to ${link(milestone)}`
  return old_milestone ? html`removed this from ${link(old_milestone)}` : html`changed the milestone, which is deleted`
}

function projectWords({ type, project_id, old_project_id }: TimelineComment, { projects }: Around): Html {
  const link = (id: number): Html => {
    const project = projects.get(id)
    if (!project) return html`a project`
    const { owner, repository, title } = project
    return html`<a class="strong" href="${path(owner, repository ?? "-", "projects", id)}"><bdi>${title}</bdi></a>`
  }
  if (type === "project_board") return html`moved this in ${link(project_id)}`
  return project_id !== 0 ? html`added this to ${link(project_id)}` : html`removed this from ${link(old_project_id)}`
}

/** A link to another issue or pull request, with its state. Nothing tells of one that the reader may not see. */
export function mention(issue: Issue | null): Html {
  if (!issue) return html`<span class="muted">one that is deleted</span>`
  const { tone, icon: name, text } = stateOf(issue)
  return html`
    <span class="${tone}">${icon(name, text)}</span>${" "}
    <a class="mention" href="${localPath(issue.html_url)}" dir="auto">
      <span class="muted">${issue.repository.full_name}#${issue.number}</span> ${titleOf(issue.title)}
    </a>
  `
}

function referenceWords(entry: TimelineComment, run: readonly TimelineComment[]): Html {
  const { ref_issue, ref_comment, ref_action } = entry
  const will = ref_action === "closes" ? ", which closes this" : ref_action === "reopens" ? ", which reopens this" : ""
  if (ref_action === "neutered") return html`removed a reference to this: ${mention(ref_issue)}`
  if (ref_comment && run.length > 1) {
    const links = run.map((each, index) =>
      anchored(each, run, each.ref_comment ? html`<a href="${localPath(each.ref_comment.html_url)}">${index + 1}</a>` : index + 1),
    )
    return html`referred to this in ${run.length} comments (${joined(links, " ")}) on ${mention(ref_issue)}`
  }
  if (ref_comment) return html`referred to this in <a href="${localPath(ref_comment.html_url)}">a comment</a> on ${mention(ref_issue)}`
  return html`referred to this in ${mention(ref_issue)}${will}`
}

const REFERRING = /^<a href="([^"]*)">([\s\S]*)<\/a>$/

/** The commit that refers: its page and subject are stored as a link, for clients of the API. */
function commitLink({ body, ref_commit_sha }: TimelineComment): Html {
  const [, href, subject] = REFERRING.exec(body) ?? []
  const id = html`<code>${ref_commit_sha.slice(0, 10)}</code>`
  return href === undefined || subject === undefined
    ? html`commit ${id}`
    : html`<a href="${localPath(unescaped(href))}">${id}</a> <span dir="auto">${unescaped(subject)}</span>`
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" }
const unescaped = (text: string): string => text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (whole, name: string) => ENTITIES[name] ?? whole)

function pushWords({ body }: TimelineComment, { at }: Around): Html {
  const { isForced, ids } = pushOf(body)
  const [from, to] = ids
  if (isForced && from !== undefined && to !== undefined)
    return html`
      force-pushed: <a href="${at}/compare/${from}..${to}">
        <code>${from.slice(0, 10)}</code> → <code>${to.slice(0, 10)}</code>
      </a>
    `
  if (isForced) return html`force-pushed`
  const list = ids.slice(0, MOST_COMMITS).map((id) => html`<a href="${at}/commit/${id}"><code>${id.slice(0, 10)}</code></a>`)
  return html`pushed ${plural(ids.length, "commit")}${list.length > 0 && html`: ${joined(list, " ")}${ids.length > list.length && " …"}`}`
}

/** The most commits of a push that are named. */
const MOST_COMMITS = 10

/** A push's commits, as they are stored for clients of the API. */
function pushOf(body: string): { readonly isForced: boolean; readonly ids: readonly string[] } {
  try {
    const stored: unknown = JSON.parse(body)
    if (typeof stored !== "object" || stored === null) return { isForced: false, ids: [] }
    const ids = "commit_ids" in stored && Array.isArray(stored.commit_ids) ? stored.commit_ids : []
    return {
      isForced: "is_force_push" in stored && stored.is_force_push === true,
      ids: ids.filter((id) => typeof id === "string" && /^[0-9a-f]{40,64}$/.test(id)),
    }
  } catch {
    return { isForced: false, ids: [] }
  }
}

/** People beside each other, as pictures that lead to them. */
export const faces = (people: readonly User[]): Html =>
  people.length === 0
    ? NOTHING
    : html`
      <p class="bar faces">
        ${people.map(
          (user) => html`<a href="${path(user.login)}" title="${user.login}" aria-label="${user.login}">${avatar(user, 24)}</a>`,
        )}
      </p>
    `
