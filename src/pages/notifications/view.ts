import { type Html, html } from "../../core/html.ts"
import type { NotificationThread } from "../../features/events/notifications/records.ts"
import type { Reason } from "../../features/events/notifications/threads-store.ts"
import { localPath, path } from "../../web/address.ts"
import { buttonForm } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { timeOf } from "../../web/time.ts"

export const REASON_TEXTS: Readonly<Record<Reason, string>> = {
  assigned: "Assigned to you",
  review: "Review requested",
  mention: "Mentioned",
  author: "Author",
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
export function threadGroups(threads: readonly NotificationThread[], shown: ThreadsShown): readonly Html[] {
  const { back, until } = shown
  const groups = Map.groupBy(threads, ({ repository }) => repository.id)
  return [...groups.values()].map((group) => {
    const [first] = group
    if (!first) return html``
    const { repository } = first
    const isUnread = group.some((thread) => thread.unread)
    return html`
      <section class="card" aria-label="${repository.full_name}">
        <div class="head">
          ${icon(repository.private ? "repo-locked" : "repo")}
          <h2><a href="${localPath(repository.html_url)}"><bdi>${repository.full_name}</bdi></a></h2>
          ${
            isUnread &&
            html`
              <span class="end">
                ${buttonForm(
                  "/notifications/mark",
                  html`${icon("check")} Mark read<span class="hidden-text">: ${repository.full_name}</span>`,
                  {
                    back,
                    repository: repository.id,
                    until,
                    status: "read",
                  },
                )}
              </span>
            `
          }
        </div>
        <ul class="rows">${group.map((thread) => threadRow(thread, shown))}</ul>
      </section>
    `
  })
}

function threadRow(thread: NotificationThread, { back, now, reasons }: ThreadsShown): Html {
  const { subject, id } = thread
  const [name, tone, words] = lookOf(thread)
  const reason = reasons.get(id)
  const mark = (status: string, text: string, with_: IconName) =>
    buttonForm("/notifications/mark", html`${icon(with_, `${text}: ${subject.title}`)}`, { back, thread: id, status }, "small quiet")
  return html`
    <li id="thread-${id}" class="${thread.unread ? "unread" : ""}">
      <span class="${tone}">${icon(name, words)}</span>
      <div class="main">
        <div class="title">
          ${buttonForm(path("notifications", "threads", id), html`<span dir="auto">${subject.title}</span>`, {}, "link")}
        </div>
        <p class="meta">
          <span>
            ${isRelease(thread) ? "Release" : subject.type === "Repository" ? "Transfer" : `#${subject.html_url.split("/").at(-1)}`}
          </span>
          <span>${timeOf(thread.updated_at, now)}</span>${reason && html`<span>${REASON_TEXTS[reason]}</span>`}
          ${thread.pinned && html`<span>${icon("pin")} Pinned</span>`}
        </p>
      </div>
      <div class="acts">
        ${thread.unread ? mark("read", "Mark read", "check") : mark("unread", "Mark unread", "dot-fill")}
        ${!thread.pinned && mark("pinned", "Pin", "pin")}
        ${
          (subject.type === "Issue" || subject.type === "Pull") &&
          buttonForm(
            path("notifications", "threads", id, "unsubscribe"),
            icon("bell-slash", `Unsubscribe: ${subject.title}`),
            { back },
            "small quiet",
          )
        }
      </div>
    </li>
  `
}

/** Releases are told of as repositories, since clients know no other word; their page is not the repository's. */
const isRelease = ({ subject, repository }: NotificationThread): boolean =>
  subject.type === "Repository" && subject.html_url !== repository.html_url

function lookOf(thread: NotificationThread): readonly [IconName, string, string] {
  const { subject } = thread
  if (isRelease(thread)) return ["tag", "info", "Release"]
  if (subject.type === "Repository") return ["arrow-right", "info", "Repository"]
  if (subject.type === "Issue")
    return subject.state === "open" ? ["issue-opened", "open", "Open issue"] : ["issue-closed", "done", "Closed issue"]
  if (subject.state === "merged") return ["git-merge", "merged", "Merged pull request"]
  return subject.state === "open"
    ? ["git-pull-request", "open", "Open pull request"]
    : ["git-pull-request-closed", "closed", "Closed pull request"]
}
