import { check, memberOf } from "./check.ts"
import { refuse } from "./errors.ts"
import { t } from "./language/message.ts"
import type { TSchema } from "./schema.ts"

/*
 * The bounds of what callers send, held for every operation at the one door that bodies come through, so that none can be forgotten: a text or a list whose schema says nothing about
 * its length has the length that is usual. A schema that says `maxLength` or `maxItems` is believed, and a file's content is bounded by the whole body only.
 */

/** The group `limits` of the settings has these. */
export interface Bounds {
  /** The most bytes of a text. */
  readonly textBytes: number
  /** The most entries of a list, and members of a record. */
  readonly listItems: number
}

/** Holds a body against its schema. Refuses as `invalid`, by its name, the first field that is too long or doesn't fit. */
export function checkBody(schema: TSchema, body: unknown, bounds: Bounds): void {
  requireBounded(schema, body, bounds)
  check(schema, body)
}

/** The same for texts and lists alone. */
export function requireBounded(schema: unknown, value: unknown, bounds: Bounds, at = ""): void {
  if (isVerbatim(schema)) return
  if (typeof value === "string") requireShort(schema, value, bounds, at)
  if (typeof value !== "object" || value === null) return
  const inside = (name: string) => (at === "" ? name : `${at}.${name}`)
  if (Array.isArray(value)) {
    const most = memberOf(schema, "maxItems") ?? bounds.listItems
    if (typeof most === "number" && value.length > most) throw refuse.invalid(at || "body", t`must have at most ${most} entries`)
    const items = memberOf(schema, "items")
    for (const [index, item] of value.entries()) requireBounded(items, item, bounds, inside(String(index)))
    return
  }
  const members = Object.entries(value)
  if (members.length > bounds.listItems) throw refuse.invalid(at || "body", t`must have at most ${bounds.listItems} members`)
  for (const [name, member] of members) requireBounded(schemaOf(schema, name), member, bounds, inside(name))
}

function requireShort(schema: unknown, text: string, { textBytes }: Bounds, at: string): void {
  if (memberOf(schema, "maxLength") !== undefined || isFileContent(schema)) return
  if (text.length > textBytes || (3 * text.length > textBytes && Buffer.byteLength(text) > textBytes))
    throw refuse.invalid(at || "body", t`must have at most ${textBytes} bytes`)
}

/** The schema of a member, also of one of any name, and of one that may be null. */
function schemaOf(schema: unknown, name: string): unknown {
  const member = memberOf(memberOf(schema, "properties"), name) ?? Object.values(memberOf(schema, "patternProperties") ?? {})[0]
  const kinds = memberOf(member, "anyOf")
  return Array.isArray(kinds) ? kinds.find((kind) => memberOf(kind, "type") !== "null") : member
}

const isFileContent = (schema: unknown): boolean => memberOf(schema, "fileContent") === true

/** Whether a value is held against another schema afterwards, see `verbatim`. */
export const isVerbatim = (schema: unknown): boolean => memberOf(schema, "verbatim") === true

/** Whether a body of this schema may hold the content of a file. */
export const holdsFiles = (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && (isFileContent(schema) || isVerbatim(schema) || Object.values(schema).some(holdsFiles))

/** Texts as often as this fill the largest body that holds no files: their escapes take up to six times as much, and there may be several. */
const TEXTS_OF_A_BODY = 16

/** The most bytes of a body of this schema; undefined for those that hold files. */
export const mostBytesOf = (body: TSchema, { textBytes }: Bounds): number | undefined =>
  holdsFiles(body) ? undefined : TEXTS_OF_A_BODY * textBytes
