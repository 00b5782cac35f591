import { refuse } from "./errors.ts"
import { sayable, type Text, t, type Words } from "./language/message.ts"
import { faultByPattern } from "./names.ts"
import { Compile, Errors, type Fault, type TSchema, type Validator } from "./schema.ts"

/** Holding what callers send against its schema. */

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
      t`must be one of ${error.params.allowedValues
        .map(String)
        .filter((word) => word !== "")
        .join(", ")}`,
    )
  if (error.keyword === "pattern")
    throw refuse.invalid(
      at.join("."),
      faultByPattern(error.params.pattern, at.reduce(memberOf, value)) ?? describedAt(schema, at) ?? error.message,
    )
  const form = error.keyword === "format" ? FORMS[error.params.format] : undefined
  if (form) throw refuse.invalid(at.join("."), t`must be ${form}`)
  if (error.keyword === "minLength" && error.params.limit === 1) throw refuse.invalid(at.join("."), "is required")
  throw refuse.invalid(at.join(".") || "body", wordsOf(error))
}

/** What the library says about a value, for those kinds that forms can meet. */
function wordsOf(error: Fault): Text {
  switch (error.keyword) {
    case "maxLength":
      return t`must not have more than ${error.params.limit} characters`
    case "minLength":
      return t`must not have fewer than ${error.params.limit} characters`
    case "maxItems":
      return t`must not have more than ${error.params.limit} items`
    case "minItems":
      return t`must not have fewer than ${error.params.limit} items`
    case "maximum":
    case "minimum":
      return t`must be ${error.params.comparison} ${String(error.params.limit)}`
    case "uniqueItems":
      return t("must not have duplicate items")
    default:
      return error.message
  }
}

/** Formats of texts, as people write them. */
const FORMS: Readonly<Record<string, Words>> = {
  "date-time": t("a moment such as 2026-01-31T12:00:00Z"),
  date: t("a day such as 2026-01-31"),
}

/** What a member's own description says is accepted: a pattern doesn't help a person. */
function describedAt(schema: TSchema, path: readonly string[]): Words | undefined {
  let at: unknown = schema
  for (const name of path) at = memberOf(memberOf(at, "properties"), name) ?? memberOf(at, "items")
  const description = memberOf(at, "description")
  return typeof description === "string" ? t`must be: ${sayable(description)}` : undefined
}

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

export const typeOf = (schema: unknown): unknown =>
  typeof schema === "object" && schema !== null && "type" in schema ? schema.type : undefined
