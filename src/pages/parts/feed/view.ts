import type { Handle } from "../../../core/database/database.ts"
import { type Content, type Html, html, richMessage } from "../../../core/html.ts"
import { plainText } from "../../../core/text/plain.ts"
import type { ActivityKind } from "../../../features/events/feed/kinds.ts"
import { type LiveReferences, liveReferences } from "../../../features/events/feed/references-store.ts"
import { withQuery } from "../../../web/address.ts"
import { avatar, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { time } from "../../../web/time.ts"
import { commitsOf, groupWords } from "./group-words.ts"
import type { FeedPage, Group } from "./groups.ts"
import { type Part, type Sentence, sentenceOf } from "./words.ts"

/** A page of a feed as a list of sentences, with the way to older ones. At most two statements. */
export async function feedLines(
  db: Handle,
  { groups, from, next }: FeedPage,
  { now, url }: { readonly now: number; readonly url: string },
) {
  const live = await liveReferences(
    db,
    groups.flatMap(({ all }) => all.map(({ activity }) => activity)),
  )
  return html`
    <ul class="rows feed">${groups.map((group) => feedLine(group, live, now))}</ul>
    ${
      (from > 0 || next !== undefined) &&
      html`
        <nav class="pager" aria-label="Pages">
          ${from > 0 && html`<a class="button small" href="${withQuery(url, { from: undefined })}">Newest</a>`}
          ${
            next !== undefined &&
            html`
              <a class="button small" rel="next" href="${withQuery(url, { from: next })}">Older ${icon("chevron-right")}</a>
            `
          }
        </nav>
      `
    }
  `
}

const SHOWN_COMMITS = 3

function feedLine(group: Group, live: LiveReferences, now: number): Html {
  const { newest, all } = group
  const { activity, kind, doer } = newest
  const said = sentenceOf(newest, live)
  const isAlone = all.length === 1
  const commits = isAlone ? said.commits : commitsOf(group)
  const quote = isAlone || isComment(kind) ? plainText(said.quote) : ""
  return html`
    <li>
      ${doer ? avatar(doer, 32) : icon("person")}
      <div class="main">
        <p class="inline-links">
          ${person(doer)} ${isAlone ? wordsOf(said) : groupWords(group, live)}${" "}
          <span class="muted small nowrap">${icon(ICONS[kind])} ${time(activity.created_at, now)}</span>
        </p>
        ${quote !== "" && html`<p class="quote break" dir="auto">${quote}</p>`}
        ${
          commits.length > 0 &&
          html`
            <ul class="plain small">
              ${commits
                .slice(0, SHOWN_COMMITS)
                .map(({ href, id, title }) => html`<li class="break"><a class="mono" href="${href}">${id}</a> <bdi>${title}</bdi></li>`)}
            </ul>
          `
        }
      </div>
    </li>
  `
}

const isComment = (kind: ActivityKind): boolean => kind === "comment_issue" || kind === "comment_pull"

const wordsOf = ({ message, parts }: Sentence): Html =>
  richMessage(message, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, shown(part)])))

const shown = (part: Part): Content =>
  typeof part === "object" && "href" in part ? html`<a href="${part.href}"><bdi>${part.text}</bdi></a>` : part

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
