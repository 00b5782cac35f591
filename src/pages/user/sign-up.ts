import { anyone } from "../../access/policies/site.ts"
import { type Refusal, refuse } from "../../core/errors.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type Page, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { SIGN_UP_PATH } from "../../features/events/mail/compose-account.ts"
import { askForAccount, readInvitation, signUp } from "../../features/people/sign-in/registration/registration.ts"
import { LOGIN_PATH, ownPath } from "../../web/address.ts"
import { field } from "../../web/components.ts"
import { faultOf, hidden, problemBeside, stepPage } from "../../web/sign-in.ts"
import { goOn, text } from "../parts/sign-in/steps.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/** Making an account: the address first, by a mail, and then its name and password. */
export const signUpPages: readonly Page[] = [
  page({
    ...shared,
    id: "signUp.show",
    address: `GET ${SIGN_UP_PATH}`,
    query: { code: text, redirect_to: text },
    answer: ({ services, query: { code = "", redirect_to = "" } }) =>
      code === "" ? addressPage(services) : accountPage(services, { code, target: ownPath(redirect_to) }),
  }),

  page({
    ...shared,
    id: "signUp.send",
    address: `POST ${SIGN_UP_PATH}`,
    query: { email: text, code: text, redirect_to: text, name: text, password: text, password_again: text },
    again: ({ services, query: { email = "", code = "", redirect_to = "", name = "" } }, refusal) =>
      code === ""
        ? addressPage(services, email, refusal)
        : accountPage(services, { code, target: ownPath(redirect_to), name: name.trim(), refusal }),
    answer: async ({ services, reader, query }) => {
      const { email = "", code = "", password = "" } = query
      if (code === "") {
        await askForAccount(services, email, reader.ip)
        return mailedPage(email.trim())
      }
      if (password !== (query.password_again ?? "")) throw refuse.invalid("password_again", "must be the same")
      const user = await signUp(services, { code, name: (query.name ?? "").trim(), password })
      const step = { kind: "complete", user, method: "password", isRemembered: false } as const
      return goOn(services, reader, step, { target: ownPath(query.redirect_to ?? "") })
    },
  }),
]

const mailedPage = (email: string): Shown =>
  stepPage(
    t("Check your e-mail"),
    html`
      <p role="status">We sent a link to <strong><bdi>${email}</bdi></strong> to continue.</p>
      <p>Nothing after a few minutes? Check your spam folder, or request it again later.</p>
    `,
  )

function addressPage({ config }: Services, email = "", refusal?: Refusal): Shown {
  const { registration } = config.users
  return stepPage(
    t("Create an account"),
    html`
      ${
        registration === "open"
          ? html`
            ${problemBeside(refusal, ["email"])}
            <form class="form" method="post" action="${SIGN_UP_PATH}">
              ${field({
                label: t("E-mail address"),
                name: "email",
                type: "email",
                value: email,
                autocomplete: "email",
                required: true,
                autofocus: true,
                maxlength: 254,
                hint: t("You will get a link to choose a user name and a password."),
                fault: faultOf(refusal, "email"),
              })}
              <button class="primary">Send link</button>
            </form>
          `
          : html`
            <p>
              ${
                registration === "closed"
                  ? t("Accounts are created by the administrators of this site.")
                  : t("Accounts are created by invitation: use the link in the invitation mail.")
              }
            </p>
          `
      }
      <p>Already have an account? <a href="${LOGIN_PATH}">Sign in</a></p>
    `,
  )
}

const voidPage = stepPage(
  t("This link has expired"),
  html`
    <p role="alert">It was used, has expired, or is incomplete.</p>
    <p><a href="${SIGN_UP_PATH}">Request a new one</a>, or <a href="${LOGIN_PATH}">sign in</a>.</p>
  `,
  { status: 404 },
)

interface Begun {
  readonly code: string
  readonly target: string
  readonly name?: string
  readonly refusal?: Refusal
}

async function accountPage(services: Services, { code, target, name = "", refusal }: Begun): Promise<Shown> {
  const { config, database } = services
  const invitation = config.users.registration === "closed" ? undefined : await readInvitation(services, database.read, code)
  if (!invitation) return voidPage
  return stepPage(
    t("Create your account"),
    html`
      ${problemBeside(refusal, ["username", "password", "password_again"])}
      <p>For the address <strong><bdi>${invitation.lower_email}</bdi></strong>.</p>
      <form class="form" method="post" action="${SIGN_UP_PATH}">
        ${hidden("code", code)}${hidden("redirect_to", target)}
        ${accountFields(name, t("At least {least} characters.", { least: config.security.passwordMinLength }), refusal)}
        <button class="primary">Create account</button>
      </form>
    `,
  )
}

const accountFields = (name: string, atLeast: Text, refusal: Refusal | undefined): Html =>
  html`
    ${field({
      label: t("User name"),
      name: "name",
      value: name,
      autocomplete: "username",
      required: true,
      autofocus: true,
      maxlength: 40,
      hint: t("Letters, digits, and single - _ . inside."),
      fault: faultOf(refusal, "username"),
    })}
    ${newPassword(t("Password"), "password", refusal, atLeast)} ${newPassword(t("Confirm password"), "password_again", refusal)}
  `

const newPassword = (label: Text, name: string, refusal: Refusal | undefined, hint?: Text): Html =>
  field({
    label,
    name,
    type: "password",
    autocomplete: "new-password",
    required: true,
    maxlength: 255,
    hint,
    fault: faultOf(refusal, name),
  })
