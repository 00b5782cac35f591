import { type Bounds, checkBody } from "../../core/bounds.ts"
import { check, memberOf, typeOf } from "../../core/check.ts"
import { refuse } from "../../core/errors.ts"
import { readFields, wholeNumber } from "../../core/forms/fields.ts"
import type { Page } from "../../core/operation.ts"
import type { TObject, TSchema } from "../../core/schema.ts"
import { hasNul, parseJson, TooDeep } from "../../core/text/json.ts"
import { mediaTypeOf } from "../../core/text/media-type.ts"
import { hasMoreFields, hasMoreValues } from "../../core/text/separators.ts"

/** Reading requests: strict about bodies and queries, and lenient only about pages and words that no specification names, as the clients of this API expect. */

const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads a request body into what the schema describes. An empty one counts as `{}`, and null in it as absent. A schema that is a text describes the body
 * itself, of any content type.
 * Refuses as `invalid`: another content type, broken or deeply nested JSON, bytes that are not UTF-8, values that are too long or don't fit.
 */
export function readBody(schema: TSchema, bytes: Buffer | undefined, contentType: string | undefined, bounds: Bounds): unknown {
  const body = withoutNulls(underNewNames(decode(schema, bytes, contentType, VALUES * bounds.listItems), schema), schema)
  checkBody(schema, body, bounds)
  return body
}

/** The same for a record or a text that came within another one, which was JSON; undefined stands for no body. */
export function readRecord(schema: TSchema, sent: unknown, bounds: Bounds): unknown {
  if (sent !== undefined && typeOf(schema) === "string" && typeof sent !== "string") throw refuse.invalid("body", "must be a text")
  const body = withoutNulls(underNewNames(sent ?? (typeOf(schema) === "string" ? "" : {}), schema), schema)
  checkBody(schema, body, bounds)
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

/** How many times as many values a body may have as a list. */
const VALUES = 20

function decode(schema: TSchema, bytes: Buffer | undefined, contentType: string | undefined, most: number): unknown {
  const isText = typeOf(schema) === "string"
  if (bytes === undefined || bytes.length === 0) return isText ? "" : {}
  const text = readText(bytes)
  if (isText) return text
  if (contentType === undefined) throw refuse.invalid("Content-Type", "is required; send application/json")
  const type = mediaTypeOf(contentType)
  const tooMany = () => refuse.invalid("body", `must have at most ${most} values`)
  if (type === "application/json") {
    if (hasMoreValues(bytes, most)) throw tooMany()
    return readJson(text)
  }
  if (type === "application/x-www-form-urlencoded" && hasMoreFields(bytes, most)) throw tooMany()
  if (type === "application/x-www-form-urlencoded") return readFields(schema, new URLSearchParams(text))
  throw refuse.invalid("Content-Type", `must be application/json or application/x-www-form-urlencoded, not ${contentType.slice(0, 100)}`)
}

function readText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refuse.invalid("body", "must be UTF-8")
  }
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof TooDeep) throw refuse.invalid("body", error.message)
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

/**
 * Reads query parameters by their declared types. An empty number, boolean, word or time counts as not sent; one that can't be read is refused
 * as `invalid`, by its name, or passed over where the schema is lenient (see `knownWord`). Words are taken in any letter case, and by their declared synonyms.
 */
export function readQuery(schema: TObject, parameters: URLSearchParams): unknown {
  if (Object.keys(schema.properties).length === 0) return {}
  const query = readFields(schema, parameters)
  for (const [name, value] of Object.entries(query)) if (hasNul(value)) throw refuse.invalid(name, "must not contain the NUL character")
  check(schema, query)
  return query
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
