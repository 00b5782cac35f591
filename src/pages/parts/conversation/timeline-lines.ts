import { attribute, type Content, type Html, html, joined } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { readWords } from "../../../core/language/stored.ts"
import type { TimelineView } from "../../../features/planning/comments/timeline.ts"
import { commitIn } from "../../../features/planning/references/commit-text.ts"
import { path } from "../../../web/address.ts"
import { label, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { dayOf, duration, plural } from "../../../web/time.ts"
import { issuePath, titleOf } from "../issues/list-view.ts"

import type { Around, Closing } from "./around.ts"
import { mention } from "./mention.ts"
/** What the lines of a timeline say: all entries but texts. */

export interface Line {
  readonly icon: IconName
  readonly tone?: string
  readonly words: Content
}

type Draw = (entry: TimelineView, run: readonly TimelineView[], around: Around) => Line

/** A line that always says the same. */
const always =
  (icon: IconName, words: Content, tone = ""): Draw =>
  () => ({ icon, words, tone })

/** A line that depends on the entry. */
const saying =
  (icon: IconName, words: (...given: Parameters<Draw>) => Content): Draw =>
  (...given) => ({ icon, words: words(...given) })

const LINES: Partial<Readonly<Record<string, Draw>>> = {
  close: ({ entry: { id } }, _, { closings }) => closingOf(closings.get(id)),
  reopen: always("issue-reopened", t("reopened this"), "open"),
  merge_pull: always("git-merge", t("merged this"), "merged"),
  label: saying("tag", (_, run) => labelWords(run)),
  milestone: saying("milestone", (entry, _, around) => milestoneWords(entry, around)),
  assignees: saying("person", assigneeWords),
  review_request: saying("eye", requestWords),
  change_title: saying(
    "pencil",
    ({ entry: { old_title, new_title } }) =>
      html`changed the title from <del dir="auto">${titleOf(old_title)}</del> to <ins dir="auto">${titleOf(new_title)}</ins>`,
  ),
  change_target_branch: saying(
    "git-branch",
    ({ entry: { old_ref, new_ref } }) => html`changed the base from ${branch(old_ref)} to ${branch(new_ref)}`,
  ),
  change_issue_ref: saying("git-branch", ({ entry: { old_ref, new_ref } }) =>
    new_ref === ""
      ? html`removed the branch ${branch(old_ref)}`
      : old_ref === ""
        ? html`set the branch to ${branch(new_ref)}`
        : html`changed the branch from ${branch(old_ref)} to ${branch(new_ref)}`,
  ),
  delete_branch: saying("git-branch", ({ entry: { old_ref } }) => html`deleted the branch ${branch(old_ref)}`),
  lock: saying(
    "lock",
    ({ entry: { content: body } }) => html`locked the conversation${body !== "" && html` (<span dir="auto">${body}</span>)`}`,
  ),
  unlock: always("unlock", t("unlocked the conversation")),
  transfer: saying("arrow-right", ({ entry: { id } }, _, { origins }) => {
    const origin = origins.get(id)
    return html`moved this here${origin && html` from <bdi>${origin.repository}</bdi>#${origin.number}`}`
  }),
  pin: always("pin", t("pinned this")),
  unpin: always("pin", t("unpinned this")),
  issue_ref: saying("cross-reference", referenceWords),
  pull_ref: saying("cross-reference", referenceWords),
  comment_ref: saying("cross-reference", referenceWords),
  commit_ref: saying("git-commit", ({ entry }) => html`referenced this in ${commitLink(entry)}`),
  add_dependency: saying("package-dependencies", ({ dependentIssue }) => html`added a dependency: ${mention(dependentIssue)}`),
  remove_dependency: saying("package-dependencies", ({ dependentIssue }) => html`removed a dependency: ${mention(dependentIssue)}`),
  added_deadline: saying("calendar", ({ entry: { content: body } }) => html`set the due date to ${day(body)}`),
  modified_deadline: saying("calendar", ({ entry: { content: body } }) => {
    const [to = "", from = ""] = body.split("|")
    return html`moved the due date from ${day(from)} to ${day(to)}`
  }),
  removed_deadline: saying("calendar", ({ entry: { content: body } }) => html`removed the due date ${day(body)}`),
  start_tracking: always("stopwatch", t("started working")),
  stop_tracking: saying("stopwatch", (view) => html`worked for ${spent(view)}`),
  cancel_tracking: always("stopwatch", t("stopped working, without counting the time")),
  add_time_manual: saying("stopwatch", (view) => html`added ${spent(view)} of work`),
  delete_time_manual: saying("stopwatch", (view) => html`deleted ${spent(view)} of work`),
  change_time_estimate: saying("hourglass", ({ entry: { content: body } }) => html`changed the estimate to ${estimate(body)}`),
  project: saying("project", (view, _, around) => projectWords(view, around)),
  project_board: saying("project", (view, _, around) => projectWords(view, around)),
  pull_push: saying("repo-push", (entry, _, around) => pushWords(entry, around)),
  dismiss_review: saying("x-circle", ({ entry: { review_id, content: body } }, _, { reviews }) => {
    const review = reviews.get(review_id ?? 0)
    return html`
      dismissed a review${review && html` (${review.words})`}
      ${body !== "" && html`: <span dir="auto">${body}</span>`}
    `
  }),
  pull_scheduled_merge: always("clock", t("scheduled an auto-merge for when all checks succeed"), "pending"),
  pull_queued: always("clock", t("lined this up in the merge queue"), "pending"),
  pull_unqueued: saying(
    "x-circle",
    ({ entry: { content: why } }) =>
      html`removed this from the merge queue${why !== "" && html`: <span dir="auto">${readWords(why)}</span>`}`,
  ),
  pull_queue_priority: saying("clock", ({ entry: { content: body } }) => html`gave this the priority ${body} in the merge queue`),
  pull_cancel_scheduled_merge: always("clock", t("cancelled the auto-merge")),
}

/** What a line says after the name of who did it. */
export const lineOf: Draw = (view, run, around) =>
  LINES[view.entry.kind]?.(view, run, around) ?? { icon: "dot-fill", words: view.entry.kind.replaceAll("_", " ") }

function closingOf(closing: Closing | undefined): Line {
  if (closing?.reason === "not_planned") return { icon: "skip", words: t("closed this as not planned") }
  if (closing?.reason !== "duplicate") return { icon: "issue-closed", tone: "done", words: t("closed this") }
  const { duplicateOf } = closing
  return { icon: "duplicate", words: html`closed this as a duplicate${duplicateOf && html` of ${mention(duplicateOf)}`}` }
}

const branch = (ref: string): Html => html`<code><bdi>${ref}</bdi></code>`

function day(text: string): Content {
  const at = Date.parse(text)
  return Number.isNaN(at) ? text : dayOf(at / 1000)
}

const spent = ({ time, entry: { content } }: TimelineView): Content =>
  time ? duration(time.row.seconds) : content === "" ? t("some time") : content
const estimate = (body: string): Content => (/^\d{1,12}$/.test(body) ? duration(Number(body)) : body)

/** The first entry of a folded line has its anchor on the line. */
const anchored = (view: TimelineView, run: readonly TimelineView[], content: Content): Html =>
  view === run[0] ? html`${content}` : html`<span ${attribute("id", `event-${view.entry.id}`)}>${content}</span>`

function changes(run: readonly TimelineView[], isRemoval: (entry: TimelineView) => boolean, show: (entry: TimelineView) => Content): Html {
  const parts = [run.filter((entry) => !isRemoval(entry)), run.filter(isRemoval)].map((entries) =>
    entries.map((entry) => anchored(entry, run, show(entry))),
  )
  const [added = [], removed = []] = parts
  return html`
    ${added.length > 0 && html`added the ${added.length === 1 ? t("label") : t("labels")} ${joined(added, " ")}`}
    ${added.length > 0 && removed.length > 0 && t(" and ")}
    ${removed.length > 0 && html`removed the ${removed.length === 1 ? t("label") : t("labels")} ${joined(removed, " ")}`}
  `
}

function labelWords(run: readonly TimelineView[]): Html {
  const show = (entry: TimelineView): Content =>
    entry.label
      ? label(entry.label.name, entry.label.color, { title: entry.label.description })
      : html`<span class="muted">a deleted label</span>`
  return changes(run, ({ entry }) => entry.content === "", show)
}

/** Those who were added and those who were removed, each kind behind its verb. */
function addedAndRemoved(
  run: readonly TimelineView[],
  [added, removed]: readonly [Text, Text],
  show: (entry: TimelineView) => Content,
  between: Text,
): Html {
  const words = [
    [run.filter(({ entry }) => entry.removed_assignee === 0), added],
    [run.filter(({ entry }) => entry.removed_assignee === 1), removed],
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

function assigneeWords({ entry, assignee }: TimelineView, run: readonly TimelineView[]): Html {
  if (run.length === 1 && assignee?.id === entry.author_id)
    return html`${entry.removed_assignee === 1 ? t("unassigned themselves") : t("self-assigned this")}`
  return addedAndRemoved(run, [t("assigned"), t("unassigned")], ({ assignee: other }) => person(other), t(" and "))
}

function requestWords({ entry, assignee }: TimelineView, run: readonly TimelineView[]): Html {
  if (run.length === 1 && assignee?.id === entry.author_id)
    return html`${entry.removed_assignee === 1 ? t("declined to review this") : t("self-requested a review")}`
  const show = ({ assignee: asked, team }: TimelineView): Content =>
    asked ? person(asked) : html`<span class="strong">${icon("people")} <bdi>${team?.name ?? t("a deleted team")}</bdi></span>`
  return addedAndRemoved(run, [t("requested a review from"), t("cancelled the review request to")], show, t(", and "))
}

function milestoneWords({ milestone, oldMilestone }: TimelineView, { at }: Around): Html {
  const link = ({ id, title }: { readonly id: number; readonly title: string }) =>
    html`<a class="strong" href="${at}/milestone/${id}"><bdi>${title}</bdi></a>`
  if (milestone && oldMilestone) return html`moved this from ${link(oldMilestone)} to ${link(milestone)}`
  if (milestone) return html`added this to ${link(milestone)}`
  return oldMilestone ? html`removed this from ${link(oldMilestone)}` : html`changed the milestone, which is deleted`
}

function projectWords({ entry: { kind, project_id, old_project_id } }: TimelineView, { projects }: Around): Html {
  const link = (id: number | null): Html => {
    const project = projects.get(id ?? 0)
    if (!project) return html`a project`
    const { owner, repository, title } = project
    return html`<a class="strong" href="${path(owner, repository ?? "-", "projects", id ?? 0)}"><bdi>${title}</bdi></a>`
  }
  if (kind === "project_board") return html`moved this in ${link(project_id)}`
  return project_id !== null && project_id !== 0 ? html`added this to ${link(project_id)}` : html`removed this from ${link(old_project_id)}`
}

function referenceWords({ entry, refIssue, refComment }: TimelineView, run: readonly TimelineView[]): Html {
  if (entry.ref_action === "neutered") return html`removed a reference to this: ${mention(refIssue)}`
  if (refComment && run.length > 1) {
    const links = run.map((each, index) =>
      anchored(each, run, each.refComment ? html`<a href="${commentPath(each.refComment)}">${index + 1}</a>` : index + 1),
    )
    return html`referenced this in ${run.length} comments (${joined(links, " ")}) on ${mention(refIssue)}`
  }
  if (refComment) return html`referenced this in <a href="${commentPath(refComment)}">a comment</a> on ${mention(refIssue)}`
  const will = entry.ref_action === "closes" ? t(", closes this") : entry.ref_action === "reopens" ? t(", which reopens this") : ""
  return html`referenced this in ${mention(refIssue)}${will}`
}

const commentPath = ({ row, on }: NonNullable<TimelineView["refComment"]>): string => `${issuePath(on)}#issuecomment-${row.id}`

function commitLink(entry: TimelineView["entry"]): Html {
  const id = html`<code>${entry.commit_id.slice(0, 10)}</code>`
  const commit = commitIn(entry.content)
  return commit ? html`<a href="${commit.path}">${id}</a> <span dir="auto">${commit.subject}</span>` : html`commit ${id}`
}

function pushWords({ entry }: TimelineView, { at }: Around): Html {
  const { isForced, ids } = pushOf(entry.content)
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
