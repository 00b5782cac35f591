import { anyone } from "../../access/policies/site.ts"
import { type Refusal, refuse } from "../../core/errors.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { titleFor } from "../../features/people/sign-in/providers/providers.ts"
import { mayRegister, signUpBy } from "../../features/people/sign-in/registration/registration.ts"
import { type Stranger, signInOf } from "../../features/people/sign-in/sign-in.ts"
import { LOGIN_PATH } from "../../web/address.ts"
import { field } from "../../web/components.ts"
import { faultOf, hidden, passwordFields, problemBeside, stepPage } from "../../web/sign-in.ts"
import { goOn, LINK_PATH, text } from "../parts/sign-in/steps.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/** What becomes of an account at another provider that no one here has: the person says whose it is, or makes a new account. */
export const linkAccountPages: readonly Page[] = [
  page({
    ...shared,
    id: "provider.choose",
    address: `GET ${LINK_PATH}`,
    answer: ({ services, reader }) => {
      const stranger = signInOf(services).openStranger(reader.kept.step ?? "")
      return stranger ? choicePage(services, { stranger }) : moved(LOGIN_PATH)
    },
  }),

  page({
    ...shared,
    id: "provider.decide",
    address: `POST ${LINK_PATH}`,
    query: { new: text, name: text, login: text, password: text },
    again: ({ services, reader, query: { login = "", name = "" } }, refusal) => {
      const stranger = signInOf(services).openStranger(reader.kept.step ?? "")
      if (!stranger) throw refusal
      return choicePage(services, { stranger, login: login.trim(), name: name.trim(), refusal })
    },
    answer: async ({ services, reader, query }) => {
      const signIn = signInOf(services)
      const stranger = signIn.openStranger(reader.kept.step ?? "")
      if (!stranger) return moved(LOGIN_PATH)
      const { identity, target, isRemembered } = stranger
      const going = { target, keeps: { step: undefined } }
      if (query.new !== undefined && query.new !== "") {
        await signUpBy(services, identity, (query.name ?? "").trim())
        const step = await signIn.byIdentity(identity, isRemembered)
        if (!step) throw refuse.badRequest("Please start again")
        return goOn(services, reader, step, going)
      }
      const shown = { login: (query.login ?? "").trim(), password: query.password ?? "", isRemembered, address: reader.ip, identity }
      return goOn(services, reader, await signIn.byPassword(shown), going)
    },
  }),
]

interface Choice {
  readonly stranger: Stranger
  readonly login?: string
  readonly name?: string
  readonly refusal?: Refusal
}

function choicePage(services: Services, { stranger: { identity }, login = "", name = identity.userName, refusal }: Choice): Shown {
  const there = titleFor(services, identity.provider)
  const fault = faultOf(refusal, "username") ?? faultOf(refusal, "email")
  return stepPage(
    t("Sign in with {there}", { there }),
    html`
      ${fault === undefined && problemBeside(refusal, [])}
      <p>No account is linked to <strong><bdi>${identity.label}</bdi></strong> at ${there} yet.</p>
      <h2>Link an existing account</h2>
      <form class="form" method="post" action="${LINK_PATH}">
        ${passwordFields(login)}<button class="primary">Sign in and link</button>
      </form>
      ${mayRegister(services, identity) && newAccount(name, identity.verifiedEmail, fault)}
    `,
  )
}

const newAccount = (name: string, email: string, fault: Text | undefined): Html =>
  html`
    <h2>Create a new account</h2>
    <form class="form" method="post" action="${LINK_PATH}">
      ${hidden("new", "1")}
      ${field({ label: t("User name"), name: "name", value: name, autocomplete: "username", required: true, maxlength: 40, fault })}
      <p>With the address ${email}.</p>
      <button>Create account</button>
    </form>
  `
