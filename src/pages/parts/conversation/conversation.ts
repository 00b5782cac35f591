import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Page as ListPage } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { namedIn } from "../../../features/code/attachments/unbound.ts"
import { attachmentsOf } from "../../../features/planning/comments/present.ts"
import { rolesOf } from "../../../features/planning/comments/roles-store.ts"
import { findTimeline } from "../../../features/planning/comments/store.ts"
import { viewTimeline } from "../../../features/planning/comments/timeline.ts"
import { findProjectNames } from "../../../features/planning/issues/beside-store.ts"
import { type IssueView, viewIssue } from "../../../features/planning/issues/present.ts"
import { isText, type TimelineEntry } from "../../../features/planning/issues/timeline.ts"
import { countReactions } from "../../../features/planning/reactions/store.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { pager, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { plural, time } from "../../../web/time.ts"
import { renderTexts } from "../texts.ts"
import type { Around, DrawnReview, ShownText, TextActions } from "./around.ts"
import type { ConversationCall } from "./call.ts"
import { conversationPath, quoteOf, type TypedReply } from "./call.ts"
import { closingsOf } from "./endings.ts"
import type { ConversationForms } from "./forms.ts"
import { historiesOf } from "./histories.ts"
import { originsOf } from "./origins.ts"
import { replyForm } from "./reply.ts"
import { sideOf } from "./side.ts"
import { isInPlace } from "./task-forms.ts"
import { textActionsOf } from "./text-actions.ts"
import { ticksOf } from "./ticks.ts"
import { article, timelineItems } from "./timeline-view.ts"

/** The conversation about an issue or a pull request: both pages are made of it. */

/** Longer timelines are folded in the middle: so many entries are shown of their beginning and their end. */
const FIRST_SHOWN = 30
const LAST_SHOWN = 60
/** The entries of one page of an unfolded one. */
const ENTRIES_SHOWN = 500

export interface ConversationOptions {
  /** The unfolded timeline. */
  readonly all: boolean
  readonly draft?: TypedReply | undefined
  /** The id of the comment that the reader answers; 0 for the opening text. */
  readonly quote?: number | undefined
  readonly forms: ConversationForms
  /** Reviews, by their ids, as features above draw them. */
  readonly reviewsOf?: (reviewIds: readonly number[], actions: TextActions | undefined) => Promise<ReadonlyMap<number, DrawnReview>>
  /** What features above show at the end of the timeline, and at the top of the side. */
  readonly below?: Content
  readonly side?: Content
}

/** What the address of the page may say. */
export const conversationQuery = { all: Type.Optional(Type.Boolean()), quote: Type.Optional(Type.Integer()) } as const

/** Who opened an issue and when, and what was said. */
export const opened = ({ author, issue: { original_author, created_at, comments_count } }: IssueView, now: number): Html =>
  html`
    ${original_author === "" ? person(author) : html`<bdi class="strong">${original_author}</bdi>`} opened this${" "}
    ${time(created_at, now)} · ${plural(comments_count, "comment")}
  `

/** The timeline, the form and the side: a constant number of queries. */
export async function conversation(call: ConversationCall, view: IssueView, options: ConversationOptions): Promise<Html> {
  const { db, actor, repository, owner } = call
  const here = conversationPath(call)
  const found = await findEntries(call, options.all)
  const entries = await viewTimeline(db, actor, { repository, owner }, found.rows)
  const around = await aroundOf(call, view, options, found.rows)
  const first = found.hidden > 0 ? FIRST_SHOWN : entries.length
  const draft = options.draft ?? quoted(options.quote, view, found.rows)
  return html`
    ${refusedButton(call)}
    <div class="columns conversation">
      <div>
        <ol class="plain timeline" id="timeline" data-live="list">
          <li id="entry-0">${openingText(view, around)}</li>
          ${timelineItems(entries.slice(0, first), around)}${found.hidden > 0 && folded(here, found.hidden)}
          ${timelineItems(entries.slice(first), around)}
        </ol>
        ${options.all && pager(withQuery(here, { all: 1 }), unfolded(call), found.total)}${options.below}
        ${await replyForm(call, view, draft)}
      </div>
      <aside class="side stack" aria-label="About this">
        ${options.side}${await sideOf(call, view, options.forms)}
      </aside>
    </div>
  `
}

async function aroundOf(
  call: ConversationCall,
  view: IssueView,
  { reviewsOf }: ConversationOptions,
  rows: readonly TimelineEntry[],
): Promise<Around> {
  const { services, db, actor, issue } = call
  const projectIds = [
    ...rows.flatMap((entry) => [entry.project_id ?? 0, entry.old_project_id ?? 0]),
    ...view.projects.map(({ project }) => project.id),
  ]
  const projects = await findProjectNames(db, actor, [...new Set(projectIds.filter((id) => id !== 0))])
  const reviewIds = [...new Set(rows.flatMap(({ review_id }) => review_id ?? []))]
  const actions = await textActionsOf(call)
  const reviews = reviewIds.length === 0 ? undefined : await reviewsOf?.(reviewIds, actions)
  return {
    at: repositoryPath(call),
    authorId: issue.author_id,
    texts: await textsOf(call, view, rows),
    roles: await rolesOf(call, [issue.author_id, ...rows.filter(isText).map(({ author_id }) => author_id)]),
    now: services.now(),
    projects,
    reviews: reviews ?? new Map(),
    closings: await closingsOf(call, rows),
    origins: await originsOf(call, rows),
    actions,
  }
}

