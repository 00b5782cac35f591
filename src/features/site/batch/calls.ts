import type { Actor, User } from "../../../core/actor.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import type { CallRequest, Operation, Sent } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"

/** A call of an operation by a caller whose credentials were checked. */
export interface Called {
  readonly operation: Operation
  /** The values of its path by their names, decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly query?: URLSearchParams
  /** The record, or the text, that a request would have as its body. */
  readonly body?: unknown
  readonly caller: { readonly actor: Actor; readonly behind?: User | undefined }
  readonly request: CallRequest
}

/** What a client would get. */
export interface Answered {
  readonly status: number
  readonly body: unknown
}

/** Calls of operations as requests make them, see `servers/api/call.ts`. */
export interface Calls {
  /** The operation at an address. Refuses `notFound` and `methodNotAllowed`. */
  readonly at: (method: string, address: string) => Pick<Called, "operation" | "path"> & { readonly query: URLSearchParams }
  /** Does what a request would do. Throws what it is refused with. */
  readonly call: (services: Services, given: Called) => Promise<Sent<number, unknown>>
  /** The answer to a call. */
  readonly answerOf: (services: Services, given: Called, sent: Sent<number, unknown>) => Answered
  /** The answer to a call that threw; `given` is undefined where there is no operation. */
  readonly answerThrown: (services: Services, requestId: string, given: Called | undefined, error: unknown) => Answered
}

/** The one entry gives those of the server, which are loaded when they are first needed. */
export const operationCalls = extensionPoint<() => Promise<Calls>>("calls of operations")

export async function callsOf(services: Services): Promise<Calls> {
  const [load] = operationCalls.of(services)
  if (!load) throw new TypeError("nothing calls operations")
  return load()
}
