import type { Operation } from "../../../core/operation.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { isJson, type Json, recordName, requiredOf, withoutNull } from "./schema.ts"

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`

/** One line of a table of fields. */
interface Field {
  readonly name: string
  readonly schema: Json
  readonly required: boolean
}

/** A schema's type in words, as HTML; records are linked to their descriptions. */
export function typeHtml(schema: unknown): string {
  if (!isJson(schema)) return "anything"
  const { plain, nullable } = withoutNull(schema)
  return nullable ? `${plainTypeHtml(plain)} or null` : plainTypeHtml(plain)
}

function plainTypeHtml(schema: Json): string {
  const name = typeof schema.$ref === "string" ? schema.$ref : recordName(schema)
  if (name !== undefined) return `<a href="#record-${escapeHtml(name)}">${escapeHtml(name)}</a>`
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => code(word === "" ? '""' : String(word))).join(" ")
  if (schema.type === "array") return `list of ${typeHtml(schema.items)}`
  if (schema.type === "object") {
    const [value] = isJson(schema.patternProperties) ? Object.values(schema.patternProperties) : []
    return value === undefined ? "object" : `map to ${typeHtml(value)}`
  }
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeHtml).join(" or ")
  if (typeof schema.type !== "string") return "anything"
  return escapeHtml(typeof schema.format === "string" && schema.type === "string" ? schema.format : schema.type)
}

/** The type of an answer in words, as HTML; an object without a name is spelt out, as its fields are described nowhere else. */
export function answerHtml(schema: unknown): string {
  if (!isJson(schema) || recordName(schema) !== undefined || !isJson(schema.properties)) return typeHtml(schema)
  const fields = Object.entries(schema.properties).map(([name, property]) => `${code(name)} (${typeHtml(property)})`)
  return fields.length > 0 ? `object with ${fields.join(", ")}` : "object"
}

const LIMITS: readonly (readonly [keyword: string, words: (value: string) => string])[] = [
  ["minimum", (value) => `from ${value}`],
  ["maximum", (value) => `up to ${value}`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minItems", (value) => `at least ${value}`],
  ["maxItems", (value) => `at most ${value}`],
]

function remarksHtml({ schema }: Field): string {
  const { plain } = withoutNull(schema)
  const description = schema.description ?? plain.description
  const remarks = [
    ...(schema.deprecated === true || plain.deprecated === true ? ["<em>deprecated</em>"] : []),
    ...(typeof description === "string" ? [escapeHtml(description)] : []),
    ...LIMITS.flatMap(([keyword, words]) => (typeof plain[keyword] === "number" ? [words(String(plain[keyword]))] : [])),
  ]
  return remarks.join("; ")
}

/** An object's fields; those of unnamed objects follow the field that holds them, with its name as a prefix. */
function fieldsOf(schema: Json, prefix = ""): readonly Field[] {
  const required = requiredOf(schema)
  return Object.entries(isJson(schema.properties) ? schema.properties : {}).flatMap(([name, property]): readonly Field[] => {
    if (!isJson(property)) return []
    const { plain } = withoutNull(property)
    const inside = recordName(plain) === undefined ? fieldsOf(plain, `${prefix}${name}.`) : []
    return [{ name: prefix + name, schema: property, required: required.includes(name) }, ...inside]
  })
}

function tableHtml(fields: readonly Field[], label: string, marks: boolean): string {
  if (fields.length === 0) return ""
  const rows = fields.map((field) => {
    const mark = marks && field.required ? '&nbsp;<abbr title="required">*</abbr>' : ""
    return `<tr><th scope="row"><code>${escapeHtml(field.name)}</code>${mark}</th><td class="type">${typeHtml(field.schema)}</td><td>${remarksHtml(field)}</td></tr>`
  })
  return `<div class="wide"><table class="fields" aria-label="${escapeHtml(label)}"><tbody>${rows.join("")}</tbody></table></div>`
}

/** The fields of a request's object or of a record. Marks show the required ones of a request. */
export const fieldsHtml = (schema: Json, label: string, marks: boolean): string => tableHtml(fieldsOf(schema), label, marks)

/** A table of parameters. */
export const parametersHtml = (
  parameters: readonly { readonly name: string; readonly schema: object; readonly required: boolean }[],
): string =>
  tableHtml(
    parameters.flatMap(({ name, schema, required }) => (isJson(schema) ? [{ name, schema, required }] : [])),
    "Parameters",
    true,
  )

/** Every record that the operations accept or return, by name. */
export function recordsOf(operations: readonly Operation[]): ReadonlyMap<string, Json> {
  const records = new Map<string, Json>()
  const seen = new Set<Json>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isJson(value) || seen.has(value)) return
    seen.add(value)
    const name = recordName(value)
    if (name !== undefined) records.set(name, value)
    Object.values(value).forEach(visit)
  }
  for (const { body, answers } of operations) [body, ...Object.values(answers)].forEach(visit)
  return new Map([...records].sort(([a], [b]) => (a < b ? -1 : 1)))
}
