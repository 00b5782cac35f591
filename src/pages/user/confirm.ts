import { anyone } from "../../access/policies/site.ts"
import type { Refusal } from "../../core/errors.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { beginAssertion } from "../../features/people/sign-in/passkeys/passkeys.ts"
import { titleOf } from "../../features/people/sign-in/providers/providers.ts"
import { findLinksOf } from "../../features/people/sign-in/providers/store.ts"
import { confirmSession, type Session } from "../../features/people/sign-in/sessions/sessions.ts"
import { signInOf } from "../../features/people/sign-in/sign-in.ts"
import { CONFIRM_PATH, loginFor, ownPath } from "../../web/address.ts"
import { field } from "../../web/components.ts"
import { hidden, passkeyForm, problemBeside, stepPage } from "../../web/sign-in.ts"
import { sessionOfReader } from "../parts/sign-in/confirmed.ts"
import { passkeyFields, passkeyIn, providerLink, text } from "../parts/sign-in/steps.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/** The page on which a person shows once more what they sign in with, before a change that an open browser must not suffice for. */
export const confirmPages: readonly Page[] = [
  page({
    ...shared,
    id: "signIn.ask",
    address: `GET ${CONFIRM_PATH}`,
    query: { redirect_to: text },
    answer: async ({ services, reader, query: { redirect_to = "" } }) => {
      const target = ownPath(redirect_to)
      const session = await sessionOfReader(services, reader)
      return session ? confirmPage(services, session, target) : moved(loginFor(target))
    },
  }),

  page({
    ...shared,
    id: "signIn.confirm",
    address: `POST ${CONFIRM_PATH}`,
    query: { password: text, ...passkeyFields, redirect_to: text },
    again: async ({ services, reader, query: { redirect_to = "" } }, refusal) => {
      const session = await sessionOfReader(services, reader)
      if (!session) throw refusal
      return confirmPage(services, session, ownPath(redirect_to), refusal)
    },
    answer: async ({ services, reader, query: { password = "", redirect_to = "", ...others } }) => {
      const target = ownPath(redirect_to)
      const session = await sessionOfReader(services, reader)
      if (!session || reader.session === undefined) return moved(loginFor(target))
      const { user, isRemembered } = session
      await signInOf(services).confirm(user, { password, passkey: passkeyIn(others), address: reader.ip })
      return moved(target, { session: { text: await confirmSession(services, session, reader.session), isRemembered } })
    },
  }),
]

async function confirmPage(services: Services, { user }: Session, target: string, refusal?: Refusal): Promise<Shown> {
  const passkey = await beginAssertion(services, user)
  const links = user.password_hash === "" ? await findLinksOf(services.database.read, { userId: user.id }) : []
  const others = services.config.signIn.providers.filter(({ name }) => links.some(({ provider }) => provider === name))
  const back = hidden("redirect_to", target)
  return stepPage(
    t("Confirm access"),
    html`
      ${problemBeside(refusal, [])}
      <p>
        This changes how <strong>${user.name}</strong> signs in. Confirm your identity first; you won’t be asked again for fifteen minutes.
      </p>
      ${user.password_hash !== "" && passwordForm(user.name, back)}
      ${passkeyForm(passkey, { action: CONFIRM_PATH, button: t("Use a passkey or security key"), fields: [back] })}
      ${others.map((each) => providerLink(each, target, t("Sign in with {each} again", { each: titleOf(each) })))}
    `,
    passkey && { modules: ["passkey"] },
  )
}

const passwordForm = (name: string, back: Html): Html =>
  html`
    <form class="form" method="post" action="${CONFIRM_PATH}">
      ${back}${hidden("username", name)}
      ${field({
        label: t("Password"),
        name: "password",
        type: "password",
        autocomplete: "current-password",
        required: true,
        autofocus: true,
        maxlength: 255,
      })}
      <button class="primary">Continue</button>
    </form>
  `
