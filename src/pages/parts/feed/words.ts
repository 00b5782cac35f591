import type { Text } from "../../../core/language/message.ts"
import { t } from "../../../core/language/message.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { ActivityView } from "../../../features/events/feed/present.ts"
import type { LiveReferences } from "../../../features/events/feed/references-store.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { plural } from "../../../web/time.ts"

/** An entry of a feed as a sentence, for pages and for feeds of other programs. */

/** Words, or a link. */
export type Part = string | { readonly text: Text; readonly href: string }

interface PushedCommit {
  readonly id: string
  /** The first line of the message. */
  readonly title: string
  readonly href: string
}

export interface Sentence {
  /** What follows the name of who did it. */
  readonly parts: readonly Part[]
  /** The path of what it is about. */
  readonly href: string
  /** A text of the person, or a title. */
  readonly quote: string
  readonly commits: readonly PushedCommit[]
}

/** An entry's parts. What a later version wrote in another form comes out with fewer words, never as an error. */
export function sentenceOf(view: ActivityView, live: LiveReferences): Sentence {
  const { activity, home: on, comment } = view
  const at = repositoryPath(on)
  const home = { text: `${on.owner.name}/${on.repository.name}`, href: at }
  const said = (parts: readonly Part[], more: Partial<Sentence> = {}): Sentence => ({ ...NOTHING_MORE, href: at, parts, ...more })
  const [number = "", ...rest] = activity.content.split("|")
  const quote = rest.join("|")
  const about = (words: Text, kind: "issues" | "pulls", more: Partial<Sentence> = {}): Sentence => {
    const href = `${at}/${kind}/${encodeURIComponent(number)}`
    const anchor = comment ? `#issuecomment-${comment.id}` : ""
    return said([`${words} `, { text: `#${number}`, href: href + anchor }, " in ", home], { href: href + anchor, quote, ...more })
  }
  const name = activity.ref_name.replace(/^refs\/(?:heads|tags)\//, "")
  const isLive = live.has(activity)
  const reference = (kind: "branch" | "tag"): Part => (isLive ? { text: name, href: `${at}/src/${kind}/${escapePath(name)}` } : name)
  const branch = reference("branch")
  const tag = reference("tag")
  switch (view.kind) {
    case "create_repo":
    case "star_repo":
    case "watch_repo":
      return said([{ create_repo: "created ", star_repo: "starred ", watch_repo: "watches " }[view.kind], home])
    case "rename_repo":
    case "transfer_repo":
      return said([view.kind === "rename_repo" ? "renamed " : "transferred ", activity.content, " to ", home])
    case "pull_review_dismissed": {
      const [reviewer = "", ...message] = rest
      return about(t("dismissed the review by {reviewer} of pull request", { reviewer }), "pulls", { quote: message.join("|") })
    }
    case "publish_release": {
      const href = isLive ? `${at}/releases/tag/${escapePath(name)}` : `${at}/releases`
      return said(["published the release ", { text: name, href }, " of ", home], { href, quote: activity.content })
    }
    case "push_tag":
      return said(["pushed the tag ", tag, " to ", home], { href: hrefOf(tag, at) })
    case "delete_tag":
    case "delete_branch":
      return said([`deleted the ${view.kind === "delete_tag" ? "tag" : "branch"} ${name} of `, home])
    case "mirror_sync_delete":
      return said([`found ${name} deleted in the original of `, home])
    case "mirror_sync_create":
      return said(["found ", branch, " new in the original of ", home], { href: hrefOf(branch, at) })
    case "commit_repo":
    case "mirror_sync_push": {
      const pushed = pushOf(view)
      const verb = view.kind === "commit_repo" ? "pushed" : "synchronised"
      if (pushed.total === 0) return said(["created the branch ", branch, " in ", home], { href: hrefOf(branch, at) })
      const commits = { text: plural(pushed.total, "commit"), href: pushed.compare ?? hrefOf(branch, at) }
      return said([`${verb} `, commits, " to ", branch, " in ", home], { href: commits.href, commits: pushed.commits })
    }
    default: {
      const [words, kind] = ABOUT[view.kind]
      return about(words, kind)
    }
  }
}

const hrefOf = (part: Part, at: string): string => (typeof part === "string" ? at : part.href)

const NOTHING_MORE = { quote: "", commits: [] } as const

/** What is done to issues and pull requests. */
const ABOUT = {
  create_issue: [t("opened issue"), "issues"],
  close_issue: [t("closed issue"), "issues"],
  reopen_issue: [t("reopened issue"), "issues"],
  comment_issue: [t("commented on issue"), "issues"],
  create_pull_request: [t("opened pull request"), "pulls"],
  close_pull_request: [t("closed pull request"), "pulls"],
  reopen_pull_request: [t("reopened pull request"), "pulls"],
  merge_pull_request: [t("merged pull request"), "pulls"],
  auto_merge_pull_request: [t("auto-merged pull request"), "pulls"],
  comment_pull: [t("commented on pull request"), "pulls"],
  approve_pull_request: [t("approved pull request"), "pulls"],
  reject_pull_request: [t("requested changes on pull request"), "pulls"],
  pull_request_ready_for_review: [t("marked as ready pull request"), "pulls"],
} as const

export interface Push {
  readonly total: number
  readonly compare: string | undefined
  readonly commits: readonly PushedCommit[]
}

const NO_PUSH: Push = { total: 0, compare: undefined, commits: [] }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null

/** What an entry's push has brought; one that was too long to be stored has nothing. */
export const pushOf = ({ activity, home }: ActivityView): Push => readPush(activity.content, repositoryPath(home))

function readPush(content: string, at: string): Push {
  if (content === "") return NO_PUSH
  let read: unknown
  try {
    read = JSON.parse(content)
  } catch {
    return NO_PUSH
  }
  if (!isRecord(read)) return NO_PUSH
  const listed: readonly unknown[] = Array.isArray(read["Commits"]) ? read["Commits"] : []
  const commits = listed.flatMap((commit): readonly PushedCommit[] => {
    if (!isRecord(commit) || typeof commit["Sha1"] !== "string" || typeof commit["Message"] !== "string") return []
    const id = commit["Sha1"]
    return [{ id: id.slice(0, 10), title: commit["Message"].split("\n", 1)[0] ?? "", href: `${at}${path("commit", id)}` }]
  })
  // The comparison is stored under the name that the repository had then.
  const ends = typeof read["CompareURL"] === "string" ? /\/compare\/([^/]+)$/.exec(read["CompareURL"])?.[1] : undefined
  const total = typeof read["Len"] === "number" ? read["Len"] : commits.length
  const fresh = typeof read["New"] === "number" ? read["New"] : total
  return { total: fresh, compare: ends === undefined ? undefined : `${at}/compare/${ends}`, commits: commits.slice(0, fresh) }
}
