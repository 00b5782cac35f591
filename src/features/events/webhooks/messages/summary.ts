import { AUDIT, publicName } from "../../../actions/external/names.ts"
import type { Payload } from "./payload.ts"

/** A part of a line: text, and the URL that it links to. */
export interface Part {
  readonly text: string
  readonly link?: string
}

/** An event in plain English, without any markup. */
export interface Summary {
  readonly headline: readonly Part[]
  /** One line for each commit of a push. */
  readonly lines: readonly (readonly Part[])[]
  /** The text that a user wrote. */
  readonly words: string
  /** The URL with the details. */
  readonly link: string
  readonly color: "green" | "red" | "yellow" | "blue" | "grey"
}

const SHORT_ID = 10
/** The longest text in a message, in characters. */
const LONGEST_WORDS = 2_000

const cut = (text: string): string => (text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS).toWellFormed()}…` : text)
const short = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, "")
const firstLine = (text: string): string => text.split("\n", 1)[0] ?? ""

/** The summary of a payload; undefined where there is nothing to say, as for a push without commits. */
export function summarize(event: string, told: Payload): Summary | undefined {
  // It is of no repository, and for programs.
  if (event === AUDIT) return undefined
  const payload = told.restored ? { ...told, action: "restored" } : told
  const { repository, sender } = payload
  const place: Part = { text: repository.full_name, link: repository.html_url }
  const who: Part = { text: sender.login, link: sender.html_url }
  const said = (
    color: Summary["color"],
    link: string,
    words: readonly (Part | string)[],
    more: Partial<Pick<Summary, "lines" | "words">> = {},
  ): Summary => ({
    headline: [
      { text: "[" },
      place,
      { text: "] " },
      ...words.map((word) => (typeof word === "string" ? { text: word } : word)),
      { text: " by " },
      who,
    ],
    lines: more.lines ?? [],
    words: cut(more.words ?? ""),
    link,
    color,
  })

  switch (publicName(event)) {
    case "push": {
      const { commits = [], total_commits: total = 0, ref = "", compare_url: compare = "" } = payload
      const link = compare || commits[0]?.url
      if (commits.length === 0 || !link) return undefined
      const count = `${total} new ${total === 1 ? "commit" : "commits"}`
      const lines = commits.map(({ id, message, url, author }) => [
        { text: id.slice(0, SHORT_ID), link: url },
        { text: `: ${firstLine(message)} - ${author.name}` },
      ])
      return said("green", link, [{ text: count, link }, ` to ${short(ref)} pushed`], { lines })
    }
    case "create":
    case "delete": {
      const { ref = "", ref_type: kind = "branch" } = payload
      const isNew = event === "create"
      return said(isNew ? "green" : "grey", repository.html_url, [`${kind} ${short(ref)} ${isNew ? "created" : "deleted"}`])
    }
    case "fork":
      return said("green", repository.html_url, [`${payload.forkee?.full_name ?? ""} forked to this repository`])
    case "repository": {
      const { from } = payload.changes?.name ?? {}
      if (payload.action === "renamed" && from !== undefined) return said("blue", repository.html_url, [`Repository renamed from ${from}`])
      return said(payload.action === "deleted" ? "red" : "green", repository.html_url, [`Repository ${payload.action ?? "changed"}`])
    }
    case "release": {
      const { release } = payload
      if (!release) return undefined
      const name: Part = { text: release.name || release.tag_name, link: release.html_url }
      return said("blue", release.html_url, ["Release ", name, ` ${payload.action ?? ""}`], { words: release.body })
    }
    case "status": {
      const { state = "", context = "", description = "", sha = "", target_url: target = "" } = payload
      const commit = `${repository.html_url}/commit/${sha}`
      const color = state === "success" ? "green" : state === "pending" ? "yellow" : "red"
      return said(color, target || commit, [`${context || "check"}: ${state} on `, { text: sha.slice(0, SHORT_ID), link: commit }], {
        words: description,
      })
    }
    case "merge_group": {
      const { merge_group: group, action = "", reason } = payload
      if (!group) return undefined
      const what = action === "checks_requested" ? "is tested" : reason === "merged" ? "has landed" : "was given up"
      const name: Part = { text: group.head_sha.slice(0, SHORT_ID), link: `${repository.html_url}/commit/${group.head_sha}` }
      return said(reason === "invalidated" ? "red" : "blue", repository.html_url, ["Merge queue: ", name, ` ${what}`])
    }
    case "wiki":
      return said("blue", repository.html_url, [`Wiki page ${payload.page ?? ""} ${payload.action ?? ""}`])
    case "package": {
      const { package: of, action = "" } = payload
      if (!of) return undefined
      const name: Part = { text: `${of.name} ${of.version}`, link: of.html_url }
      return said(action === "deleted" ? "red" : "green", of.html_url, ["Package ", name, ` ${action}`])
    }
    default:
      return onSubject(payload, said)
  }
}

type Say = (
  color: Summary["color"],
  link: string,
  words: readonly (Part | string)[],
  more?: Partial<Pick<Summary, "lines" | "words">>,
) => Summary

/** Events of issues, pull requests, and their comments. */
function onSubject(payload: Payload, said: Say): Summary | undefined {
  const { action = "", pull_request, issue, comment, review, requested_reviewer: reviewer } = payload
  const subject = pull_request ?? issue
  if (!subject) return undefined
  const kind = pull_request ? "Pull request" : "Issue"
  const name: Part = { text: `#${subject.number} ${subject.title}`, link: subject.html_url }
  if (comment) return said("blue", comment.html_url, [`Comment on ${kind.toLowerCase()} `, name, ` ${action}`], { words: comment.body })
  if (review) return said("blue", subject.html_url, [`${kind} `, name, " reviewed"], { words: review.content })
  const verb = action === "closed" && subject.merged ? "merged" : action.replaceAll("_", " ")
  const whom = reviewer ? [`: ${reviewer.login}`] : []
  const color = ["merged", "opened", "reopened", "restored"].includes(verb)
    ? "green"
    : verb === "closed" || verb === "deleted"
      ? "red"
      : "yellow"
  return said(color, subject.html_url, [`${kind} `, name, ` ${verb}`, ...whom], { words: action === "opened" ? subject.body : "" })
}
