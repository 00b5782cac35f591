import type { FastifyRequest } from "fastify"
import { Refusal } from "../../../core/errors.ts"
import type { SessionText, Shown } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import {
  beginSession,
  confirmSession,
  findSessionOf,
  isConfirmed,
  type Session,
} from "../../../features/people/sign-in/sessions/sessions.ts"
import { type Begun, type Complete, type MustChange, signInOf } from "../../../features/people/sign-in/sign-in.ts"
import { clientAddress } from "../../client/address.ts"
import { sessionOf, sessionText } from "../../client/session.ts"
import { fieldsOf, type Held, hasOwn, hold, PREFIX, release } from "./held.ts"
import { confirmPage, firstPage, newPasswordPage, otherPage, secondPage } from "./in-place-view.ts"

/**
 * A form that is sent after its session has ended, or before something that has to be confirmed: nothing that was typed is lost. A page asks for what is
 * missing and carries the form; then the form is answered as if nothing had been. For somebody else than who wrote it, it is sent only when they say so.
 */

/** The page that asks who sent a form; undefined for a body that is no form of a page. */
export async function askInPlace(services: Services, request: FastifyRequest): Promise<Shown | undefined> {
  const fields = fieldsOf(request)
  return fields && firstPage(services, hold(services, request, fields), "")
}

/** The page that asks the person of a session to confirm who they are; undefined for a body that is no form of a page. */
export async function confirmInPlace(services: Services, request: FastifyRequest, session: Session): Promise<Shown | undefined> {
  const fields = fieldsOf(request)
  return fields && confirmPage(services, hold(services, request, withPerson(fields, session)), session)
}

const withPerson = (fields: URLSearchParams, { user }: Session): URLSearchParams =>
  new URLSearchParams([...fields, [`${PREFIX}person`, user.name]])

export interface Entered {
  readonly kind: "entered"
  readonly session: Session
  readonly cookie: SessionText
}

/** A page that asks for more, of a person who may have signed in with this request. */
export interface AskedFor {
  readonly kind: "asked"
  readonly shown: Shown
  readonly entered?: Entered
}

/**
 * Signs in who sent a form together with what they sign in with, or has them confirm it. Undefined where the form came without, or its sender has signed in
 * already; a page where more is needed.
 */
export async function signInPlace(services: Services, request: FastifyRequest): Promise<Entered | AskedFor | undefined> {
  const fields = fieldsOf(request)
  if (!fields || !hasOwn(fields)) return undefined
  const held = hold(services, request, fields)
  const here = await sessionOf(services, request)
  const field = (name: string): string => fields.get(PREFIX + name) ?? ""
  if (here) {
    if (isOthers(held, here)) return asked(otherPage(held, here.user.name))
    if (field("confirm") !== "" && !isConfirmed(services, here)) return confirm(services, request, here, { held, field })
    release(services, request, held, here.user.name)
    return undefined
  }
  // Only who it was, which `page.ts` says with every form.
  if ([...fields.keys()].every((name) => !name.startsWith(PREFIX) || name === `${PREFIX}person`)) return undefined
  return signIn(services, request, { held, field })
}

/** Whether a form was written by somebody else than the person of the session, as far as the browser knows. */
const isOthers = ({ person }: Held, { user }: Session): boolean => person !== "" && person !== user.name

const asked = (shown: Shown, entered?: Entered): AskedFor => ({ kind: "asked", shown, ...(entered && { entered }) })

interface Sent {
  readonly held: Held
  /** What was sent beside the form itself. */
  readonly field: (name: string) => string
}

type Step = Complete | Begun | MustChange | undefined

async function signIn(services: Services, request: FastifyRequest, { held, field }: Sent): Promise<Entered | AskedFor> {
  const address = clientAddress(request)
  const steps = signInOf(services)
  const isRemembered = field("remember") !== ""
  const [ticket, last] = [field("ticket"), field("last")]
  const passkey = passkeyIn(field)
  const next = async (): Promise<Step> => {
    if (last !== "")
      return steps.choosePassword({ ticket: last, wanted: field("new_password"), again: field("new_password_again"), address })
    if (ticket !== "") return steps.secondStep({ ticket, code: field("code"), passkey, address })
    if (passkey) return steps.byPasskey({ ...passkey, isRemembered })
    return steps.byPassword({ login: field("login"), password: field("password"), isRemembered, address })
  }
  try {
    const step = await next()
    if (step?.kind === "begun") return asked(secondPage(held, step))
    if (step?.kind === "mustChange") return asked(newPasswordPage(services, held, step))
    return step ? await enter(services, request, held, step) : asked(await firstPage(services, held, field("login")))
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    const begun = ticket === "" ? undefined : await steps.goOn(ticket)
    const changing = last === "" ? undefined : await steps.whoMustChange(last)
    if (changing) return asked(newPasswordPage(services, held, changing, error))
    return asked(begun ? secondPage(held, begun, error) : await firstPage(services, held, field("login"), error))
  }
}

const passkeyIn = (field: Sent["field"]) =>
  field("credential") === "" ? undefined : { ticket: field("passkey_ticket"), credential: field("credential") }

async function enter(services: Services, request: FastifyRequest, held: Held, step: Complete): Promise<Entered | AskedFor> {
  const address = clientAddress(request)
  const agent = request.headers["user-agent"]
  const text = await beginSession(services, { ...step, address, agent, earlier: sessionText(services, request) })
  const session = await findSessionOf(services, text)
  if (!session) return asked(await firstPage(services, held, step.user.name))
  const entered: Entered = { kind: "entered", session, cookie: { text, isRemembered: step.isRemembered } }
  if (isOthers(held, session)) return asked(otherPage(held, session.user.name), entered)
  release(services, request, held, session.user.name)
  return entered
}

async function confirm(services: Services, request: FastifyRequest, session: Session, { held, field }: Sent): Promise<Entered | AskedFor> {
  const earlier = sessionText(services, request)
  try {
    const shown = { password: field("password"), passkey: passkeyIn(field), address: clientAddress(request) }
    await signInOf(services).confirm(session.user, shown)
    const text = await confirmSession(services, session, earlier ?? "")
    const confirmed = (await findSessionOf(services, text)) ?? session
    release(services, request, held, session.user.name)
    return { kind: "entered", session: confirmed, cookie: { text, isRemembered: session.isRemembered } }
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return asked(await confirmPage(services, held, session, error))
  }
}
