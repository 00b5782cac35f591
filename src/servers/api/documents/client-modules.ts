import { comment, memberOf, membersOf, typeOf } from "./client-types.ts"
import { isJson, type Json } from "./schema.ts"

/** A module by its path below the client's folder, without its ending. */
export interface Module {
  readonly name: string
  readonly text: string
}

const HEAD = "// Made by `npm run build` from the OpenAPI document of Hearth; nothing here is written by hand.\n"

/**
 * The modules of the client that follow from the OpenAPI document: the records, a module of functions for each tag, and the one that brings all together.
 * Throws TypeError where a document can't be told as functions.
 */
export function modulesOf(document: Json): readonly Module[] {
  const tags = new Map<string, string[]>()
  for (const [path, methods] of entries(document.paths))
    for (const [method, operation] of entries(methods)) {
      if (!isJson(operation)) continue
      const [tag] = list(operation.tags)
      const name = String(tag).replace(/\W+/g, "-")
      const functions = tags.get(name) ?? []
      tags.set(name, functions)
      functions.push(functionOf(path, method.toUpperCase(), operation, document))
    }
  const modules = [...tags].map(([name, functions]) => moduleOf(`operations/${name}`, functions))
  const all = modules.map(({ name }) => `export * from "./${name}.ts"\n`).join("")
  return [
    { name: "records", text: recordsOf(document) },
    ...modules,
    { name: "all", text: `${HEAD}${all}export * from "./index.ts"\nexport type * from "./records.ts"\n` },
  ]
}

function recordsOf(document: Json): string {
  const schemas = isJson(document.components) ? entries(document.components.schemas) : []
  const records = schemas.map(([name, schema]) => {
    const members = isJson(schema) ? membersOf(schema) : []
    return members.length > 0 ? `export interface ${name} {\n  ${members.join("\n  ")}\n}\n` : `export type ${name} = ${typeOf(schema)}\n`
  })
  const refused = operationsOf(document).map(([id, operation]) => `  readonly ${id}: ${statusesOf(operation).join(" | ") || "never"}\n`)
  const words = "/** The statuses with which operations refuse, for `isRefusal`; any may be answered with 5xx as well. */\n"
  return `${HEAD}\n${records.join("\n")}\n${words}export interface Refusals {\n${refused.join("")}}\n`
}

const operationsOf = (document: Json): readonly (readonly [id: string, operation: Json])[] =>
  entries(document.paths).flatMap(([, methods]) =>
    entries(methods).flatMap(([, operation]) => (isJson(operation) ? [[String(operation.operationId), operation] as const] : [])),
  )

const statusesOf = (operation: Json): readonly string[] =>
  entries(operation.responses).flatMap(([status]) => (Number(status) >= 400 ? [status] : []))

function moduleOf(name: string, functions: readonly string[]): Module {
  const text = functions.join("\n")
  const calls = ["call", "callText", "download"].filter((word) => text.includes(` return ${word}`))
  const imports = [
    `import { ${[...calls, "type CallOptions", "type Client"].join(", ")} } from "../call.ts"`,
    `import type * as records from "../records.ts"`,
  ]
  return { name, text: `${HEAD}${imports.join("\n")}\n\n${text}` }
}

/** A function that calls the operation, and the type of what it takes. */
function functionOf(path: string, method: string, operation: Json, document: Json): string {
  const id = String(operation.operationId)
  const members = [...parametersOf(id, operation), ...bodyOf(operation)]
  const input = `${id[0]?.toUpperCase()}${id.slice(1)}Input`
  const mayBeLeftOut = members.every(({ isRequired }) => !isRequired)
  const { type, by } = answerOf(operation)
  const known = isJson(document.components) ? entries(document.components.schemas).map(([name]) => name) : []
  const inRecords = (text: string) => qualified(text, known)
  const fields = members.map(({ text }) => `  ${inRecords(text)}\n`).join("")
  const takes = members.length === 0 ? "" : `export interface ${input} {\n${fields}}\n`
  const parameters = [
    "client: Client",
    members.length === 0 ? "input: Readonly<Record<never, never>> = {}" : mayBeLeftOut ? `input: ${input} = {}` : `input: ${input}`,
    "options?: CallOptions",
  ]
  const called = `${by}(client, ${JSON.stringify(method)}, ${JSON.stringify(path)}, input, options)`
  const deprecated = operation.deprecated === true ? " @deprecated" : ""
  return `${takes}${comment(wordsOf(path, method, operation) + deprecated)}\nexport function ${id}(${parameters.join(", ")}): Promise<${inRecords(type)}> {\n  return ${called}\n}\n`
}

