import type { Refusal } from "../core/errors.ts"
import { type Content, type Html, html } from "../core/html.ts"
import { type Text, t, type Words } from "../core/language/message.ts"
import type { Shown } from "../core/page.ts"
import { LOGIN_PATH } from "./address.ts"
import { field } from "./components.ts"
import { icon } from "./icon.ts"
import { problem, sentence, withoutField } from "./problem.ts"

/** Forms of the pages that people sign in on. */

export const hidden = (name: Text, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** A page of the sign-in: in no search engine, in no store. */
export const stepPage = (title: Text, body: Content, more: Partial<Shown> = {}): Shown => ({
  kind: "shown",
  title,
  unlisted: true,
  isPrivate: true,
  ...more,
  body: html`
    <div class="form">
      <h1>${title}</h1>
      ${body}
    </div>
  `,
})

/** A page of a few sentences or fields, for who has a link or a password: in no search engine. */
export const plainPage = (title: Text, body: Content, more: Partial<Shown> = {}): Shown => ({
  kind: "shown",
  title,
  unlisted: true,
  width: "narrow",
  ...more,
  body: html`
    <h1>${title}</h1>
    ${body}
  `,
})

/** What is wrong: beside its field where it has one on the page, else above the form. */
export const faultOf = (refusal: Refusal | undefined, name: string): Words | undefined => {
  const isHere = refusal?.field === name || refusal?.message.startsWith(`[${name}]:`)
  return isHere && refusal ? sentence(withoutField(refusal.said)) : undefined
}

export const problemBeside = (refusal: Refusal | undefined, names: readonly string[]): Content =>
  names.some((name) => faultOf(refusal, name) !== undefined) ? undefined : problem(refusal)

/** What the browser needs to ask for a passkey, and what the form carries back. */
interface Ceremony {
  readonly options: object
  readonly ticket: string
}

interface PasskeyForm {
  readonly action: string
  readonly button: Text
  readonly fields: readonly Content[]
  /** What the names of its own fields begin with, on pages that have others. */
  readonly prefix?: string
}

/** A button that asks the browser for a passkey; the script shows it where the browser has them. */
export const passkeyForm = (ceremony: Ceremony | undefined, { action, button, fields, prefix = "" }: PasskeyForm): Content =>
  ceremony &&
  html`
    <form method="post" action="${action}" data-passkey="get" data-options="${JSON.stringify(ceremony.options)}" hidden>
      ${fields}${hidden(`${prefix}passkey_ticket`, ceremony.ticket)}${hidden(`${prefix}credential`, "")}
      <button>${icon("key")} ${button}</button>
      <p class="fault" role="alert" hidden></p>
    </form>
  `

/** The fields of the first step. Their names begin with `prefix` on pages that have others. */
export const passwordFields = (login: string, prefix = ""): Html =>
  html`
    ${field({
      label: t("User name or e-mail address"),
      name: `${prefix}login`,
      value: login,
      autocomplete: "username webauthn",
      required: true,
      autofocus: true,
      maxlength: 254,
    })}
    ${field({
      label: t("Password"),
      name: `${prefix}password`,
      type: "password",
      autocomplete: "current-password",
      required: true,
      maxlength: 255,
      hint: html`<a href="/user/forgot_password">Forgot password?</a>`,
    })}
  `

/** A new password, twice. The name is for password managers, which keep the new one for it. */
export const newPasswordFields = (
  name: string,
  { passwordMinLength }: { readonly passwordMinLength: number },
  refusal: Refusal | undefined,
  prefix = "",
): Html =>
  html`
    <input type="text" value="${name}" autocomplete="username" readonly hidden>
    ${field({
      label: t("New password"),
      name: `${prefix}new_password`,
      type: "password",
      autocomplete: "new-password",
      required: true,
      autofocus: true,
      maxlength: 255,
      hint: t("At least {passwordMinLength} characters.", { passwordMinLength }),
      fault: faultOf(refusal, "new_password") ?? faultOf(refusal, "password"),
    })}
    ${field({
      label: t("Confirm new password"),
      name: `${prefix}new_password_again`,
      type: "password",
      autocomplete: "new-password",
      required: true,
      maxlength: 255,
      fault: faultOf(refusal, "new_password_again"),
    })}
  `

export const remember = (name = "remember"): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="on"> Stay signed in on this device</label>`

export const codeField = (refusal: Refusal | undefined, name = "code"): Html =>
  field({
    label: t("Code"),
    name,
    autocomplete: "one-time-code",
    required: true,
    autofocus: true,
    maxlength: 40,
    hint: t("From your authenticator app, or one of your recovery codes."),
    fault: faultOf(refusal, "code"),
  })

export const beginAgain = html`<p><a href="${LOGIN_PATH}">Start again</a></p>`
