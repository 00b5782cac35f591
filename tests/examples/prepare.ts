import type { Operation } from "../../src/core/operation.ts"
import { type Answered, type Calling, send } from "../support/http.ts"
import type { World } from "../support/world.ts"
import { addressOf, examples } from "./index.ts"

/** An example whose subject is there: it can be sent, once or several times. */
export interface PreparedCall {
  /** Below /api/v1. */
  readonly address: string
  readonly calling: Calling
  readonly path: Readonly<Record<string, string | number>>
  /** Whether an answer is the one that the example is to have. */
  readonly isRight: (status: number) => boolean
  /** Sends it, with more query parameters and headers where there are any. */
  readonly send: (query?: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>) => Promise<Answered>
}

/** Creates what an operation's example acts on; `by` is the caller if the example has none. Throws for an operation without an example. */
export async function prepareCall(world: World, operation: Operation, size = 1, by: string = world.root): Promise<PreparedCall> {
  const make = examples[operation.id]
  if (!make) throw new Error(`${operation.id} has no example; tests/examples needs one for each operation`)
  const example = await make(world, size)
  const address = addressOf(operation.path, example)
  const calling: Calling = { authorization: example.authorization ?? by, query: example.query, body: example.body }
  return {
    address,
    calling,
    path: example.path ?? {},
    isRight: (status) => (example.status === undefined ? status in operation.answers : status === example.status),
    send: (query = {}, headers) =>
      send(world.hearth.url, operation.method, address, { ...calling, headers, query: { ...calling.query, ...query } }),
  }
}
