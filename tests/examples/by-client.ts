/** Sends examples through `hearth/client`, whose functions are called as people call them. */
import type { Operation } from "../../src/core/operation.ts"
import { makeClient } from "../support/client.ts"
import type { PreparedCall } from "./prepare.ts"
import { ownPath, typedQuery } from "./record.ts"

export interface AnsweredToClient {
  readonly status: number
  readonly text: string
  /** What the function gave: a record, a text, a file as a response; or the status of the refusal that it threw. */
  readonly given: unknown
}

export async function callByClient(url: string, operation: Operation, { calling, path }: PreparedCall): Promise<AnsweredToClient> {
  const { createClient, functionOf } = await makeClient()
  let seen = { status: 0, text: "" }
  const client = createClient({
    url,
    headers: calling.authorization ? { authorization: calling.authorization } : {},
    retries: 0,
    fetch: async (address, init) => {
      const answer = await fetch(address, { ...init, redirect: "manual" })
      seen = { status: answer.status, text: await answer.clone().text() }
      return answer
    },
  })
  const input = {
    ...ownPath(operation, path),
    ...typedQuery(operation, calling.query),
    ...(calling.body !== undefined && { body: calling.body }),
  }
  const given = await functionOf(operation.id)(client, input).catch((error: unknown) =>
    error instanceof Error && "status" in error ? error.status : Promise.reject(error),
  )
  return { ...seen, given }
}
