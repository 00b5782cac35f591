import { mayBeDownload } from "../../core/download.ts"
import { type Refusal, Renamed, refuse } from "../../core/errors.ts"
import { addressOf } from "../../core/forms/form.ts"
import { t } from "../../core/language/message.ts"
import type { Operation, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { uploadFormOf } from "../../core/upload.ts"
import { auditEntryOf } from "../../features/site/administration/audit.ts"
import type { Called } from "../../features/site/batch/calls.ts"
import { queryOf } from "../../web/address.ts"
import { admitToOperation } from "../routing/admission.ts"
import { recorded } from "../routing/pipeline.ts"
import { ownLocation, plainUrl, refusalOfNul } from "../routing/redirect.ts"
import { pathOf, type RouteTable, routeTable } from "../routing/routes.ts"
import { asRefusal, movedPath, refusalBody, render } from "./answer.ts"
import { logFault, retryAfter } from "./faults.ts"
import { readPage, readRecord } from "./input.ts"
import { type AnswerWatcher, API_BASE, bodyLimitOf, inputOf, run } from "./steps.ts"

/*
 * Calls of operations from inside of the process: exactly what a request of the same caller would do, and answered as it would be. The steps are those of
 * routing/pipeline.ts, and what the API adds to them stands here for both.
 */

/** What a client would get: an answer, or the record that tells of a refusal. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Undefined where there is none. */
  readonly body: unknown
}

/** Does what a request would do. Refuses as its operation does, and before that callers who may not use it and input that does not fit; throws {@link Renamed} for a former name. */
export async function callOperation(services: Services, given: Called, onAnswer?: AnswerWatcher): Promise<Sent<number, unknown>> {
  const { operation, path, query = new URLSearchParams(), caller, request } = given
  const { actor } = caller
  if (takesFiles(operation)) throw refuse.invalid("path", t`${operation.id} takes or gives a file, which needs a request of its own`)
  admitToOperation(services, operation, actor)
  const recent = operation.mayBeOld ? services.database.recent() : undefined
  const opened = await operation.open({ services, db: recent ?? services.database.read, actor, path })
  const input = { ...inputOf(services, operation, query), body: bodyOf(services, operation, given.body), request }
  const entry = auditEntryOf(operation, { ...caller, path: addressOf({ address: API_BASE + operation.path }, path), ip: request.ip })
  return recorded(services, entry, () => run(operation, opened, input, onAnswer))
}

/** The same, with the answer that a client would get of it or of its refusal. */
export async function answerCall(services: Services, given: Called, onAnswer?: AnswerWatcher): Promise<Answered> {
  try {
    return answerTo(services, given, await callOperation(services, given, onAnswer))
  } catch (error) {
    return answerThrown(services, given.request.id, given, error)
  }
}

/** The answer that a client would get. */
export function answerTo(services: Services, given: Called, sent: Sent<number, unknown>): Answered {
  const { operation, query = new URLSearchParams() } = given
  const page = operation.paged ? readPage(query, services.config.api) : undefined
  const { status, headers } = render(services, operation.method, urlOf(given), sent, page)
  return { status, headers, body: sent.body }
}

/** What a client is told of a refusal, of a former name, or of what went wrong, which is logged. */
export function answerThrown(services: Services, requestId: string, given: Called | undefined, error: unknown): Answered {
  if (error instanceof Renamed && given)
    return {
      status: error.status,
      headers: { location: ownLocation(services.site, movedPath(urlOf(given), API_BASE + given.operation.path, error)) },
      body: undefined,
    }
  const refusal: Refusal = asRefusal(error)
  const told = { requestId, operation: given?.operation.id }
  logFault(services.log, refusal, error, { message: "a call failed", reqId: requestId, operation: told.operation })
  const seconds = retryAfter(refusal)
  return {
    status: refusal.status,
    headers: seconds === undefined ? {} : { "retry-after": String(seconds) },
    body: refusalBody(services, refusal, told),
  }
}

function urlOf({ operation, path, query }: Called): string {
  const text = query?.toString() ?? ""
  return addressOf({ address: API_BASE + operation.path }, path) + (text === "" ? "" : `?${text}`)
}

/** An operation with the values that an address has for its path and query. */
export type Addressed = Pick<Called, "operation" | "path"> & { readonly query: URLSearchParams }

const tables = new WeakMap<readonly Operation[], RouteTable<Operation>>()

/** The operation at an address, which may begin with `/api/v1` and have a query. Refuses `notFound` and `methodNotAllowed` where there is none, as the server does. */
export function operationAt(operations: readonly Operation[], method: string, address: string): Addressed {
  const url = plainUrl(address)
  const nul = refusalOfNul(url)
  if (nul) throw nul
  const below = url.startsWith(`${API_BASE}/`) ? url.slice(API_BASE.length) : url
  const table = tables.get(operations) ?? routeTable(operations)
  tables.set(operations, table)
  const found = table.find(method, below)
  if (!found) throw table.methodsAt(below).length > 0 ? refuse.methodNotAllowed() : refuse.notFound()
  const { route, parameters } = found
  return { operation: route, path: pathOf(route.path, { params: parameters, url: below }), query: queryOf(below) }
}

/** Whether the body of an operation is a file, or an answer may be one, or a stream. */
export const takesFiles = ({ body, answers }: Operation): boolean =>
  uploadFormOf(body) !== undefined ||
  Object.values(answers).some((schema) => schema !== null && (mayBeDownload(schema) || "isStream" in schema))

/** The operation that reads what another one edits: the GET of the same address. Undefined where nothing is edited, or nothing reads it. */
export function readerOf(operations: readonly Operation[], { method, path }: Operation): Operation | undefined {
  if (method === "GET" || method === "POST") return undefined
  return operations.find((each) => each.method === "GET" && each.path === path && !takesFiles(each))
}

function bodyOf({ config }: Services, operation: Operation, sent: unknown): unknown {
  if (operation.body === undefined) return undefined
  const most = bodyLimitOf(operation, config)
  if (most !== undefined && sent !== undefined && Buffer.byteLength(JSON.stringify(sent)) > most)
    throw refuse.tooLarge("the request body is too large")
  return readRecord(operation.body, sent, config.limits)
}
