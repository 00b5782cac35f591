import type { User } from "../../../core/actor.ts"
import type { AccountMailsTable } from "../../../core/database/tables.ts"
import type { Mail } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { escapeHtml } from "../../../core/text/html.ts"

/** Pages that account mails link to; codes follow as `?code=`. */
export const ACTIVATE_PATH = "/user/activate"
export const FORGOT_PATH = "/user/forgot_password"
export const RECOVER_PATH = "/user/recover_account"

export interface AccountMailContent {
  readonly about: AccountMailsTable["about"]
  readonly user: User
  readonly address: string
  /** The same when the mail is sent again, so that a duplicate is shown once. */
  readonly id: number
  /** The URL that the mail offers, and how long it is valid. */
  readonly link?: { readonly code: string; readonly seconds: number }
}

interface Words {
  readonly subject: string
  readonly before: string
  readonly page: string
  readonly after: string
}

/** The mail to a user about their own account. It contains no text chosen by other users. */
export function composeAccountMail(site: Site, mail: AccountMailContent): Mail {
  const { about, address, id, link, user } = mail
  const { subject, before, page, after } = wordsOf(site, mail)
  const url = `${site.rootUrl}${page}${link ? `?code=${link.code}` : ""}`
  const ending = link ? `The link is good once, for ${inWords(link.seconds)}. ${after}` : after
  const paragraphs = [`Hello ${user.name},`, before]
  return {
    to: address,
    fromName: "Hearth",
    subject,
    text: [...paragraphs, url, ending, `-- \n${site.rootUrl}`].join("\n\n"),
    html: [
      ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
      `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`,
      `<p>${escapeHtml(ending)}</p>`,
      `<p>-- <br><a href="${escapeHtml(site.rootUrl)}">${escapeHtml(site.rootUrl)}</a></p>`,
    ].join("\n"),
    messageId: `<account-${user.id}.${about}-${id}@${site.host}>`,
    references: [],
    headers: { "Auto-Submitted": "auto-generated" },
  }
}

function wordsOf({ host }: Site, { about, user, address }: AccountMailContent): Words {
  switch (about) {
    case "welcome":
      return {
        subject: `Welcome to ${host}`,
        before: `An account was made for you at ${host}; your user name is ${user.name}. If nobody told you a password, or you want one of your own, set it here:`,
        page: FORGOT_PATH,
        after: "The page asks for the address that this mail was sent to.",
      }
    case "activation":
      return {
        subject: `Activate your account at ${host}`,
        before: `An account was made for you at ${host}; your user name is ${user.name}. Activate it here:`,
        page: ACTIVATE_PATH,
        after: "If you expected no account there, do nothing: it stays inactive.",
      }
    case "confirmation":
      return {
        subject: `Confirm your address at ${host}`,
        before: `${user.name} added the address ${address} to its account at ${host}. If that was you, confirm it here:`,
        page: ACTIVATE_PATH,
        after: "If it wasn’t you, do nothing: the address won’t count.",
      }
    case "recovery":
      return {
        subject: `Set a new password at ${host}`,
        before: `Somebody asked for a new password for your account ${user.name} at ${host}. If that was you, set it here:`,
        page: RECOVER_PATH,
        after: "If it wasn’t you, do nothing: your password stays as it is.",
      }
  }
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

/** A duration in the largest unit that it has at least two of, rounded down; a link is valid at least as long as the mail says. */
function inWords(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= 2 * size) ?? (["minute", 60] as const)
  const count = Math.floor(seconds / length)
  return count === 1 ? `a ${unit}` : `${count} ${unit}s`
}