function openingText({ issue, author }: IssueView, around: Around): Content {
  const text = around.texts.get(0)
  const made = { originalAuthor: issue.original_author, madeWith: issue.made_with, createdAt: issue.created_at }
  const by = { user: author, ...made, verb: t("opened this") } as const
  return text && article({ id: `issue-${issue.id}`, ...by, text, entry: { id: 0, kind: "comment" } }, around)
}

const folded = (here: string, hidden: number): Html =>
  html`
    <li class="fold" id="fold">
      <a class="button" href="${withQuery(here, { all: 1 })}" data-whole rel="nofollow">
        ${icon("unfold")}Show ${plural(hidden, "more entry", "more entries")}
      </a>
    </li>
  `

interface FoundEntries {
  readonly rows: readonly TimelineEntry[]
  readonly total: number
  /** How many between the first and the last ones are not among the rows. */
  readonly hidden: number
}

const always = { since: 0, before: Number.MAX_SAFE_INTEGER } as const

/** Pages of a conversation are longer than those of lists. */
const unfolded = ({ page: { number } }: ConversationCall): ListPage => ({
  number,
  limit: ENTRIES_SHOWN,
  offset: (number - 1) * ENTRIES_SHOWN,
})

async function findEntries(call: ConversationCall, all: boolean): Promise<FoundEntries> {
  const { db, actor, issue } = call
  if (all) return { ...(await findTimeline(db, actor, issue.id, always, unfolded(call))), hidden: 0 }
  const shown = FIRST_SHOWN + LAST_SHOWN
  const { rows: first, total } = await findTimeline(db, actor, issue.id, always, { number: 1, limit: shown, offset: 0 })
  if (total <= shown) return { rows: first, total, hidden: 0 }
  const last = await findTimeline(db, actor, issue.id, always, { number: 1, limit: LAST_SHOWN, offset: total - LAST_SHOWN })
  return { rows: [...first.slice(0, FIRST_SHOWN), ...last.rows], total, hidden: total - shown }
}

/** The files that are listed beside a text: those that it does not show or link itself. */
function beside<File extends { readonly uuid: string }>(text: string, files: readonly File[]): readonly File[] {
  const named = namedIn(text)
  return files.filter(({ uuid }) => !named.has(uuid))
}

/** The opening text, as 0, and those of the entries, by their ids. */
async function textsOf(call: ConversationCall, view: IssueView, rows: readonly TimelineEntry[]): Promise<ReadonlyMap<number, ShownText>> {
  const { db, issue } = call
  const written = rows.filter((entry) => isText(entry) && entry.kind !== "dismiss_review")
  const files = written.length === 0 ? undefined : await attachmentsOf(db, written)
  const reactions = Map.groupBy(await countReactions(db, { issueId: issue.id }), ({ comment_id }) => comment_id)
  const histories = await historiesOf(db, call)
  const own = { id: 0, author_id: issue.author_id }
  const [opening = html``, ...others] = await renderTexts(call, [view.text, ...written.map(({ content }) => content)], {
    style: "comment",
    ticks: (at) => ticksOf(call, at === 0 ? own : written[at - 1]),
  })
  const shown: [number, ShownText][] = written.map((entry, index) => [
    entry.id,
    {
      html: others[index] ?? html``,
      isEdited: entry.content_version > 0,
      history: histories.get(entry.id),
      reactions: reactions.get(entry.id) ?? [],
      files: beside(entry.content, files?.get(entry.id) ?? []),
    },
  ])
  return new Map([
    [
      0,
      {
        html: opening,
        isEdited: issue.content_version > 0,
        history: histories.get(0),
        reactions: reactions.get(0) ?? [],
        files: beside(view.text, view.files),
      },
    ],
    ...shown,
  ])
}

/** What begins an answer to a text. */
function quoted(id: number | undefined, view: IssueView, rows: readonly TimelineEntry[]): TypedReply | undefined {
  const text = id === undefined ? undefined : id === 0 ? view.text : rows.find((entry) => entry.id === id && isText(entry))?.content
  return text === undefined ? undefined : { body: quoteOf(text) }
}

/** Why a button did nothing: a form with fields says so itself. */
const refusedButton = ({ draft }: ConversationCall): Content =>
  draft && (Object.keys(draft.typed).length === 0 || isInPlace(draft)) && problem(draft.refusal)

/** The issue that a page is about. */
export const viewOf = (call: ConversationCall): Promise<IssueView> => viewIssue(call.db, call.actor, call.issue, call)
