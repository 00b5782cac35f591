import { memberOf, typeOf } from "../check.ts"
import type { TSchema } from "../schema.ts"

/** Queries and forms are texts: what they stand for is said by a schema. */

const TRUE = /^(1|t|true|y|yes|on)$/i
const FALSE = /^(0|f|false|n|no|off)$/i

/**
 * The members of an object that the fields stand for; a field that the schema doesn't know is left out. Members of any name that fits a pattern are
 * read where they are lists of texts.
 */
export function readFields(schema: TSchema, parameters: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  if (!("properties" in schema) || typeof schema.properties !== "object" || schema.properties === null) return values
  for (const [name, member] of Object.entries(schema.properties)) {
    if (!parameters.has(name)) continue
    const type = typeOf(member)
    const text = parameters.get(name) ?? ""
    if (type === "array") {
      const items = memberOf(member, "items")
      const texts = parameters.getAll(name)
      values[name] = (isText(items) ? texts : texts.filter((one) => one !== ""))
        .map((one) => readValue(items, one))
        .filter((one) => !isPassedOver(items, one))
    } else if (memberOf(member, "repeated") === true) values[name] = parameters.getAll(name).join("\n")
    else if (memberOf(member, "lenient") === true && type === "integer") values[name] = wholeNumber(text)
    else if (text !== "" || isText(member)) {
      const value = readValue(member, text)
      if (!isPassedOver(member, value) && countsWith(member, parameters)) values[name] = value
    }
  }
  for (const [pattern, member] of Object.entries(memberOf(schema, "patternProperties") ?? {})) {
    if (typeOf(member) !== "array") continue
    const fits = new RegExp(pattern)
    for (const name of new Set(parameters.keys())) if (fits.test(name)) values[name] = parameters.getAll(name)
  }
  return values
}

/** The value that a text stands for; the text itself where it stands for none, which the check then refuses. */
function readValue(schema: unknown, text: string): unknown {
  const type = typeOf(schema)
  if (type === "integer" || type === "number") return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : text
  if (type === "boolean") return TRUE.test(text) || (FALSE.test(text) ? false : text)
  const words = memberOf(schema, "enum")
  if (!Array.isArray(words)) return text
  const word = text.trim().toLowerCase()
  const synonyms = memberOf(schema, "synonyms")
  const means = (one: unknown): boolean => {
    const others = memberOf(synonyms, String(one))
    return String(one).toLowerCase() === word || (Array.isArray(others) && others.includes(word))
  }
  return words.find(means) ?? text
}

/** Whether a value that can't be read counts as not sent. */
function isPassedOver(schema: unknown, value: unknown): boolean {
  if (memberOf(schema, "lenient") !== true) return false
  const words = memberOf(schema, "enum")
  return Array.isArray(words) ? !words.includes(value) : typeof value !== typeOf(schema)
}

/** Some parameters say more of another one, and count for nothing without it. */
function countsWith(schema: unknown, parameters: URLSearchParams): boolean {
  const other = memberOf(schema, "onlyWith")
  return typeof other !== "string" || (parameters.get(other) ?? "") !== ""
}

/** Whether any text is a value of this schema, also an empty one. Of other kinds an empty text means "not sent". */
const isText = (schema: unknown): boolean =>
  typeOf(schema) === "string" && memberOf(schema, "enum") === undefined && memberOf(schema, "format") === undefined

export function wholeNumber(text: string): number {
  const number = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(number) ? number : 0
}
