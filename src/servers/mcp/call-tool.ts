import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import type { Actor } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import { addressOf } from "../../core/forms/form.ts"
import { t } from "../../core/language/message.ts"
import { type CallRequest, isRawPath, type Operation } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { withTimeout } from "../../core/timeout.ts"
import { type Answered, answerCall, answerThrown, operationAt } from "../api/call.ts"
import { API_BASE } from "../api/steps.ts"
import { tryCall } from "./dry-run.ts"
import { failed, shown } from "./results.ts"

/** Calls the operation of a tool, as a request of the same caller would. Everything that may be refused is refused by that. */

interface Calling {
  readonly operations: readonly Operation[]
  readonly actor: Actor
  readonly request: CallRequest
}

type Given = Readonly<Record<string, unknown>>

export async function callTool(services: Services, operation: Operation, given: Given, calling: Calling): Promise<CallToolResult> {
  const { mcp } = services.config
  const answered = await withTimeout(mcp.callSeconds * 1000, answer(services, operation, given, calling), () =>
    refuse.busy(
      operation.changes ? "this takes too long, and goes on: look whether it was done before you try again" : "this takes too long",
    ),
  ).catch((error: unknown) => answerThrown(services, calling.request.id, undefined, error))
  const part = typeof given["part"] === "number" ? given["part"] : 1
  return answered.status < 400 ? shown(answered, { part, characters: mcp.resultCharacters }) : failed(answered)
}

async function answer(services: Services, operation: Operation, given: Given, { operations, actor, request }: Calling): Promise<Answered> {
  const unknown = Object.keys(given).find((name) => !isArgument(operation, name))
  if (unknown !== undefined) throw refuse.invalid(unknown, t`${operation.id} takes no such argument`)
  if (given["dry_run"] !== undefined && typeof given["dry_run"] !== "boolean") throw refuse.invalid("dry_run", "must be true or false")
  // By the address that a request would have, so that it means the same.
  const found = operationAt(operations, operation.method, addressFor(operation, given))
  if (found.operation !== operation) throw refuse.notFound()
  const call = { operation, path: found.path, query: found.query, body: given["body"], caller: { actor }, request }
  return given["dry_run"] === true ? tryCall(services, call) : answerCall(services, call)
}

const isArgument = ({ parameters, query, body, changes }: Operation, name: string): boolean =>
  parameters.some((parameter) => parameter.name === name) ||
  name in query.properties ||
  (name === "body" && body !== undefined) ||
  name === (changes ? "dry_run" : "part")

function addressFor(operation: Operation, given: Given): string {
  const path = operation.parameters.map(({ name }) => {
    const value = textOf(name, given[name])
    if (value === undefined || value === "") throw refuse.invalid(name, "is required")
    return [name, isRawPath(name) ? encodeURIComponent(value) : value] as const
  })
  const query = new URLSearchParams()
  for (const name of Object.keys(operation.query.properties)) {
    const value = given[name]
    for (const each of Array.isArray(value) ? value : [value]) {
      const text = textOf(name, each)
      if (text !== undefined) query.append(name, text)
    }
  }
  const asked = query.toString()
  return addressOf({ address: API_BASE + operation.path }, Object.fromEntries(path)) + (asked === "" ? "" : `?${asked}`)
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  throw refuse.invalid(name, "must be a text or a number")
}
