/** An example as the documents show it: the call, and the beginning of what was answered. */

import { typeOf } from "../../src/core/check.ts"
import type { Operation } from "../../src/core/operation.ts"
import { normalizer } from "./normal.ts"
import type { PreparedCall } from "./prepare.ts"

/** Of lists the documents show the first entries, of texts the beginning. */
const ENTRIES = 1
const CHARACTERS = 400

/** The example, the same in every run. A download has no answer. */
export function recordOf(
  url: string,
  operation: Operation,
  call: PreparedCall,
  { status, text }: { readonly status: number; readonly text: string },
): unknown {
  const { query, body } = call.calling
  const sent = { path: call.path, query: typedQuery(operation, query), body: body instanceof FormData ? formOf(body) : body }
  const schema = operation.answers[status]
  const answer =
    text === "" || (schema && ("isDownload" in schema || "isStream" in schema))
      ? undefined
      : typeOf(schema) === "string"
        ? text
        : JSON.parse(text)
  const normal = normalizer(url, JSON.stringify(sent))
  const { path, ...rest } = sent
  return JSON.parse(
    JSON.stringify(
      normal({ ...(Object.keys(path).length > 0 && { path: ownPath(operation, path) }), ...rest, status, answer: shortened(answer) }),
    ),
  )
}

/** Examples may name more than the path of the operation has. */
export const ownPath = ({ parameters }: Operation, path: PreparedCall["path"]) =>
  Object.fromEntries(parameters.map(({ name, numeric }) => [name, numeric ? Number(path[name]) : String(path[name])]))

/** The query with numbers and booleans as such, as the document has them. */
export function typedQuery({ query }: Operation, sent: Readonly<Record<string, string>> | undefined) {
  if (sent === undefined) return undefined
  const typed = ([name, value]: readonly [string, string]) => {
    const type = typeOf(query.properties[name])
    if (type === "integer" || type === "number") return [name, Number(value)]
    return [name, type === "boolean" ? value === "true" : type === "array" ? [value] : value]
  }
  return Object.fromEntries(Object.entries(sent).map(typed))
}

const formOf = (form: FormData) =>
  Object.fromEntries([...form].map(([name, value]) => [name, typeof value === "string" ? value : `the file ${value.name}`]))

function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > CHARACTERS) return `${value.slice(0, CHARACTERS)}…`
  if (Array.isArray(value)) return value.slice(0, ENTRIES).map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}
