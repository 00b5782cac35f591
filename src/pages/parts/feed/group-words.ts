import { type Html, html } from "../../../core/html.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { ActivityView } from "../../../features/events/feed/present.ts"
import type { LiveReferences } from "../../../features/events/feed/references-store.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { number, plural } from "../../../web/time.ts"
import type { Group } from "./groups.ts"
import { type Push, pushOf } from "./words.ts"

/** What someone did again and again, as the words after their name. */

/** Of many, the first are named. */
const NAMED = 3

export function groupWords({ newest, all }: Group, live: LiveReferences): Html {
  const home = homeLink(newest)
  const names = () => listed(all.map(({ activity }) => named(activity.ref_name)))
  const issues = () => listed(all.map((view) => issueLink(view)))
  switch (newest.kind) {
    case "comment_issue":
      return html`commented ${plural(all.length, "time")} on issue ${issueLink(newest)} in ${home}`
    case "comment_pull":
      return html`commented ${plural(all.length, "time")} on pull request ${issueLink(newest)} in ${home}`
    case "create_issue":
      return html`opened ${plural(all.length, "issue")} in ${home}: ${issues()}`
    case "close_issue":
      return html`closed ${plural(all.length, "issue")} in ${home}: ${issues()}`
    case "reopen_issue":
      return html`reopened ${plural(all.length, "issue")} in ${home}: ${issues()}`
    case "create_pull_request":
      return html`opened ${plural(all.length, "pull request")} in ${home}: ${issues()}`
    case "close_pull_request":
      return html`closed ${plural(all.length, "pull request")} in ${home}: ${issues()}`
    case "merge_pull_request":
      return html`merged ${plural(all.length, "pull request")} in ${home}: ${issues()}`
    case "push_tag":
      return html`pushed ${plural(all.length, "tag")} to ${home}: ${listed(all.map((view) => referenceLink(view, "tag", live)))}`
    case "delete_tag":
      return html`deleted ${plural(all.length, "tag")} of ${home}: ${names()}`
    case "delete_branch":
      return html`deleted ${plural(all.length, "branch", "branches")} of ${home}: ${names()}`
    case "mirror_sync_create":
      return html`found ${plural(all.length, "new branch or tag", "new branches and tags")} in the original of ${home}`
    case "mirror_sync_delete":
      return html`found ${plural(all.length, "branch or tag", "branches and tags")} deleted in the original of ${home}`
    case "star_repo":
      return html`starred ${listed(all.map(homeLink))}`
    case "watch_repo":
      return html`watches ${listed(all.map(homeLink))}`
    case "create_repo":
      return html`created ${listed(all.map(homeLink))}`
    default:
      return pushWords(newest, all, live)
  }
}

/** The commits of several pushes to a branch, the newest first. */
export const commitsOf = ({ all }: Group): Push["commits"] => all.flatMap((view) => pushOf(view).commits)

function pushWords(newest: ActivityView, all: readonly ActivityView[], live: LiveReferences): Html {
  const branch = referenceLink(newest, "branch", live)
  const home = homeLink(newest)
  const pushes = all.map(pushOf).filter(({ total }) => total > 0)
  const total = pushes.reduce((sum, push) => sum + push.total, 0)
  // An entry without commits is of a branch that is new.
  const isNew = all.some(({ activity }) => activity.content === "")
  if (total === 0) return html`created the branch ${branch} in ${home}`
  const [push] = pushes
  const href = pushes.length === 1 ? push?.compare : undefined
  const commits = href === undefined ? html`${plural(total, "commit")}` : html`<a href="${href}">${plural(total, "commit")}</a>`
  if (newest.kind === "mirror_sync_push") return html`synchronised ${commits} to ${branch} in ${home}`
  if (isNew) return html`pushed ${commits} to the new branch ${branch} in ${home}`
  if (pushes.length === 1) return html`pushed ${commits} to ${branch} in ${home}`
  return html`pushed ${commits} to ${branch} in ${home}, in ${plural(pushes.length, "push", "pushes")}`
}

const homeLink = ({ home }: ActivityView): Html =>
  html`<a href="${repositoryPath(home)}"><bdi>${home.owner.name}/${home.repository.name}</bdi></a>`

const PULLS: readonly string[] = ["create_pull_request", "close_pull_request", "merge_pull_request", "comment_pull"]

function issueLink({ activity, home, comment, kind }: ActivityView): Html {
  const [number = ""] = activity.content.split("|", 1)
  const anchor = comment ? `#issuecomment-${comment.id}` : ""
  return html`<a href="${repositoryPath(home)}${path(PULLS.includes(kind) ? "pulls" : "issues", number)}${anchor}">#${number}</a>`
}

const named = (ref: string): Html => html`<bdi>${ref.replace(/^refs\/(?:heads|tags)\//, "")}</bdi>`

const referenceLink = ({ activity, home }: ActivityView, kind: "branch" | "tag", live: LiveReferences): Html =>
  live.has(activity)
    ? html`
      <a href="${repositoryPath(home)}/src/${kind}/${escapePath(activity.ref_name.replace(/^refs\/(?:heads|tags)\//, ""))}">
        ${named(activity.ref_name)}
      </a>
    `
    : named(activity.ref_name)

/** The first of several, each once, and how many more there are. */
function listed(items: readonly Html[]): Html {
  const each = [...new Map(items.map((item) => [String(item), item])).values()]
  const more = each.length - NAMED
  return html`
    ${each.slice(0, NAMED).map((item, index) => html`${index > 0 && ", "}${item}`)}
    ${more > 0 && html` and ${number(more)} more`}
  `
}
