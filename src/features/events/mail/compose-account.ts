import { randomUUID } from "node:crypto"
import type { User } from "../../../core/actor.ts"
import type { AccountMailsTable } from "../../../core/database/tables/people.ts"
import type { Site } from "../../../core/site.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import type { Mail } from "./mailer.ts"

/** Pages that account mails link to; codes follow as `?code=`. */
export const ACTIVATE_PATH = "/user/activate"
export const FORGOT_PATH = "/user/forgot_password"
export const RECOVER_PATH = "/user/recover_account"
export const SIGN_UP_PATH = "/user/sign_up"
export const TEAM_INVITATION_PATH = "/org/invitation"

export interface AccountMailContent {
  readonly about: Exclude<AccountMailsTable["about"], "teamInvitation">
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
  return compose(site, {
    to: address,
    subject,
    paragraphs: [`Hello ${user.name},`, before],
    page,
    after,
    link,
    messageId: `account-${user.id}.${about}-${id}`,
  })
}

/** A mail that shows that mails arrive. */
export const composeTestMail = (site: Site, address: string): Mail =>
  compose(site, {
    to: address,
    subject: `A test from ${site.host}`,
    paragraphs: ["Mails from this site arrive here: an administrator has sent this one to find out."],
    page: "/",
    after: "Nothing needs to be done.",
    link: undefined,
    messageId: `test-${randomUUID()}`,
  })

export interface InvitationContent {
  readonly address: string
  /** The name of who invites; undefined where the person has asked for it, or the operator invites. */
  readonly by: string | undefined
  /** The same when the mail is sent again, so that a duplicate is shown once. */
  readonly id: number
  readonly link: { readonly code: string; readonly seconds: number }
}

/** The mail with which an account can be made. */
export function composeInvitation(site: Site, { address, by, id, link }: InvitationContent): Mail {
  const { host } = site
  return compose(site, {
    to: address,
    subject: by === undefined ? `Your new account at ${host}` : `${by} invites you to ${host}`,
    paragraphs: [
      "Hello,",
      by === undefined
        ? `With this address you can make an account at ${host}. Choose its name and password here:`
        : `${by} invites you to make an account at ${host}. Choose its name and password here:`,
    ],
    page: SIGN_UP_PATH,
    after: "If you want no account there, do nothing: none is made.",
    link,
    messageId: `invitation-${id}`,
  })
}

/** The mail that invites to a team. The team's name is not in it, which may be any text. */
export function composeTeamInvitation(
  { host, rootUrl }: Site,
  { address, by, organization, id, link }: InvitationContent & { readonly organization: string },
): Mail {
  return compose(
    { host, rootUrl },
    {
      to: address,
      subject: `${by} invites you to ${organization} at ${host}`,
      paragraphs: [
        "Hello,",
        `${by} invites you to a team of the organization ${organization} at ${host}. See what it is, and join or decline:`,
      ],
      page: TEAM_INVITATION_PATH,
      after: "If you don’t know them, do nothing.",
      link,
      messageId: `team-invitation-${id}`,
    },
  )
}

interface Parts {
  readonly to: string
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly page: string
  readonly after: string
  readonly link: AccountMailContent["link"]
  readonly messageId: string
}

function compose(site: Pick<Site, "host" | "rootUrl">, { to, subject, paragraphs, page, after, link, messageId }: Parts): Mail {
  const url = `${site.rootUrl}${page}${link ? `?code=${link.code}` : ""}`
  const ending = link ? `The link is good once, for ${inWords(link.seconds)}. ${after}` : after
  return {
    to,
    fromName: "Hearth",
    subject,
    text: [...paragraphs, url, ending, `-- \n${site.rootUrl}`].join("\n\n"),
    html: [
      ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
      `<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`,
      `<p>${escapeHtml(ending)}</p>`,
      `<p>-- <br><a href="${escapeHtml(site.rootUrl)}">${escapeHtml(site.rootUrl)}</a></p>`,
    ].join("\n"),
    messageId: `<${messageId}@${site.host}>`,
    references: [],
    headers: { "Auto-Submitted": "auto-generated" },
  }
}

function wordsOf({ host }: Site, { about, user, address }: AccountMailContent): Words {
  switch (about) {
    case "welcome":
      return {
        subject: `Welcome to ${host}`,
        before: `An account was made for you at ${host}; your user name is ${user.name}. If no one told you a password, or you want one of your own, set it here:`,
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
        before: `Someone asked for a new password for your account ${user.name} at ${host}. If that was you, set it here:`,
        page: RECOVER_PATH,
        after: "If it wasn’t you, do nothing: your password stays as it is.",
      }
    case "registered":
      return {
        subject: `You have an account at ${host}`,
        before: `Someone asked for a new account at ${host} with this address, which your account ${user.name} has already. If that was you, sign in, or set a new password here:`,
        page: FORGOT_PATH,
        after: "If it wasn’t you, do nothing: nothing was changed, and who asked was not told that you have an account.",
      }
    case "guessing":
      return {
        subject: `Wrong second-factor codes for your account at ${host}`,
        before: `For your account ${user.name} at ${host}, the right password or the link of a recovery mail was used with wrong codes of the authenticator app, again and again. For a while no code is accepted; access tokens and SSH keys go on. If that wasn’t you, someone knows your password or reads your mail: set a new password here, and another one for your mail:`,
        page: FORGOT_PATH,
        after: "If it was you, wait and try again; the page that refused your code says how long.",
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
