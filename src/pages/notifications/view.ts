import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { stateOf, type ThreadView, titleOf } from "../../features/events/notifications/present.ts"
import type { Reason } from "../../features/events/notifications/threads-store.ts"
import { path, repositoryPath } from "../../web/address.ts"
import { buttonForm } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { time } from "../../web/time.ts"
import { lookOf as lookOfRun } from "../parts/run-state.ts"

export const REASON_TEXTS: Readonly<Record<Reason, Text>> = {
  assigned: t("Assigned to you"),
  review: t("Review requested"),
  mention: t("Mentioned"),
  author: t("Author"),
}

export interface ThreadsShown {
  readonly back: string
  readonly until: number
  readonly now: number
  /** Why they arrived, by thread, as far as it can be said. */
  readonly reasons: ReadonlyMap<number, Reason>
}

/**
 * Threads in groups by repository, the group with the newest thread first. Forms come back to `back`, and
 * mark what changed until that moment. What opens a thread is a form too: it is
 * read from then on, and links change nothing.
 */
export function threadGroups(threads: readonly ThreadView[], shown: ThreadsShown): readonly Html[] {
  const { back, until } = shown
  const groups = Map.groupBy(threads, ({ home }) => home.repository.id)
  return [...groups.values()].map((group) => {
    const [first] = group
    if (!first) return html``
    const { home } = first
    const { repository } = home
    const name = `${home.owner.name}/${repository.name}`
    const isUnread = group.some(({ thread }) => thread.status === "unread")
    return html`
      <section class="card" aria-label="${name}">
        <div class="head">
          ${icon(repository.is_private === 1 ? "repo-locked" : "repo")}
          <h2><a href="${repositoryPath(home)}"><bdi>${name}</bdi></a></h2>
          ${
            isUnread &&
            html`
              <span class="end">
                ${buttonForm("/notifications/mark", html`${icon("check")} Mark read<span class="hidden-text">: ${name}</span>`, {
                  back,
                  repository: repository.id,
                  until,
                  status: "read",
                })}
              </span>
            `
          }
        </div>
        <ul class="rows">${group.map((view) => threadRow(view, shown))}</ul>
      </section>
    `
  })
}

function threadRow(view: ThreadView, { back, now, reasons }: ThreadsShown): Html {
  const { thread, issue, run, release } = view
  const { id, status: is } = thread
  const title = titleOf(view)
  const [name, tone, words] = lookOf(view)
  const reason = reasons.get(id)
  const mark = (status: string, text: Text, with_: IconName) =>
    buttonForm("/notifications/mark", html`${icon(with_, `${text}: ${title}`)}`, { back, thread: id, status }, "small quiet")
  return html`
    <li id="thread-${id}" class="${is === "unread" ? "unread" : ""}">
      <span class="${tone}">${icon(name, words)}</span>
      <div class="main">
        <div class="title">
          ${buttonForm(path("notifications", "threads", id), html`<span dir="auto">${title}</span>`, {}, "link")}
        </div>
        <p class="meta">
          <span>
            ${release ? t("Release") : issue ? `#${issue.number}` : run ? `#${run.id}` : t("Transfer")}
          </span>
          <span>${time(thread.updated_at, now)}</span>${reason && html`<span>${REASON_TEXTS[reason]}</span>`}
          ${is === "pinned" && html`<span>${icon("pin")} Pinned</span>`}
        </p>
      </div>
      <div class="acts">
        ${is === "unread" ? mark("read", t("Mark read"), "check") : mark("unread", t("Mark unread"), "dot-fill")}
        ${is !== "pinned" && mark("pinned", t("Pin"), "pin")}
        ${
          issue &&
          buttonForm(
            path("notifications", "threads", id, "unsubscribe"),
            icon("bell-slash", t("Unsubscribe: {title}", { title })),
            { back },
            "small quiet",
          )
        }
      </div>
    </li>
  `
}

function lookOf({ issue, run, release }: ThreadView): readonly [IconName, string, Text] {
  if (release) return ["tag", "info", t("Release")]
  if (!issue && !run) return ["arrow-right", "info", t("Repository")]
  if (run) {
    const { icon: name, tone, text } = lookOfRun(run.state)
    return [name, `state ${tone}`, t("Workflow run: {text}", { text })]
  }
  const state = issue && stateOf(issue)
  if (issue?.is_pull === 0)
    return state === "open" ? ["issue-opened", "open", t("Open issue")] : ["issue-closed", "done", t("Closed issue")]
  if (state === "merged") return ["git-merge", "merged", t("Merged pull request")]
  return state === "open"
    ? ["git-pull-request", "open", t("Open pull request")]
    : ["git-pull-request-closed", "closed", t("Closed pull request")]
}
