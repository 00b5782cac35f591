import type { FastifyRequest } from "fastify"
import { Refusal } from "../../../core/errors.ts"
import { type Content, html } from "../../../core/html.ts"
import type { SessionText, Shown } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { beginSession, findSessionOf, type Session } from "../../../features/people/sign-in/sessions/sessions.ts"
import { signInOf } from "../../../features/people/sign-in/sign-in.ts"
import { notice } from "../../../web/components.ts"
import { codeField, hidden, passwordFields, problemBeside, remember, stepPage } from "../../../web/sign-in.ts"
import { clientAddress } from "../../client/address.ts"
import { sessionOf, sessionText } from "../../client/session.ts"

/**
 * A form that is sent after its session has ended: nothing that was typed is lost. The page that asks to sign in carries all fields of the form, and
 * sends them to the same address together with the password: the person is signed in, and the form is answered as if nothing had been.
 */

const PREFIX = "sign_in_"
/** Fields that are not put into a page again. */
const SECRET = /password|passwd|secret|token|credential|ticket|^code$|_code$/i

const FORM_TYPE = "application/x-www-form-urlencoded"

function fieldsOf(request: FastifyRequest): URLSearchParams | undefined {
  const { body, headers } = request
  const isForm = String(headers["content-type"] ?? "").startsWith(FORM_TYPE)
  return isForm && Buffer.isBuffer(body) ? new URLSearchParams(body.toString("utf8")) : undefined
}

/** Takes away what a person signs in with: the form itself knows nothing of it. */
function withoutSignIn(request: FastifyRequest, fields: URLSearchParams): void {
  const own = new URLSearchParams([...fields].filter(([name]) => !name.startsWith(PREFIX)))
  request.body = Buffer.from(own.toString())
}

/** The page that asks who sent a form; undefined for a body that is no form of a page. */
export function askInPlace(request: FastifyRequest): Shown | undefined {
  const fields = fieldsOf(request)
  return fields && page(request, fields, html`${passwordFields("", PREFIX)}${remember(`${PREFIX}remember`)}`, undefined)
}

const page = (request: FastifyRequest, fields: URLSearchParams, content: Content, refusal: Refusal | undefined): Shown => {
  const own = [...fields].filter(([name]) => !name.startsWith(PREFIX))
  const kept = own.filter(([name]) => !SECRET.test(name))
  return stepPage(
    "Sign in to continue",
    html`
      ${problemBeside(refusal, ["code"])}
      ${notice(
        "info",
        html`
          Your session has ended. Nothing you wrote is lost: it is sent once you sign in.${
            kept.length < own.length && " Passwords and codes have to be entered again."
          }
        `,
      )}
      <form class="form" method="post" action="${request.url}">
        ${kept.map(([name, value]) => hidden(name, value))}${content}
        <button class="primary">Sign in and continue</button>
      </form>
      ${written(kept)}
    `,
    { status: refusal?.status ?? 401 },
  )
}

/** What was typed, to be read. */
const written = (kept: readonly (readonly [string, string])[]): Content => {
  const texts = kept.filter(([, value]) => /\s/.test(value.trim()))
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

export interface Entered {
  readonly kind: "entered"
  readonly session: Session
  readonly cookie: SessionText
}

/** Signs in who sent a form together with their password. Undefined where the form came without; a page where more is needed. */
export async function signInPlace(services: Services, request: FastifyRequest): Promise<Entered | Shown | undefined> {
  const fields = fieldsOf(request)
  if (!fields || ![...fields.keys()].some((name) => name.startsWith(PREFIX))) return undefined
  const field = (name: string): string => fields.get(PREFIX + name) ?? ""
  const address = clientAddress(request)
  // Signed in already, in another window.
  if (await sessionOf(services, request)) {
    withoutSignIn(request, fields)
    return undefined
  }
  const signIn = signInOf(services)
  const ticket = field("ticket")
  const second = (text: string, refusal?: Refusal) =>
    page(request, fields, html`${hidden(`${PREFIX}ticket`, text)}${codeField(refusal, `${PREFIX}code`)}`, refusal)
  const first = (refusal?: Refusal) =>
    page(request, fields, html`${passwordFields(field("login"), PREFIX)}${remember(`${PREFIX}remember`)}`, refusal)
  try {
    const step =
      ticket === ""
        ? await signIn.byPassword({ login: field("login"), password: field("password"), isRemembered: field("remember") !== "", address })
        : await signIn.secondStep({ ticket, code: field("code"), address })
    if (!step) return first()
    if (step.kind === "begun") return { ...second(step.ticket), status: 401 }
    const text = await beginSession(services, {
      ...step,
      address,
      agent: request.headers["user-agent"],
      earlier: sessionText(services, request),
    })
    const session = await findSessionOf(services, text)
    if (!session) return first()
    withoutSignIn(request, fields)
    return { kind: "entered", session, cookie: { text, isRemembered: step.isRemembered } }
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return ticket === "" ? first(error) : second(ticket, error)
  }
}
