import { refuse } from "../../core/errors.ts"
import type { Page } from "../../core/operation.ts"
import { Compile, Errors, type TObject, type TSchema, type Validator } from "../../core/schema.ts"

/** Reading requests: strict about bodies, lenient about queries, as the clients of this API expect. */

const validators = new WeakMap<TSchema, Validator>()

/** Compiled at first use: most operations of a short-lived server are never called. */
function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const compiled = Compile(schema)
  validators.set(schema, compiled)
  return compiled
}

/** Refuses as `invalid`, naming the first field that does not fit. */
export function check(schema: TSchema, value: unknown): void {
  if (validatorOf(schema).Check(value)) return
  const [error] = Errors(schema, value)
  if (!error) throw refuse.invalid("body", "is not valid")
  const at = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
  if (error.keyword === "required") throw refuse.invalid([...at, error.params.requiredProperties[0] ?? ""].join("."), "is required")
  if (error.keyword === "enum")
    throw refuse.invalid(
      at.join(".") || "body",
      `must be one of ${error.params.allowedValues
        .map(String)
        .filter((word) => word !== "")
        .join(", ")}`,
    )
  if (error.keyword === "pattern") throw refuse.invalid(at.join("."), describedAt(schema, at) ?? error.message)
  if (error.keyword === "minLength" && error.params.limit === 1) throw refuse.invalid(at.join("."), "is required")
  throw refuse.invalid(at.join(".") || "body", error.message)
}

/** What a member's own description says is accepted: a pattern doesn't help a person. */
function describedAt(schema: TSchema, path: readonly string[]): string | undefined {
  let at: unknown = schema
  for (const name of path) at = memberOf(memberOf(at, "properties"), name) ?? memberOf(at, "items")
  const description = memberOf(at, "description")
  return typeof description === "string" ? `must be: ${description}` : undefined
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads a request body into what the schema describes. An empty one counts as `{}`, and null in it as absent.
 * Refuses as `invalid`: another content type, broken JSON, bytes that are not UTF-8, values that don't fit.
 */
export function readBody(schema: TSchema, bytes: Buffer | undefined, contentType: string | undefined): unknown {
  const body = withoutNulls(underNewNames(decode(schema, bytes, contentType), schema), schema)
  check(schema, body)
  return body
}

const olderNames = new WeakMap<TSchema, readonly (readonly [older: string, newer: string])[]>()

/** The former names of a body's members, see `oneOf`. */
function olderNamesOf(schema: TSchema): readonly (readonly [older: string, newer: string])[] {
  const known = olderNames.get(schema)
  if (known) return known
  const members = Object.entries(memberOf(schema, "properties") ?? {})
  const found = members.flatMap(([name, member]) => {
    const formerly = memberOf(member, "formerly")
    return typeof formerly === "string" ? [[formerly, name] as const] : []
  })
  olderNames.set(schema, found)
  return found
}

function underNewNames(value: unknown, schema: TSchema): unknown {
  const names = olderNamesOf(schema)
  if (names.length === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return value
  const older = names.flatMap(([formerly, name]) => {
    const sent = memberOf(value, formerly)
    return sent === undefined ? [] : [[name, sent] as const]
  })
  const newer = Object.entries(value).filter(([, member]) => member !== null)
  return { ...value, ...Object.fromEntries(older), ...Object.fromEntries(newer) }
}

function decode(schema: TSchema, bytes: Buffer | undefined, contentType: string | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return {}
  const text = readText(bytes)
  if (contentType === undefined) throw refuse.invalid("Content-Type", "is required; send application/json")
  if (contentType.includes("json")) return parseJson(text)
  if (contentType.startsWith("application/x-www-form-urlencoded")) return readForm(schema, new URLSearchParams(text))
  throw refuse.invalid("Content-Type", `must be application/json, not ${contentType.slice(0, 100)}`)
}

function readText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refuse.invalid("body", "must be UTF-8")
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refuse.invalid("body", `is not JSON: ${error instanceof Error ? error.message : "unreadable"}`)
  }
}

