import type { MessageKey } from "../../../core/language/keys.ts"
import { key, type Text } from "../../../core/language/message.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { ActivityKind } from "../../../features/events/feed/kinds.ts"
import type { ActivityView } from "../../../features/events/feed/present.ts"
import type { LiveReferences } from "../../../features/events/feed/references-store.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { plural } from "../../../web/time.ts"

/** An entry of a feed as a sentence, for pages and for feeds of other programs. */

/** A text, or a link. */
export type Part = Text | { readonly text: Text; readonly href: string }

interface PushedCommit {
  readonly id: string
  /** The first line of the message. */
  readonly title: string
  readonly href: string
}

export interface Sentence {
  /** What follows the name of who did it: a message, and what stands in it. */
  readonly message: MessageKey
  readonly parts: Readonly<Record<string, Part>>
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
  const said = (message: MessageKey, parts: Sentence["parts"], more: Partial<Sentence> = {}): Sentence => ({
    ...NOTHING_MORE,
    href: at,
    message,
    parts: { home, ...parts },
    ...more,
  })
  const [number = "", ...rest] = activity.content.split("|")
  const quote = rest.join("|")
  const about = (message: MessageKey, kind: "issues" | "pulls", parts: Sentence["parts"] = {}, text = quote): Sentence => {
    const href = `${at}/${kind}/${encodeURIComponent(number)}${comment ? `#issuecomment-${comment.id}` : ""}`
    return said(message, { number: { text: `#${number}`, href }, ...parts }, { href, quote: text })
  }
  switch (view.kind) {
    case "create_repo":
      return said(key("created {home}"), {})
    case "star_repo":
      return said(key("starred {home}"), {})
    case "watch_repo":
      return said(key("watches {home}"), {})
    case "transfer_repo":
      return said(key("transferred {old} to {home}"), { old: activity.content })
    case "pull_review_dismissed": {
      const [reviewer = "", ...message] = rest
      return about(key("dismissed the review by {reviewer} of pull request {number} in {home}"), "pulls", { reviewer }, message.join("|"))
    }
    default:
      if (!isAbout(view.kind)) return ofReference(view, at, live.has(activity), said)
      return about(ABOUT[view.kind][0], ABOUT[view.kind][1])
  }
}

type Say = (message: MessageKey, parts: Sentence["parts"], more?: Partial<Sentence>) => Sentence

/** What is done to branches, tags and releases. */
function ofReference(view: ActivityView, at: string, isLive: boolean, said: Say): Sentence {
  const { activity } = view
  const name = activity.ref_name.replace(/^refs\/(?:heads|tags)\//, "")
  const reference = (kind: "branch" | "tag"): Part => (isLive ? { text: name, href: `${at}/src/${kind}/${escapePath(name)}` } : name)
  const branch = reference("branch")
  const tag = reference("tag")
  switch (view.kind) {
    case "publish_release": {
      const href = isLive ? `${at}/releases/tag/${escapePath(name)}` : `${at}/releases`
      return said(key("published the release {release} of {home}"), { release: { text: name, href } }, { href, quote: activity.content })
    }
    case "push_tag":
      return said(key("pushed the tag {tag} to {home}"), { tag }, { href: hrefOf(tag, at) })
    case "delete_tag":
      return said(key("deleted the tag {name} of {home}"), { name })
    case "delete_branch":
      return said(key("deleted the branch {name} of {home}"), { name })
    case "mirror_sync_delete":
      return said(key("found {name} deleted in the original of {home}"), { name })
    case "mirror_sync_create":
      return said(key("found {branch} new in the original of {home}"), { branch }, { href: hrefOf(branch, at) })
    case "commit_repo":
    case "mirror_sync_push": {
      const pushed = pushOf(view)
      if (pushed.total === 0) return said(key("created the branch {branch} in {home}"), { branch }, { href: hrefOf(branch, at) })
      const commits = { text: plural(pushed.total, "commit"), href: pushed.compare ?? hrefOf(branch, at) }
      const more = { href: commits.href, commits: pushed.commits }
      return view.kind === "commit_repo"
        ? said(key("pushed {commits} to {branch} in {home}"), { commits, branch }, more)
        : said(key("synchronised {commits} to {branch} in {home}"), { commits, branch }, more)
    }
    default:
      return said(key("renamed {old} to {home}"), { old: activity.content })
  }
}

const isAbout = (kind: ActivityKind): kind is keyof typeof ABOUT => kind in ABOUT

const hrefOf = (part: Part, at: string): string => (typeof part === "object" && "href" in part ? part.href : at)

const NOTHING_MORE = { quote: "", commits: [] } as const

/** What is done to issues and pull requests. */
const ABOUT = {
  create_issue: [key("opened issue {number} in {home}"), "issues"],
  close_issue: [key("closed issue {number} in {home}"), "issues"],
  reopen_issue: [key("reopened issue {number} in {home}"), "issues"],
  comment_issue: [key("commented on issue {number} in {home}"), "issues"],
  create_pull_request: [key("opened pull request {number} in {home}"), "pulls"],
  close_pull_request: [key("closed pull request {number} in {home}"), "pulls"],
  reopen_pull_request: [key("reopened pull request {number} in {home}"), "pulls"],
  merge_pull_request: [key("merged pull request {number} in {home}"), "pulls"],
  auto_merge_pull_request: [key("auto-merged pull request {number} in {home}"), "pulls"],
  comment_pull: [key("commented on pull request {number} in {home}"), "pulls"],
  approve_pull_request: [key("approved pull request {number} in {home}"), "pulls"],
  reject_pull_request: [key("requested changes on pull request {number} in {home}"), "pulls"],
  pull_request_ready_for_review: [key("marked pull request {number} in {home} as ready"), "pulls"],
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
