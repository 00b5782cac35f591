import { mostBytesOf } from "../../core/bounds.ts"
import type { Config } from "../../core/config.ts"
import type { Input, Opened, Operation, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { readPage, readQuery } from "./input.ts"

/* The steps that a call of an operation takes, be it a request (server.ts) or a call from inside of the process (call.ts). */

export const API_BASE = "/api/v1"

/** Gets every answer before it is sent; tests compare it with what the operation declares. */
export type AnswerWatcher = (operation: Operation, sent: Sent<number, unknown>) => void

/** Query and page, by what the operation declares. */
export const inputOf = (
  { config: { api } }: Services,
  { query }: Operation,
  parameters: URLSearchParams,
): Pick<Input, "query" | "page"> => ({
  page: readPage(parameters, api),
  query: readQuery(query, parameters),
})

/** Runs an operation whose caller was authorised and whose input was read. */
export async function run(operation: Operation, opened: Opened, input: Input, onAnswer?: AnswerWatcher): Promise<Sent<number, unknown>> {
  const sent = await opened.run(input)
  onAnswer?.(operation, sent)
  return sent
}

/** The most bytes of a body, where they are fewer than usual. */
export function bodyLimitOf({ body }: Operation, { api, limits }: Config): number | undefined {
  const most = body && mostBytesOf(body, limits)
  return most === undefined ? undefined : Math.min(most, api.maxBodyBytes)
}