/**
 * Optional members may be sent as null; where the schema itself allows null, it stays. Numbers and texts that no column can hold are refused here for
 * all operations.
 */
function withoutNulls(value: unknown, schema: unknown, at = ""): unknown {
  if (typeof value === "string") {
    if (value.includes("\0")) throw refuse.invalid(at || "body", "must not contain the NUL character")
    // Half of a surrogate pair can be written in JSON, but no database can hold it.
    if (!value.isWellFormed()) throw refuse.invalid(at || "body", "must be well-formed Unicode")
    return value
  }
  if (typeof value === "number") {
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw refuse.invalid(at || "body", "is too large a number")
    return value
  }
  if (typeof value !== "object" || value === null) return value
  const inside = (name: string) => (at === "" ? name : `${at}.${name}`)
  if (Array.isArray(value)) return value.map((item, index) => withoutNulls(item, memberOf(schema, "items"), inside(String(index))))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name.includes("\0")) throw refuse.invalid(at || "body", "must not contain the NUL character")
      const described = memberOf(memberOf(schema, "properties"), name)
      if (member === null) return takesNull(described) ? [[name, null]] : []
      return [[name, withoutNulls(member, described, inside(name))]]
    }),
  )
}

function takesNull(schema: unknown): boolean {
  const kinds = memberOf(schema, "anyOf")
  return Array.isArray(kinds) && kinds.some((kind) => typeOf(kind) === "null")
}

const TRUE = /^(1|t|true|on)$/i

/**
 * Reads query parameters by their declared types: an unreadable integer is 0, an unreadable boolean false. Enumerations and times are checked, and
 * refused as `invalid`.
 */
export function readQuery(schema: TObject, parameters: URLSearchParams): unknown {
  if (Object.keys(schema.properties).length === 0) return {}
  const query = readForm(schema, parameters)
  for (const [name, value] of Object.entries(query))
    if (typeof value === "string" && value.includes("\0")) throw refuse.invalid(name, "must not contain the NUL character")
  check(schema, query)
  return query
}

function readForm(schema: TSchema, parameters: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  if (!("properties" in schema) || typeof schema.properties !== "object" || schema.properties === null) return values
  for (const [name, member] of Object.entries(schema.properties)) {
    if (!parameters.has(name)) continue
    const type = typeOf(member)
    const text = parameters.get(name) ?? ""
    if (type === "array") values[name] = readItems(memberOf(member, "items"), parameters.getAll(name))
    else if (type === "integer" || type === "number") values[name] = wholeNumber(text)
    else if (type === "boolean") {
      if (text !== "") values[name] = TRUE.test(text)
    } else if (memberOf(member, "repeated") === true) values[name] = parameters.getAll(name).join("\n")
    else if (text !== "" || !isWordOrMoment(member)) values[name] = text
  }
  return values
}

const typeOf = (schema: unknown): unknown => (typeof schema === "object" && schema !== null && "type" in schema ? schema.type : undefined)

/** The items of a list. In a list of numbers an empty text is dropped; any other text that is no number stays a text, and is refused. */
const readItems = (schema: unknown, texts: readonly string[]): readonly unknown[] =>
  typeOf(schema) === "integer"
    ? texts.filter((text) => text !== "").map((text) => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : text))
    : texts

/** An empty text of these kinds means "not given". */
const isWordOrMoment = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && ("enum" in schema || "format" in schema)

function wholeNumber(text: string): number {
  const number = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(number) ? number : 0
}

export interface PageLimits {
  readonly defaultPageSize: number
  readonly maxPageSize: number
}

/** The requested page, clamped: never an error. */
export function readPage(parameters: URLSearchParams, { defaultPageSize, maxPageSize }: PageLimits): Page {
  const limit = wholeNumber(parameters.get("limit") ?? "")
  const number = Math.min(Math.max(1, wholeNumber(parameters.get("page") ?? "")), 1_000_000_000)
  const size = limit <= 0 ? defaultPageSize : Math.min(limit, maxPageSize)
  return { number, limit: size, offset: (number - 1) * size }
}
