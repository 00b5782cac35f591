import { neededScopes, scopeAllows } from "../../access/scopes.ts"
import { type Actor, chosenOf, hasPublicOnlyScope, jobOf } from "../../core/actor.ts"
import { mostBytesOf } from "../../core/bounds.ts"
import type { Config } from "../../core/config.ts"
import { refuse } from "../../core/errors.ts"
import { NOT_CHOSEN } from "../../core/limited-token.ts"
import type { Input, Opened, Operation, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { readPage, readQuery } from "./input.ts"

/* The steps that a call of an operation takes, be it a request (server.ts) or a call from inside of the process (call.ts). */

export const API_BASE = "/api/v1"

/** Gets every answer before it is sent; tests compare it with what the operation declares. */
export type AnswerWatcher = (operation: Operation, sent: Sent<number, unknown>) => void

/** Refuses callers who may not use an operation, whatever it is about. */
export function admit({ config: { security } }: Services, operation: Operation, actor: Actor): void {
  requireScope(actor, operation)
  if (security.requireSignIn && actor.kind === "anonymous") throw refuse.forbidden("Only signed in user is allowed to call APIs.")
  if (operation.basicOnly && actor.kind === "user" && !actor.basic) throw refuse.unauthenticated("sign in with a Basic header for this")
}

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

function requireScope(actor: Actor, operation: Operation): void {
  // The service's own user has no account to change.
  if (jobOf(actor) && operation.method !== "GET" && !operation.path.startsWith("/repos/{owner}/{repo}/"))
    throw refuse.forbidden("the token of a job can only change things of its repository")
  if (actor.kind === "anonymous" || actor.credential.kind !== "token") return
  const { scopes } = actor.credential
  const needed = neededScopes(operation.method, operation.scope)
  const missing = needed.filter((scope) => !scopeAllows(scopes, scope))
  if (missing.length > 0)
    throw refuse.forbidden(
      `token does not have at least one of required scope(s), required=[${needed.join(" ")}], token scope=${[...scopes].join(",")}`,
    )
  if (operation.publicOnly === "refused" && hasPublicOnlyScope(actor))
    throw refuse.forbidden("this endpoint is not available for public-only tokens")
  // What is of an account, and not of its repositories, no one has chosen.
  const isOfAccount = operation.rule.subject === "site" || operation.rule.subject === "user"
  if (operation.publicOnly === "refused" && isOfAccount && chosenOf(actor)) throw refuse.forbidden(NOT_CHOSEN)
}
