import type { Refusal } from "../../../core/errors.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Shown } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { beginAssertion, type Ceremony } from "../../../features/people/sign-in/passkeys/passkeys.ts"
import { titleOf } from "../../../features/people/sign-in/providers/providers.ts"
import type { Session } from "../../../features/people/sign-in/sessions/sessions.ts"
import type { Begun, MustChange } from "../../../features/people/sign-in/sign-in.ts"
import { field, notice } from "../../../web/components.ts"
import {
  codeField,
  hidden,
  newPasswordFields,
  passkeyForm,
  passwordFields,
  problemBeside,
  remember,
  stepPage,
} from "../../../web/sign-in.ts"
import { type Held, PERSON, PREFIX, SEALED } from "./held.ts"

/** The pages that ask something before a held form is sent on. */

/** The form's own fields, and for whom they are held. */
const carried = ({ fields, person, sealed }: Held): readonly Html[] => [
  ...fields.map(([name, value]) => hidden(name, value)),
  hidden(PERSON, person),
  ...(sealed === "" ? [] : [hidden(SEALED, sealed)]),
]

interface Asked {
  readonly title: Text
  readonly says: Content
  /** What is to be filled in. */
  readonly content: Content
  readonly button: Text
  readonly passkey?: Ceremony | undefined
  /** Further fields of both forms. */
  readonly more?: readonly Html[]
  readonly refusal?: Refusal | undefined
  readonly beside?: readonly string[]
  readonly others?: Content
  readonly status?: number
}

function page(held: Held, { title, says, content, button, passkey, more = [], refusal, beside = [], others, status = 401 }: Asked): Shown {
  const fields = [...carried(held), ...more]
  return stepPage(
    title,
    html`
      ${problemBeside(refusal, beside)}
      ${notice("info", html`${says}${held.hasLost && t(" Passwords and codes have to be entered again.")}`)}
      <form class="form held" method="post" action="${held.url}">
        ${fields}${content}
        <button class="primary">${button}</button>
      </form>
      ${passkeyForm(passkey, { action: held.url, button: t("Use a passkey or security key"), fields, prefix: PREFIX })}
      ${others}${written(held)}
    `,
    { status: refusal?.status ?? status, ...(passkey && { modules: ["passkey"] }) },
  )
}

/** What was typed, to be read. */
function written({ fields }: Held): Content {
  const texts = fields.filter(([, value]) => /\s/.test(value.trim()))
  return (
    texts.length > 0 &&
    html`
      <details>
        <summary>Your version</summary>
        ${texts.map(([, value]) => html`<pre>${value}</pre>`)}
      </details>
    `
  )
}

/** Ways that lead to other pages: in another tab, so that this one stays. */
function elsewhere({ config }: Services, held: Held): Content {
  const { providers } = config.signIn
  return (
    providers.length > 0 &&
    html`
      <p>Or sign in in another tab, and then continue here.</p>
      <form class="bar" method="post" action="${held.url}">
        ${carried(held)}
        ${providers.map(
          (each) =>
            html`<a class="button" href="/user/oauth2/${each.name}" target="_blank" rel="nofollow">Sign in with ${titleOf(each)}</a>`,
        )}
        <button>Continue</button>
      </form>
    `
  )
}

const SIGN_IN = t("Sign in to continue")

/** The first step, with what a password is asked for with. */
export const firstPage = async (services: Services, held: Held, login: string, refusal?: Refusal): Promise<Shown> =>
  page(held, {
    title: SIGN_IN,
    says:
      held.person === ""
        ? t("Nothing you wrote is lost: it is sent once you sign in.")
        : html`Your session has ended. Nothing you wrote is lost: it is sent once you sign in as <bdi>${held.person}</bdi>.`,
    content: html`${passwordFields(login || held.person, PREFIX)}${remember(`${PREFIX}remember`)}`,
    button: t("Sign in and continue"),
    passkey: await beginAssertion(services),
    refusal,
    others: elsewhere(services, held),
  })

export const secondPage = (held: Held, { ticket, passkey }: Begun, refusal?: Refusal): Shown =>
  page(held, {
    title: SIGN_IN,
    says: t("One more step. What you wrote is still here, and is sent afterwards."),
    content: codeField(refusal, `${PREFIX}code`),
    button: t("Sign in and continue"),
    passkey,
    more: [hidden(`${PREFIX}ticket`, ticket)],
    refusal,
    beside: ["code"],
  })

export const newPasswordPage = ({ config }: Services, held: Held, { ticket, name }: MustChange, refusal?: Refusal): Shown =>
  page(held, {
    title: t("Choose a new password"),
    says: t("Your password was set by someone else. Choose one that only you know; then what you wrote is sent."),
    content: newPasswordFields(name, config.security, refusal, PREFIX),
    button: t("Save and continue"),
    more: [hidden(`${PREFIX}last`, ticket)],
    refusal,
    beside: ["new_password", "new_password_again"],
  })

/** Somebody else is signed in than who wrote the form: nothing is sent before they say so. */
export const otherPage = (held: Held, name: string): Shown =>
  page(
    { ...held, person: name, sealed: "", hasLost: held.hasLost || held.sealed !== "" },
    {
      title: t("Not sent yet"),
      says: html`
        This was written as <bdi>${held.person}</bdi>, and you are signed in as <bdi>${name}</bdi>. Nothing is sent unless you say so.
      `,
      content: "",
      button: t("Send it as {name}", { name }),
      status: 409,
    },
  )

/** The person of a session shows once more what they sign in with; then the form is sent. */
export async function confirmPage(services: Services, held: Held, { user }: Session, refusal?: Refusal): Promise<Shown> {
  const mark = hidden(`${PREFIX}confirm`, "yes")
  const hasPassword = user.password_hash !== ""
  return page(held, {
    title: t("Confirm access"),
    says: html`
      Confirm that you are <bdi>${user.name}</bdi>: then what you entered is sent. You won’t be asked again for fifteen minutes.
    `,
    content: hasPassword && passwordOnly(user.name),
    button: t("Continue"),
    passkey: await beginAssertion(services, user),
    more: [mark],
    refusal,
    others: elsewhere(services, held),
    status: 403,
  })
}

const passwordOnly = (name: string): Html =>
  html`
    ${hidden(`${PREFIX}username`, name)}
    ${field({
      label: t("Password"),
      name: `${PREFIX}password`,
      type: "password",
      autocomplete: "current-password",
      required: true,
      autofocus: true,
      maxlength: 255,
    })}
  `
