import type { IncomingHttpHeaders } from "node:http"
import type { BusboyConfig } from "@fastify/busboy"
import { type Refusal, refuse } from "../../core/errors.ts"
import { onDemand } from "../../core/program/on-demand.ts"

/** Bodies of forms with files. */

export const isMultipart = (headers: IncomingHttpHeaders): boolean =>
  headers["content-type"]?.toLowerCase().startsWith("multipart/form-data") === true

/** A parser of the parts. Undefined for a content type without a boundary. */
export function openParser(headers: IncomingHttpHeaders, limits: BusboyConfig["limits"]) {
  const { Busboy } = onDemand("@fastify/busboy")
  try {
    return new Busboy({ headers: { ...headers, "content-type": headers["content-type"] ?? "" }, limits })
  } catch {
    return undefined
  }
}

export const unreadable = (): Refusal => refuse.badRequest("the body is no readable multipart/form-data")

export const brokeOff = (): Refusal => refuse.badRequest("the request broke off")
