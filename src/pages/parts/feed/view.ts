import type { Handle } from "../../../core/database/database.ts"
import { type Html, html } from "../../../core/html.ts"
import type { ActivityKind } from "../../../features/events/feed/kinds.ts"
import type { ActivityView } from "../../../features/events/feed/present.ts"
import { liveReferences } from "../../../features/events/feed/references-store.ts"
import { avatar, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { time } from "../../../web/time.ts"
import { type Part, sentenceOf } from "./words.ts"

/** Entries of a feed as a list of sentences. At most two statements. */
export async function feedEntries(db: Handle, views: readonly ActivityView[], now: number): Promise<Html> {
  const live = await liveReferences(
    db,
    views.map(({ activity }) => activity),
  )
  return html`
    <ul class="rows feed">
      ${views.map((view) => {
        const { activity, kind, doer } = view
        const { parts, quote, commits } = sentenceOf(view, live)
        return html`
          <li>
            ${doer ? avatar(doer, 32) : icon("person")}
            <div class="main">
              <p class="inline-links">
                ${person(doer)} ${parts.map(shown)}${" "}
                <span class="muted small nowrap">
                  ${icon(ICONS[kind])} ${time(activity.created_at, now)}
                </span>
              </p>
              ${quote !== "" && html`<p class="quote break" dir="auto">${quote}</p>`}
              ${
                commits.length > 0 &&
                html`
                  <ul class="plain small">
                    ${commits
                      .slice(0, 3)
                      .map(
                        (commit) =>
                          html`<li class="break"><a class="mono" href="${commit.href}">${commit.id}</a> <bdi>${commit.title}</bdi></li>`,
                      )}
                  </ul>
                `
              }
            </div>
          </li>
        `
      })}
    </ul>
  `
}

const shown = (part: Part): Html => (typeof part === "string" ? html`${part}` : html`<a href="${part.href}"><bdi>${part.text}</bdi></a>`)

const ICONS: Readonly<Record<ActivityKind, IconName>> = {
  create_repo: "repo",
  rename_repo: "pencil",
  star_repo: "star",
  watch_repo: "eye",
  commit_repo: "git-commit",
  create_issue: "issue-opened",
  create_pull_request: "git-pull-request",
  transfer_repo: "arrow-right",
  push_tag: "tag",
  comment_issue: "comment",
  merge_pull_request: "git-merge",
  close_issue: "issue-closed",
  reopen_issue: "issue-reopened",
  close_pull_request: "git-pull-request-closed",
  reopen_pull_request: "git-pull-request",
  delete_tag: "trash",
  delete_branch: "trash",
  mirror_sync_push: "sync",
  mirror_sync_create: "sync",
  mirror_sync_delete: "trash",
  approve_pull_request: "check",
  reject_pull_request: "diff",
  comment_pull: "comment",
  publish_release: "rocket",
  pull_review_dismissed: "x",
  pull_request_ready_for_review: "eye",
  auto_merge_pull_request: "git-merge",
}
