import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import { chosenLanguage } from "../../../core/language/language.ts"
import { type Text, t, textIn } from "../../../core/language/message.ts"
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

/** What someone has done. */
const ACTIONS = {
  created: (name: string) => t("{name} opened this", { name }),
  commented: (name: string) => t("{name} wrote", { name }),
  closed: (name: string) => t("{name} closed this", { name }),
  reopened: (name: string) => t("{name} reopened this", { name }),
  transferred: (name: string) => t("{name} moved this here", { name }),
  merged: (name: string) => t("{name} merged this", { name }),
  pushed: (name: string) => t("{name} pushed new commits", { name }),
  reviewed: (name: string) => t("{name} reviewed this", { name }),
  dismissed: (name: string) => t("{name} dismissed a review", { name }),
  ready: (name: string) => t("{name} marked this as ready", { name }),
  assigned: (name: string) => t("{name} assigned this to you", { name }),
  mentioned: (name: string) => t("{name} mentioned you", { name }),
  review_requested: (name: string) => t("{name} asked you for a review", { name }),
  offered: (name: string) => t("{name} offers you this repository", { name }),
  released: (name: string) => t("{name} published a release", { name }),
} as const

/** The same for reviews with a verdict. */
const VERDICTS: Readonly<Record<string, (name: string) => Text>> = {
  APPROVED: (name) => t("{name} approved this", { name }),
  REQUEST_CHANGES: (name) => t("{name} requested changes", { name }),
}

const actionOf = ({ about, review, actor }: MailContent): Text => ((review && VERDICTS[review.state]) ?? ACTIONS[about])(actor.name)

/**
 * Composes a mail. `id` distinguishes it from other mails about the same issue, and is the same when it is sent again, so that a duplicate
 * is shown once.
 */
export function compose({ site, secrets }: { readonly site: Site; readonly secrets: Secrets }, mail: MailContent, id: number): Mail {
  const { about, receiver, actor, repository, owner, issue, release, comment } = mail
  const say = (text: Text): string => textIn(chosenLanguage(receiver.language), text)
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
    : `[${fullName}] ${release ? inOneLine(release.title || release.tag_name) : say(actionOf(mail))}`
  const leave = issue ? unsubscribeUrl(site, secrets, { userId: receiver.id, issueId: issue.id }) : undefined
  const noMore = leave === undefined ? undefined : { words: say(t("No more mail about this")), leave }
  const body = { action: say(actionOf(mail)), content: truncate(contentOf(mail)), page, noMore }
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
  readonly noMore: { readonly words: string; readonly leave: string } | undefined
}

const asText = ({ action, content, page, noMore }: Body): string =>
  [`${action}:`, ...(content === "" ? [] : [content]), `-- \n${page}`, ...(noMore ? [`${noMore.words}: ${noMore.leave}`] : [])].join("\n\n")

const asHtml = ({ action, content, page, noMore }: Body): string =>
  [
    `<p>${escapeHtml(action)}:</p>`,
    ...(content === "" ? [] : [`<div style="white-space:pre-wrap">${escapeHtml(content)}</div>`]),
    `<p>-- <br><a href="${escapeHtml(page)}">${escapeHtml(page)}</a></p>`,
    ...(noMore ? [`<p><a href="${escapeHtml(noMore.leave)}">${escapeHtml(noMore.words)}</a></p>`] : []),
  ].join("\n")
