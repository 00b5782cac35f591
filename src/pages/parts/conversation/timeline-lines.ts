import { attribute, type Content, type Html, html, joined } from "../../../core/html.ts"
import type { TimelineComment } from "../../../features/planning/comments/records.ts"
import { localPath, path } from "../../../web/address.ts"
import { label, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { dayOf, duration, plural } from "../../../web/time.ts"
import { titleOf } from "../issues/list-view.ts"

import type { Around, Closing } from "./around.ts"
import { mention } from "./mention.ts"
/** What the lines of a timeline say: all entries but texts. */

export interface Line {
  readonly icon: IconName
  readonly tone?: string
  readonly words: Content
}

type Draw = (entry: TimelineComment, run: readonly TimelineComment[], around: Around) => Line

/** A line that always says the same. */
const always =
  (icon: IconName, words: Content, tone = ""): Draw =>
  () => ({ icon, words, tone })

/** A line that depends on the entry. */
const saying =
  (icon: IconName, words: (...given: Parameters<Draw>) => Content): Draw =>
  (...given) => ({ icon, words: words(...given) })

const LINES: Partial<Readonly<Record<string, Draw>>> = {
  close: ({ id }, _, { closings }) => closingOf(closings.get(id)),
  reopen: always("issue-reopened", "reopened this", "open"),
  merge_pull: always("git-merge", "merged this", "merged"),
  label: saying("tag", (_, run) => labelWords(run)),
  milestone: saying("milestone", (entry, _, around) => milestoneWords(entry, around)),
  assignees: saying("person", assigneeWords),
  review_request: saying("eye", requestWords),
  change_title: saying(
    "pencil",
    ({ old_title, new_title }) =>
      html`changed the title from <del dir="auto">${titleOf(old_title)}</del> to <ins dir="auto">${titleOf(new_title)}</ins>`,
  ),
  change_target_branch: saying(
    "git-branch",
    ({ old_ref, new_ref }) => html`changed the base from ${branch(old_ref)} to ${branch(new_ref)}`,
  ),
  change_issue_ref: saying("git-branch", ({ old_ref, new_ref }) =>
    new_ref === ""
      ? html`removed the branch ${branch(old_ref)}`
      : old_ref === ""
        ? html`set the branch to ${branch(new_ref)}`
        : html`changed the branch from ${branch(old_ref)} to ${branch(new_ref)}`,
  ),
  delete_branch: saying("git-branch", ({ old_ref }) => html`deleted the branch ${branch(old_ref)}`),
  lock: saying("lock", ({ body }) => html`locked the conversation${body !== "" && html` (<span dir="auto">${body}</span>)`}`),
  unlock: always("unlock", "unlocked the conversation"),
  transfer: saying("arrow-right", ({ id }, _, { origins }) => {
    const origin = origins.get(id)
    return html`moved this here${origin && html` from <bdi>${origin.repository}</bdi>#${origin.number}`}`
  }),
  pin: always("pin", "pinned this"),
  unpin: always("pin", "unpinned this"),
  issue_ref: saying("cross-reference", referenceWords),
  pull_ref: saying("cross-reference", referenceWords),
  comment_ref: saying("cross-reference", referenceWords),
  commit_ref: saying("git-commit", (entry) => html`referred to this in ${commitLink(entry)}`),
  add_dependency: saying("package-dependencies", ({ dependent_issue }) => html`added a dependency: ${mention(dependent_issue)}`),
  remove_dependency: saying("package-dependencies", ({ dependent_issue }) => html`removed a dependency: ${mention(dependent_issue)}`),
  added_deadline: saying("calendar", ({ body }) => html`set the due date to ${day(body)}`),
  modified_deadline: saying("calendar", ({ body }) => {
    const [to = "", from = ""] = body.split("|")
    return html`moved the due date from ${day(from)} to ${day(to)}`
  }),
  removed_deadline: saying("calendar", ({ body }) => html`removed the due date ${day(body)}`),
  start_tracking: always("stopwatch", "started working"),
  stop_tracking: saying("stopwatch", (entry) => html`worked for ${spent(entry)}`),
  cancel_tracking: always("stopwatch", "stopped working, without counting the time"),
  add_time_manual: saying("stopwatch", (entry) => html`added ${spent(entry)} of work`),
  delete_time_manual: saying("stopwatch", (entry) => html`deleted ${spent(entry)} of work`),
  change_time_estimate: saying("hourglass", ({ body }) => html`changed the estimate to ${estimate(body)}`),
  project: saying("project", (entry, _, around) => projectWords(entry, around)),
  project_board: saying("project", (entry, _, around) => projectWords(entry, around)),
  pull_push: saying("repo-push", (entry, _, around) => pushWords(entry, around)),
  dismiss_review: saying("x-circle", ({ review_id, body }, _, { reviews }) => {
    const review = reviews.get(review_id)
    return html`
      dismissed a review${review && html` (${review.words})`}
      ${body !== "" && html`: <span dir="auto">${body}</span>`}
    `
  }),
  pull_scheduled_merge: always("clock", "scheduled an auto-merge for when all checks succeed", "pending"),
  pull_cancel_scheduled_merge: always("clock", "cancelled the auto-merge"),
}

/** What a line says after the name of who did it. */
export const lineOf: Draw = (entry, run, around) =>
  LINES[entry.type]?.(entry, run, around) ?? { icon: "dot-fill", words: entry.type.replaceAll("_", " ") }

function closingOf(closing: Closing | undefined): Line {
  if (closing?.reason === "not_planned") return { icon: "skip", words: "closed this as not planned" }
  if (closing?.reason !== "duplicate") return { icon: "issue-closed", tone: "done", words: "closed this" }
  const { duplicateOf } = closing
  return { icon: "duplicate", words: html`closed this as a duplicate${duplicateOf && html` of ${mention(duplicateOf)}`}` }
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
