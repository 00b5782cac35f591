import type { Operation } from "../../../core/operation.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { type About, API_PATH, mediaType, queryParameters } from "./describe.ts"
import { isJson, type Json, requiredOf, withoutNull } from "./schema.ts"

/** A call for the shell: the recorded one, or one that the schemas accept. Unknown path parameters are variables, as curl reads braces in an address as a pattern. */
export function exampleCall(operation: Operation, root: string, about: About): string {
  const { method, path, body, rule, basicOnly } = operation
  const { path: values = {}, query: asked, body: sent } = about.recorded?.examples[operation.id] ?? {}
  const query = asked
    ? Object.entries(asked).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    : queryParameters(operation).flatMap(({ name, schema, required }) => (required ? [`${name}=${String(sample(schema))}`] : []))
  const place = (name: string): string => (values[name] === undefined ? `$${name.toUpperCase()}` : String(values[name]))
  const address = `${root}${API_PATH}${path.replace(/\{(\w+)\}/g, (_, name: string) => place(name))}${query.length > 0 ? `?${query.join("&")}` : ""}`
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`,
    ...(basicOnly ? ['-u "$NAME:$PASSWORD"'] : rule.signIn === "required" ? ['-H "Authorization: token $TOKEN"'] : []),
    ...(isJson(body) ? bodyLines(body, sent) : []),
  ]
  return lines.join(" \\\n  ")
}

function bodyLines(schema: Json, sent: unknown): readonly string[] {
  const type = mediaType(schema)
  if (typeof schema.uploadField === "string") return [`-F "${schema.uploadField}=@FILE"`]
  const value = sent ?? sample(schema)
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return [
    `-H "Content-Type: ${type}"`,
    `-d '${(typeof value === "string" && sent === undefined ? "example" : text).replaceAll("'", "'\\''")}'`,
  ]
}

/** Characters of an answer that are shown; the record that it is has its fields below. */
const SHOWN = 1200

/** What the recorded call was answered, where it is short enough to be read. */
export function answeredHtml({ id }: Operation, about: About): string {
  const { status, answer } = about.recorded?.examples[id] ?? {}
  if (status === undefined) return ""
  const text = answer === undefined ? "" : typeof answer === "string" ? answer : JSON.stringify(answer, null, 2)
  if (text === "" || text.length > SHOWN) return ""
  return `<p>was answered with ${status}:</p><pre><code>${escapeHtml(text)}</code></pre>`
}

/** A value that the schema accepts, as far as its keywords tell: an object's required members, or its first where none is required. */
function sample(schema: unknown): unknown {
  if (!isJson(schema)) return "example"
  const { plain } = withoutNull(schema)
  if (Array.isArray(plain.enum)) return plain.enum.find((word) => word !== "") ?? ""
  if (plain.type === "object") return sampleObject(plain)
  if (plain.type === "array") return [sample(plain.items)]
  if (plain.type === "boolean") return true
  if (plain.type === "integer" || plain.type === "number") return 1
  if (plain.format === "email") return "person@example.com"
  if (plain.format === "date-time") return "2030-01-31T12:00:00Z"
  return "example"
}

function sampleObject(schema: Json): Json {
  const properties = isJson(schema.properties) ? schema.properties : {}
  const required = requiredOf(schema)
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(names.map((name) => [name, sample(properties[name])]))
}
