import type { Refusal } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { type Kept, type Moved, moved, type Reader, type Shown } from "../../../core/page.ts"
import Type, { type Static, type TObject } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { SECOND_FACTOR_PATH } from "../../../features/people/sign-in/authenticate.ts"
import { beginSession } from "../../../features/people/sign-in/sessions/sessions.ts"
import type { Begun, Complete, MustChange } from "../../../features/people/sign-in/sign-in.ts"
import { beginAgain, codeField, hidden, newPasswordFields, passkeyForm, problemBeside, stepPage } from "../../../web/sign-in.ts"
import { formTargetsFor } from "./form-targets.ts"

export const SECOND_PATH = "/user/two_factor"
export const NEW_PASSWORD_PATH = "/user/new_password"
export const LINK_PATH = "/user/link_account"

/** A field of these forms; one that was not sent counts as empty. */
export const text = Type.Optional(Type.String())

export const passkeyFields = { passkey_ticket: text, credential: text }

/** The passkey that a form carries in place of a password or a code. */
export const passkeyIn = ({ credential = "", passkey_ticket: ticket = "" }: Static<TObject<typeof passkeyFields>>) =>
  credential === "" ? undefined : { ticket, credential }

interface Going {
  readonly target: string
  readonly keeps?: { readonly step: Kept["step"] | undefined }
}

/** A sign-in goes on: with the session, or with the page of the next step. */
export async function goOn(
  services: Services,
  { ip, agent, session: earlier }: Reader,
  step: Complete | Begun | MustChange,
  { target, ...more }: Going,
): Promise<Moved | Shown> {
  if (step.kind === "begun") return { ...(await secondPage(services, step, { target })), ...more }
  if (step.kind === "mustChange") return { ...(await newPasswordPage(services, step, { target })), ...more }
  const { user, method, isRemembered } = step
  const text = await beginSession(services, { user, method, isRemembered, address: ip, agent, earlier })
  const { requirementsOn } = await import("../../../features/people/sign-in/second-factor/required.ts")
  const isAsked = (await requirementsOn(services, user)).length > 0
  const to = isAsked ? `${SECOND_FACTOR_PATH}?redirect_to=${encodeURIComponent(target)}` : target
  return moved(to, { session: { text, isRemembered }, keeps: { ...more.keeps, person: user.name } })
}

export async function secondPage(
  services: Services,
  { ticket, passkey }: Begun,
  { target, refusal }: { readonly target: string; readonly refusal?: Refusal },
): Promise<Shown> {
  const fields = [hidden("redirect_to", target), hidden("ticket", ticket)]
  return stepPage(
    t("Two-factor authentication"),
    html`
      ${problemBeside(refusal, ["code"])}
      <form class="form" method="post" action="${SECOND_PATH}">
        ${fields}${codeField(refusal)}<button class="primary">Continue</button>
      </form>
      ${passkeyForm(passkey, { action: SECOND_PATH, button: t("Use a passkey or security key"), fields })}
      ${beginAgain}
    `,
    { formTargets: await formTargetsFor(services, target), ...(passkey && { modules: ["passkey"] }) },
  )
}

/** The last step of an account that must change its password; what it had until now was just shown. */
export async function newPasswordPage(
  services: Services,
  { ticket, name }: MustChange,
  { target, refusal }: { readonly target: string; readonly refusal?: Refusal },
): Promise<Shown> {
  return stepPage(
    t("Choose a new password"),
    html`
      ${problemBeside(refusal, ["new_password", "new_password_again"])}
      <p>Your password was set by someone else. Choose one that only you know, and you’re in.</p>
      <form class="form" method="post" action="${NEW_PASSWORD_PATH}">
        ${hidden("redirect_to", target)}${hidden("ticket", ticket)}${newPasswordFields(name, services.config.security, refusal)}
        <button class="primary">Save and continue</button>
      </form>
      ${beginAgain}
    `,
    { formTargets: await formTargetsFor(services, target) },
  )
}

/** Leads to signing in at another provider, and back to `target`. */
export const providerLink = ({ name }: { readonly name: string }, target: string, words: Text): Html =>
  html`
    <a class="button" href="/user/oauth2/${name}?redirect_to=${encodeURIComponent(target)}" rel="nofollow">
      ${words}
    </a>
  `