/** Names of records, as the module imports them; not inside of comments and texts. */
function qualified(text: string, known: readonly string[]): string {
  const names = new Set(known)
  return text.replace(/\/\*\*.*?\*\/|"(?:[^"\\]|\\.)*"|\b[A-Za-z_]\w*\b(?!\??:)/g, (word) => (names.has(word) ? `records.${word}` : word))
}

interface Member {
  readonly name: string
  readonly text: string
  readonly isRequired: boolean
}

function parametersOf(id: string, operation: Json): readonly Member[] {
  const seen = new Set<string>()
  return list(operation.parameters).flatMap((parameter): readonly Member[] => {
    if (!isJson(parameter) || typeof parameter.name !== "string") return []
    const { name, schema, required, description } = parameter
    if (seen.has(name)) throw new TypeError(`${id} has two parameters ${name}`)
    seen.add(name)
    const isRequired = required === true
    // Names that may be ids as well.
    const isId = parameter.in === "path" && /(?:^|_)id$/.test(name)
    return [
      {
        name,
        isRequired,
        text: memberOf(
          name,
          isId ? { anyOf: [schema, { type: "number" }] } : schema,
          isRequired,
          typeof description === "string" ? description : "",
        ),
      },
    ]
  })
}

function bodyOf({ requestBody }: Json): readonly Member[] {
  if (!isJson(requestBody) || !isJson(requestBody.content)) return []
  const isRequired = requestBody.required === true
  const [[type, content] = ["", {}]] = Object.entries(requestBody.content)
  const schema = isJson(content) ? content.schema : {}
  const mark = isRequired ? "" : "?"
  const kind = type === "multipart/form-data" ? "FormData" : type === "text/plain" ? "string" : typeOf(schema)
  return [{ name: "body", isRequired, text: `readonly body${mark}: ${kind}${isRequired ? "" : " | undefined"}` }]
}

function answerOf({ responses }: Json): { readonly type: string; readonly by: "call" | "callText" | "download" } {
  const contents = entries(responses).flatMap(([status, response]) => {
    if (Number(status) >= 400 || !isJson(response)) return []
    const [content] = entries(response.content)
    return [
      content === undefined
        ? (["", "undefined"] as const)
        : ([content[0], isJson(content[1]) ? typeOf(content[1].schema) : "unknown"] as const),
    ]
  })
  // Operations that only lead to a file.
  const success = entries(responses).flatMap(([status]) => (Number(status) < 400 ? [Number(status)] : []))
  if (success.every((status) => status >= 300)) return { type: "Response", by: "download" }
  const media = new Set(contents.map(([type]) => type))
  // Streams are read as they come; `events` and `eventsAfter` do so for those of events.
  if (media.has("application/octet-stream") || media.has("application/jsonl")) return { type: "Response", by: "download" }
  if (media.has("text/plain")) return { type: "string", by: "callText" }
  const types = [...new Set(contents.map(([, type]) => type))]
  return { type: types.length === 1 && types[0] === "undefined" ? "void" : types.join(" | "), by: "call" }
}

/** What is said of a function: what it does, who may call it, and what follows. */
function wordsOf(path: string, method: string, operation: Json): string {
  const scopes = list(operation["x-token-scopes"])
  const events = list(operation["x-events"])
  const refusals = statusesOf(operation)
  return [
    `${operation.summary}.`,
    ...(operation.description ? [String(operation.description)] : []),
    `\`${method} ${path}\``,
    `– ${operation["x-access"]}.`,
    ...(scopes.length > 0 ? [`A token needs ${scopes.join(" and ")}.`] : []),
    ...(events.length > 0 ? [`Causes ${events.join(", ")}.`] : []),
    ...(refusals.length > 0 ? [`Refused with ${refusals.join(", ")}.`] : []),
    ...(operation["x-since"] ? [`Since ${operation["x-since"]}.`] : []),
  ].join(" ")
}

const entries = (value: unknown): readonly (readonly [string, unknown])[] => (isJson(value) ? Object.entries(value) : [])
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
