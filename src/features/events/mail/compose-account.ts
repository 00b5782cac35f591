import { randomUUID } from "node:crypto"
import type { User } from "../../../core/actor.ts"
import type { AccountMailsTable } from "../../../core/database/tables/people.ts"
import { chosenLanguage, ENGLISH, type Language } from "../../../core/language/language.ts"
import { plural, type Text, t, textIn } from "../../../core/language/message.ts"
import type { Site } from "../../../core/site.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { TEAM_INVITATION_PATH } from "../../people/teams/invitations.ts"
import type { Mail } from "./mailer.ts"

/** Pages that account mails link to; codes follow as `?code=`. */
export const ACTIVATE_PATH = "/user/activate"
export const FORGOT_PATH = "/user/forgot_password"
export const RECOVER_PATH = "/user/recover_account"
const TOKENS_PATH = "/user/settings/applications"
export const SIGN_UP_PATH = "/user/sign_up"

export interface AccountMailContent {
  readonly about: Exclude<AccountMailsTable["about"], "teamInvitation">
  readonly user: User
  readonly address: string
  /** The same when the mail is sent again, so that a duplicate is shown once. */
  readonly id: number
  /** The URL that the mail offers, and how long it is valid. */
  readonly link?: { readonly code: string; readonly seconds: number }
}

interface Said {
  readonly subject: Text
  readonly before: Text
  readonly page: string
  readonly after: Text
}

/** The mail to a user about their own account. It contains no text chosen by other users. */
export function composeAccountMail(site: Site, mail: AccountMailContent): Mail {
  const { about, address, id, link, user } = mail
  const { subject, before, page, after } = wordsOf(site, mail)
  return compose(site, {
    to: address,
    language: chosenLanguage(user.language),
    subject,
    paragraphs: [t("Hello {name},", { name: user.name }), before],
    page,
    after,
    link,
    messageId: `account-${user.id}.${about}-${id}`,
  })
}

export interface TokenExpiryContent {
  readonly user: User
  readonly address: string
  /** The same when the mail is sent again, so that a duplicate is shown once. */
  readonly id: number
  /** The token's, which the person chose. */
  readonly name: string
  /** Until the token expires. */
  readonly seconds: number
}

/** The mail that an access token will expire. */
export const composeTokenExpiry = (site: Site, { user, address, id, name, seconds }: TokenExpiryContent): Mail =>
  compose(site, {
    to: address,
    language: chosenLanguage(user.language),
    subject: t("Your access token {token} at {host} expires in {time}", { token: name, host: site.host, time: inWords(seconds) }),
    paragraphs: [
      t("Hello {name},", { name: user.name }),
      t("In {time}, programs that use your access token {token} will be refused. Create another one for them here:", {
        time: inWords(seconds),
        token: name,
      }),
    ],
    page: TOKENS_PATH,
    after: t("If no program uses it any more, nothing needs to be done."),
    link: undefined,
    messageId: `token-${user.id}-${id}`,
  })

/** A mail that shows that mails arrive. */
export const composeTestMail = (site: Site, address: string): Mail =>
  compose(site, {
    to: address,
    language: ENGLISH,
    subject: t("A test from {host}", { host: site.host }),
    paragraphs: [t("Mails from this site arrive here: an administrator has sent this one to find out.")],
    page: "/",
    after: t("Nothing needs to be done."),
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
    language: ENGLISH,
    subject: by === undefined ? t("Your new account at {host}", { host }) : t("{by} invites you to {host}", { by, host }),
    paragraphs: [
      t("Hello,"),
      by === undefined
        ? t("With this address you can make an account at {host}. Choose its name and password here:", { host })
        : t("{by} invites you to make an account at {host}. Choose its name and password here:", { by, host }),
    ],
    page: SIGN_UP_PATH,
    after: t("If you want no account there, do nothing: none is made."),
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
      language: ENGLISH,
      subject: t("{by} invites you to {organization} at {host}", { by: by ?? "", organization, host }),
      paragraphs: [
        t("Hello,"),
        t("{by} invites you to a team of the organization {organization} at {host}. See what it is, and join or decline:", {
          by: by ?? "",
          organization,
          host,
        }),
      ],
      page: TEAM_INVITATION_PATH,
      after: t("If you don’t know them, do nothing."),
      link,
      messageId: `team-invitation-${id}`,
    },
  )
}

