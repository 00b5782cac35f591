import type { FastifyRequest } from "fastify"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { openTicket, sealTicket } from "../../../features/people/sign-in/credentials/tickets.ts"
import { keptBy } from "../../client/cookies.ts"

/**
 * A form that is held while its sender signs in or confirms who they are. The page that asks carries the form's fields and sends them to the same
 * address, together with what is asked for; nothing of it is stored. Fields of the sign-in have names of their own.
 */

export const PREFIX = "sign_in_"
/** Who was signed in on the page that the form stood on: set by `page.ts`. */
export const PERSON = `${PREFIX}person`
export const SEALED = `${PREFIX}sealed`

/** Fields that are not put into a page as they are. */
const SECRET = /password|passwd|secret|token|credential|ticket|^code$|_code$/i

const FORM_TYPE = "application/x-www-form-urlencoded"

const secrets = {
  purpose: "secrets of a held form",
  content: Type.Object({
    person: Type.String(),
    url: Type.String(),
    fields: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  }),
  seconds: 1_800,
}

export interface Held {
  readonly url: string
  /** The name of who wrote it, as the browser says; empty where no one was signed in. */
  readonly person: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The secret ones, for that person only; empty where there are none. */
  readonly sealed: string
  /** Secrets that could not be kept, since it isn't known whose they are. */
  readonly hasLost: boolean
}

/** The fields of a form of a page; undefined for another body. */
export function fieldsOf(request: FastifyRequest): URLSearchParams | undefined {
  const { body, headers } = request
  const isForm = String(headers["content-type"] ?? "").startsWith(FORM_TYPE)
  return isForm && Buffer.isBuffer(body) ? new URLSearchParams(body.toString("utf8")) : undefined
}

export const hasOwn = (fields: URLSearchParams): boolean => [...fields.keys()].some((name) => name.startsWith(PREFIX))

export function hold(services: Services, request: FastifyRequest, fields: URLSearchParams): Held {
  const person = fields.get(PERSON) ?? keptBy(services, request).person ?? ""
  const own = [...fields].filter(([name]) => !name.startsWith(PREFIX))
  const secret = own.filter(([name]) => SECRET.test(name)).map(([name, value]) => ({ name, value }))
  const { url } = request
  const sealed = secret.length > 0 && person !== "" ? sealTicket(services, secrets, { person, url, fields: secret }) : undefined
  return {
    url,
    person,
    fields: own.filter(([name]) => !SECRET.test(name)),
    sealed: sealed ?? fields.get(SEALED) ?? "",
    hasLost: secret.some(({ value }) => value !== "") && sealed === undefined,
  }
}

/** Leaves of a request what the form itself had, for a person who has signed in. */
export function release(services: Services, request: FastifyRequest, { url, fields, sealed }: Held, name: string): void {
  const ticket = sealed === "" ? undefined : openTicket(services, secrets, sealed)
  const isTheirs = ticket?.content.person === name && ticket.content.url === url
  const own = new URLSearchParams()
  for (const [field, value] of fields) own.append(field, value)
  for (const field of isTheirs ? ticket.content.fields : []) own.append(field.name, field.value)
  request.body = Buffer.from(own.toString())
}
