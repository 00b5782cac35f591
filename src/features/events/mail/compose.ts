import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Secrets } from "../../../core/secrets.ts"
import type { Site } from "../../../core/site.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { releaseUrl } from "../../code/releases/present.ts"
import type { Release } from "../../code/releases/store.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import type { Mail } from "./mailer.ts"
import { unsubscribeUrl } from "./unsubscribe.ts"

/** The content of a mail. */
export interface MailContent {
  readonly about: keyof typeof ACTIONS
  readonly receiver: User
  readonly address: string
  readonly actor: User
  readonly repository: Repository
  readonly owner: User
  readonly issue?: Issue
  readonly release?: Release
  readonly comment?: { readonly id: number; readonly content: string } | undefined
  /** The verdict of a review, and its comments on lines. */
  readonly review?: { readonly state: string; readonly remarks: readonly Remark[] } | undefined
}

interface Remark {
  readonly path: string
  /** Negative on the old side. */
  readonly line: number
  readonly content: string
}

/** Longer texts are truncated; the rest is read on the page. */
const LONGEST = 20_000

const ACTIONS = {
  created: "opened this",
  commented: "wrote",
  closed: "closed this",
  reopened: "reopened this",
  transferred: "moved this here",
  merged: "merged this",
  pushed: "pushed new commits",
  reviewed: "reviewed this",
  dismissed: "dismissed a review",
  ready: "marked this as ready",
  assigned: "assigned this to you",
  mentioned: "mentioned you",
  review_requested: "asked you for a review",
  offered: "offers you this repository",
  released: "published a release",
} as const

/** The wording for reviews with a verdict. */
const VERDICTS: Readonly<Record<string, string>> = { APPROVED: "approved this", REQUEST_CHANGES: "requested changes" }

const actionOf = ({ about, review }: MailContent): string => (review && VERDICTS[review.state]) ?? ACTIONS[about]

/**
 * Composes a mail. `id` distinguishes it from other mails about the same issue, and is the same when it is sent again, so that a duplicate
 * is shown once.
 */
export function compose({ site, secrets }: { readonly site: Site; readonly secrets: Secrets }, mail: MailContent, id: number): Mail {
  const { about, receiver, actor, repository, owner, issue, release, comment } = mail
  const fullName = `${owner.name}/${repository.name}`
  const repositoryPage = repositoryHtmlUrl(site, owner.name, repository.name)
  const issuePage = issue ? issueUrl(repositoryPage, issue) : release ? releaseUrl(repositoryPage, release) : repositoryPage
  const page = comment ? `${issuePage}#issuecomment-${comment.id}` : issuePage
  const opening = issue ? `<issue-${issue.id}@${site.host}>` : undefined
  const isOpening = about === "created"
  const messageId =
    opening && isOpening
      ? opening
      : `<${issue ? `issue-${issue.id}` : `repository-${repository.id}`}.${about}-${comment?.id ?? release?.id ?? id}@${site.host}>`
  const topic = issue
    ? `[${fullName}] ${inOneLine(issue.title)} (#${issue.number})`
    : `[${fullName}] ${release ? inOneLine(release.title || release.tag_name) : `${actor.name} ${ACTIONS[about]}`}`
  const leave = issue ? unsubscribeUrl(site, secrets, { userId: receiver.id, issueId: issue.id }) : undefined
  const body = { action: `${actor.name} ${actionOf(mail)}`, content: truncate(contentOf(mail)), page, leave }
  return {
    to: mail.address,
    fromName: inOneLine(actor.full_name || actor.name),
    subject: issue && !isOpening ? `Re: ${topic}` : topic,
    text: asText(body),
    html: asHtml(body),
    messageId,
    references: opening && !isOpening ? [opening] : [],
    headers: {
      "List-ID": `${fullName} <${repository.name}.${owner.name}.${site.host}>`,
      "List-Archive": `<${repositoryPage}>`,
      ...(leave === undefined ? {} : { "List-Unsubscribe": `<${leave}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
      "Auto-Submitted": "auto-generated",
    },
  }
}

/** The text of the comment or, where the issue itself is new to the reader, of the issue. */
function contentOf({ about, issue, release, comment, review }: MailContent): string {
  if (release) return release.note
  const remarks = review?.remarks.map(({ path, line, content }) => `${path}:${Math.abs(line)}\n${content}`) ?? []
  if (comment) return [comment.content, ...remarks].filter((text) => text.trim() !== "").join("\n\n")
  return issue && (about === "created" || about === "assigned" || about === "mentioned") ? issue.content : ""
}

const truncate = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}\n…` : text)

const inOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

interface Body {
  readonly action: string
  readonly content: string
  readonly page: string
  readonly leave: string | undefined
}

const asText = ({ action, content, page, leave }: Body): string =>
  [
    `${action}:`,
    ...(content === "" ? [] : [content]),
    `-- \n${page}`,
    ...(leave === undefined ? [] : [`No more mail about this: ${leave}`]),
  ].join("\n\n")

const asHtml = ({ action, content, page, leave }: Body): string =>
  [
    `<p>${escapeHtml(action)}:</p>`,
    ...(content === "" ? [] : [`<div style="white-space:pre-wrap">${escapeHtml(content)}</div>`]),
    `<p>-- <br><a href="${escapeHtml(page)}">${escapeHtml(page)}</a></p>`,
    ...(leave === undefined ? [] : [`<p><a href="${escapeHtml(leave)}">No more mail about this</a></p>`]),
  ].join("\n")