interface Parts {
  readonly to: string
  readonly language: Language
  readonly subject: Text
  readonly paragraphs: readonly Text[]
  readonly page: string
  readonly after: Text
  readonly link: AccountMailContent["link"]
  readonly messageId: string
}

export function compose(site: Pick<Site, "host" | "rootUrl">, parts: Parts): Mail {
  const { to, language, page, link, messageId } = parts
  const say = (text: Text): string => textIn(language, text)
  const paragraphs = parts.paragraphs.map(say)
  const after = say(parts.after)
  const url = `${site.rootUrl}${page}${link ? `?code=${link.code}` : ""}`
  const ending = link ? `${say(t("The link is good once, for {time}.", { time: inWords(link.seconds) }))} ${after}` : after
  return {
    to,
    fromName: "Hearth",
    subject: say(parts.subject),
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

function wordsOf({ host }: Site, { about, user, address }: AccountMailContent): Said {
  switch (about) {
    case "welcome":
      return {
        subject: t("Welcome to {host}", { host }),
        before: t(
          "An account was made for you at {host}; your user name is {name}. If no one told you a password, or you want one of your own, set it here:",
          { host, name: user.name },
        ),
        page: FORGOT_PATH,
        after: t("The page asks for the address that this mail was sent to."),
      }
    case "activation":
      return {
        subject: t("Activate your account at {host}", { host }),
        before: t("An account was made for you at {host}; your user name is {name}. Activate it here:", { host, name: user.name }),
        page: ACTIVATE_PATH,
        after: t("If you expected no account there, do nothing: it stays inactive."),
      }
    case "confirmation":
      return {
        subject: t("Confirm your address at {host}", { host }),
        before: t("{name} added the address {address} to its account at {host}. If that was you, confirm it here:", {
          name: user.name,
          address,
          host,
        }),
        page: ACTIVATE_PATH,
        after: t("If it wasn’t you, do nothing: the address won’t count."),
      }
    case "recovery":
      return {
        subject: t("Set a new password at {host}", { host }),
        before: t("Someone asked for a new password for your account {name} at {host}. If that was you, set it here:", {
          name: user.name,
          host,
        }),
        page: RECOVER_PATH,
        after: t("If it wasn’t you, do nothing: your password stays as it is."),
      }
    case "registered":
      return {
        subject: t("You have an account at {host}", { host }),
        before: t(
          "Someone asked for a new account at {host} with this address, which your account {name} has already. If that was you, sign in, or set a new password here:",
          { host, name: user.name },
        ),
        page: FORGOT_PATH,
        after: t("If it wasn’t you, do nothing: nothing was changed, and who asked was not told that you have an account."),
      }
    case "guessing":
      return {
        subject: t("Wrong second-factor codes for your account at {host}", { host }),
        before: t(
          "For your account {name} at {host}, the right password or the link of a recovery mail was used with wrong codes of the authenticator app, again and again. For a while no code is accepted; access tokens and SSH keys go on. If that wasn’t you, someone knows your password or reads your mail: set a new password here, and another one for your mail:",
          { name: user.name, host },
        ),
        page: FORGOT_PATH,
        after: t("If it was you, wait and try again; the page that refused your code says how long."),
      }
  }
}

const DAY = 86_400
const HOUR = 3_600
const MINUTE = 60

/** A duration in the largest unit that it has at least two of, rounded down; a link is valid at least as long as the mail says. */
function inWords(seconds: number): Text {
  if (seconds >= 2 * DAY) return plural(Math.floor(seconds / DAY), "day")
  if (seconds >= 2 * HOUR) return plural(Math.floor(seconds / HOUR), "hour")
  return plural(Math.max(1, Math.floor(seconds / MINUTE)), "minute")
}
