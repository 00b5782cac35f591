import type { TSchema } from "../../../core/schema.ts"

/** A piece of a document. */
export type Json = Readonly<Record<string, unknown>>

/** The differences between two kinds of document in writing schemas. */
export interface Dialect {
  /** The keywords that are kept as they are. */
  readonly keywords: ReadonlySet<string>
  readonly refer: (name: string) => string
  readonly deprecated: Json
  /** What may be null as well. */
  readonly nullable: (schema: Json) => Json
  /** Null only. */
  readonly onlyNull: Json
  /** One of several, none of which is null. */
  readonly union: (schemas: readonly Json[]) => Json
}

/** Writes schemas in one dialect and collects the records that they name. */
export interface Schemas {
  readonly write: (schema: TSchema) => Json
  /** The records named so far, by name in alphabetical order. Throws a TypeError for a reference to an unknown record. */
  readonly named: () => Readonly<Record<string, Json>>
}

export const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** A record's name, or undefined for a schema that is written in place. */
export const recordName = (schema: Json): string | undefined =>
  schema.type === "object" && typeof schema.title === "string" ? schema.title : undefined

/** The schema apart from null, and whether it may be null. */
export function withoutNull(schema: Json): { readonly plain: Json; readonly nullable: boolean } {
  const branches = list(schema.anyOf).filter(isJson)
  const some = branches.filter((branch) => branch.type !== "null")
  const [only] = some
  return some.length === 1 && only !== undefined && branches.length === 2
    ? { plain: only, nullable: true }
    : { plain: schema, nullable: false }
}

/**
 * The required members of an object in the description. `documentedAs: "required"` marks one that existing clients know as required while the service
 * accepts requests without it.
 */
export function requiredOf(schema: Json): readonly string[] {
  const properties = isJson(schema.properties) ? schema.properties : {}
  const required = new Set(list(schema.required))
  return Object.entries(properties).flatMap(([name, property]) =>
    required.has(name) || (isJson(property) && property.documentedAs === "required") ? [name] : [],
  )
}

/** Creates a writer of schemas. Two different records of one name are a programming error: a TypeError. */
export function schemas(dialect: Dialect): Schemas {
  const written = new Map<string, { readonly source: Json; readonly json: Json }>()
  const referred = new Set<string>()

  const refer = (name: string): Json => {
    referred.add(name)
    return { $ref: dialect.refer(name) }
  }

  function write(schema: unknown): Json {
    if (!isJson(schema)) return {}
    if (typeof schema.$ref === "string") return refer(schema.$ref)
    const name = recordName(schema)
    if (name === undefined) return writeInPlace(schema)
    const known = written.get(name)
    if (known === undefined) {
      written.set(name, { source: schema, json: {} })
      written.set(name, { source: schema, json: writeInPlace(schema) })
    } else if (known.source !== schema && JSON.stringify(known.source) !== JSON.stringify(schema))
      throw new TypeError(`two records are called ${name}`)
    return refer(name)
  }

  function writeInPlace(schema: Json): Json {
    if (schema.type === "null") return { ...dialect.onlyNull, ...description(schema) }
    if (Array.isArray(schema.anyOf)) return { ...writeUnion(schema), ...description(schema) }
    const json: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) if (dialect.keywords.has(keyword)) json[keyword] = value
    if ("const" in schema && !dialect.keywords.has("const")) json.enum = [schema.const]
    if (schema.deprecated === true) Object.assign(json, dialect.deprecated)
    if (isJson(schema.items)) json.items = write(schema.items)
    if (isJson(schema.properties))
      json.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, write(property)]))
    const required = requiredOf(schema)
    if (required.length > 0) json.required = required
    const rest = restOf(schema)
    if (rest !== undefined) json.additionalProperties = typeof rest === "boolean" ? rest : write(rest)
    return json
  }

  function writeUnion(schema: Json): Json {
    const branches = list(schema.anyOf).filter(isJson)
    const some = branches.filter((branch) => branch.type !== "null")
    const [only] = some
    const json = some.length === 1 && only !== undefined ? write(only) : dialect.union(some.map(write))
    return some.length < branches.length ? dialect.nullable(json) : json
  }

  return {
    write,
    named: () => {
      for (const name of referred) if (!written.has(name)) throw new TypeError(`no operation brings the record ${name}`)
      return Object.fromEntries([...written].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { json }]) => [name, json]))
    },
  }
}

const description = (schema: Json): Json => (typeof schema.description === "string" ? { description: schema.description } : {})

/** The schema of members beyond the named ones. A map's single pattern accepts every name. */
function restOf(schema: Json): Json | boolean | undefined {
  const rest = schema.additionalProperties
  if (typeof rest === "boolean" || isJson(rest)) return rest
  const [pattern] = isJson(schema.patternProperties) ? Object.values(schema.patternProperties) : []
  return isJson(pattern) ? pattern : undefined
}
