import { anyone } from "../../access/policies/site.ts"
import type { Refusal } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { SIGN_UP_PATH } from "../../features/events/mail/compose-account.ts"
import { beginAssertion } from "../../features/people/sign-in/passkeys/passkeys.ts"
import { titleOf } from "../../features/people/sign-in/providers/providers.ts"
import { endSession } from "../../features/people/sign-in/sessions/sessions.ts"
import { signInOf } from "../../features/people/sign-in/sign-in.ts"
import { LOGIN_PATH, LOGOUT_PATH, ownPath } from "../../web/address.ts"
import { hidden, passkeyForm, passwordFields, problemBeside, remember, stepPage } from "../../web/sign-in.ts"
import { formTargetsFor } from "../parts/sign-in/form-targets.ts"
import {
  goOn,
  NEW_PASSWORD_PATH,
  newPasswordPage,
  passkeyFields,
  passkeyIn,
  providerLink,
  SECOND_PATH,
  secondPage,
  text,
} from "../parts/sign-in/steps.ts"

const PASSKEY_PATH = "/user/passkey"

const shared = { access: anyone, beforeSignIn: true } as const

/** Signing in, with a second step where there is one, and out. */
export const loginPages: readonly Page[] = [
  page({
    ...shared,
    id: "signIn.show",
    address: `GET ${LOGIN_PATH}`,
    query: { redirect_to: text, again: text },
    answer: ({ services, actor, query: { redirect_to = "", again } }) => {
      const target = ownPath(redirect_to)
      return again === undefined && actor.kind === "user" ? moved(target) : loginPage(services, { target })
    },
  }),

  page({
    ...shared,
    id: "signIn.byPassword",
    address: `POST ${LOGIN_PATH}`,
    query: { login: text, password: text, remember: text, redirect_to: text },
    again: ({ services, query: { login = "", redirect_to = "" } }, refusal) =>
      loginPage(services, { target: ownPath(redirect_to), login: login.trim(), refusal }),
    answer: async ({ services, reader, query: { login = "", password = "", remember = "", redirect_to = "" } }) => {
      const shown = { login: login.trim(), password, isRemembered: remember !== "", address: reader.ip }
      return goOn(services, reader, await signInOf(services).byPassword(shown), { target: ownPath(redirect_to) })
    },
  }),

  // Without a begun sign-in there is nothing to go on with.
  ...["two_factor", "passkey", "webauthn", "new_password"].map((step) =>
    page({ ...shared, id: `signIn.begin.${step}`, address: `GET /user/${step}`, answer: () => moved(LOGIN_PATH) }),
  ),

  page({
    ...shared,
    id: "signIn.second",
    address: `POST ${SECOND_PATH}`,
    query: { ticket: text, code: text, ...passkeyFields, redirect_to: text },
    again: async ({ services, query: { ticket = "", redirect_to = "" } }, refusal) => {
      const step = await signInOf(services).goOn(ticket)
      const target = ownPath(redirect_to)
      return step ? secondPage(services, step, { target, refusal }) : tooLate(services, target)
    },
    answer: async ({ services, reader, query: { ticket = "", code = "", redirect_to = "", ...others } }) => {
      const target = ownPath(redirect_to)
      const done = await signInOf(services).secondStep({ ticket, code, passkey: passkeyIn(others), address: reader.ip })
      return done ? goOn(services, reader, done, { target }) : tooLate(services, target)
    },
  }),

  page({
    ...shared,
    id: "signIn.newPassword",
    address: `POST ${NEW_PASSWORD_PATH}`,
    query: { ticket: text, new_password: text, new_password_again: text, redirect_to: text },
    again: async ({ services, query: { ticket = "", redirect_to = "" } }, refusal) => {
      const step = await signInOf(services).whoMustChange(ticket)
      const target = ownPath(redirect_to)
      return step ? newPasswordPage(services, step, { target, refusal }) : tooLate(services, target)
    },
    answer: async ({ services, reader, query: { ticket = "", new_password: wanted = "", new_password_again: again = "", ...others } }) => {
      const target = ownPath(others.redirect_to ?? "")
      const done = await signInOf(services).choosePassword({ ticket, wanted, again, address: reader.ip })
      return done ? goOn(services, reader, done, { target }) : tooLate(services, target)
    },
  }),

  page({
    ...shared,
    id: "signIn.byPasskey",
    address: `POST ${PASSKEY_PATH}`,
    query: { ...passkeyFields, remember: text, redirect_to: text },
    again: ({ services, query: { redirect_to = "" } }, refusal) => loginPage(services, { target: ownPath(redirect_to), refusal }),
    answer: async ({ services, reader, query: { passkey_ticket: ticket = "", credential = "", remember = "", redirect_to = "" } }) => {
      const step = await signInOf(services).byPasskey({ ticket, credential, isRemembered: remember !== "" })
      return goOn(services, reader, step, { target: ownPath(redirect_to) })
    },
  }),

  page({
    ...shared,
    id: "signIn.leaving",
    address: `GET ${LOGOUT_PATH}`,
    answer: () =>
      stepPage(
        t("Sign out"),
        html`<form method="post" action="${LOGOUT_PATH}"><button class="primary">Sign out of this browser</button></form>`,
      ),
  }),

  page({
    ...shared,
    id: "signIn.end",
    address: `POST ${LOGOUT_PATH}`,
    answer: async ({ services, reader }) => {
      if (reader.session !== undefined) await endSession(services, reader.session)
      return moved("/", { session: "ended" })
    },
  }),
]

interface First {
  readonly target: string
  readonly login?: string
  readonly refusal?: Refusal
  readonly sentence?: Text
}

const tooLate = async (services: Services, target: string): Promise<Shown> => ({
  ...(await loginPage(services, { target, sentence: t("The sign-in has expired. Please start again.") })),
  status: 400,
})

async function loginPage(services: Services, { target, login = "", refusal, sentence }: First): Promise<Shown> {
  const { signIn, users } = services.config
  const ceremony = await beginAssertion(services)
  return stepPage(
    t("Sign in"),
    html`
      ${sentence === undefined ? problemBeside(refusal, []) : html`<div class="notice bad" role="alert">${sentence}</div>`}
      <form class="form" method="post" action="${LOGIN_PATH}">
        ${hidden("redirect_to", target)}${passwordFields(login)}${remember()}
        <button class="primary">Sign in</button>
      </form>
      ${passkeyForm(ceremony, {
        action: PASSKEY_PATH,
        button: t("Sign in with a passkey"),
        fields: [hidden("redirect_to", target), hidden("remember", "")],
      })}
      ${
        signIn.providers.length > 0 &&
        html`
          <div class="bar">
            ${signIn.providers.map((each) => providerLink(each, target, t("Sign in with {provider}", { provider: titleOf(each) })))}
          </div>
        `
      }
      ${users.registration === "open" && html`<p>New to this site? <a href="${SIGN_UP_PATH}">Create an account</a></p>`}
    `,
    { formTargets: await formTargetsFor(services, target), ...(ceremony && { modules: ["passkey"] }) },
  )
}
