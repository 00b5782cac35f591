import { isJson, type Json } from "./schema.ts"

/** A type of TypeScript for a schema of the OpenAPI document; records by their names. */
export function typeOf(schema: unknown): string {
  if (!isJson(schema)) return "unknown"
  if (typeof schema.$ref === "string") return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)
  if (Array.isArray(schema.anyOf)) return unionOf(schema.anyOf.map(typeOf))
  if ("const" in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map((value) => JSON.stringify(value)))
  const { type } = schema
  if (Array.isArray(type)) return unionOf(type.map((one) => typeOf({ ...schema, type: one })))
  switch (type) {
    case "null":
      return "null"
    case "boolean":
      return "boolean"
    case "integer":
    case "number":
      return "number"
    case "string":
      return "string"
    case "array": {
      const items = typeOf(schema.items)
      return /^[\w"]+$/.test(items) ? `readonly ${items}[]` : `ReadonlyArray<${items}>`
    }
    case "object":
      return objectOf(schema)
    default:
      return "unknown"
  }
}

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(" | ")

function objectOf(schema: Json): string {
  const members = membersOf(schema)
  const rest = schema.additionalProperties
  if (members.length > 0) return `{ ${members.join("; ")} }`
  return `Readonly<Record<string, ${isJson(rest) ? typeOf(rest) : "unknown"}>>`
}

/** The named members of an object. */
export function membersOf(schema: Json): readonly string[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries(isJson(schema.properties) ? schema.properties : {}).map(([name, property]) =>
    memberOf(name, property, required.has(name)),
  )
}

/** A member of an object, with what is said of it. */
export function memberOf(name: string, schema: unknown, isRequired: boolean, description = descriptionOf(schema)): string {
  const words = description ? `${comment(description)} ` : ""
  return `${words}readonly ${keyOf(name)}${isRequired ? "" : "?"}: ${typeOf(schema)}${isRequired ? "" : " | undefined"}`
}

const descriptionOf = (schema: unknown): string => (isJson(schema) && typeof schema.description === "string" ? schema.description : "")

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** A comment that no text can end. */
export const comment = (text: string): string => `/** ${text.replaceAll("*/", "*\u200b/").replace(/\s+/g, " ")} */`
