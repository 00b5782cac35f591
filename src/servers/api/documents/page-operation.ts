import type { Operation } from "../../../core/operation.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import {
  type About,
  API_PATH,
  bodyRequired,
  mediaType,
  pathDescription,
  queryParameters,
  refusalsOf,
  ruleText,
  scopesOf,
} from "./describe.ts"
import { answerHtml, fieldsHtml, parametersHtml, typeHtml } from "./page-fields.ts"
import { isJson, type Json, requiredOf, withoutNull } from "./schema.ts"
import { successWords } from "./swagger2.ts"

/** One operation, collapsed to its method, path and summary. `root` is the address that its example calls. */
export function operationHtml(operation: Operation, root: string, about: About): string {
  const { id, method, path, summary, description, deprecated } = operation
  const sections = [
    description ? `<p>${escapeHtml(description)}</p>` : "",
    factsHtml(operation),
    section("Parameters", parametersHtml([...pathParameters(operation), ...queryParameters(operation)])),
    section("Body", bodyHtml(operation)),
    section("Answers", answersHtml(operation, about)),
    section("Example", `<pre><code>${escapeHtml(example(operation, root))}</code></pre>`),
  ]
  return `<details class="operation${deprecated ? " deprecated" : ""}" id="${escapeHtml(id)}"><summary><h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${pathHtml(path)}</code></h3> <span class="what">${escapeHtml(summary)}${deprecated ? " <em>deprecated</em>" : ""}</span></summary><div class="inside">${sections.join("")}</div></details>`
}

const section = (heading: string, inside: string): string => (inside ? `<h4>${heading}</h4>${inside}` : "")

/** A path that may break after its slashes, with its parameters marked. */
const pathHtml = (path: string): string =>
  escapeHtml(path)
    .replaceAll("/", "/<wbr>")
    .replace(/\{\w+\}/g, "<i>$&</i>")

const pathParameters = ({ parameters }: Operation) =>
  parameters.map(({ name, numeric }) => ({
    name,
    required: true,
    schema: { type: numeric ? "integer" : "string", description: `in the path: ${pathDescription(name)}` },
  }))

function factsHtml(operation: Operation): string {
  const scopes = scopesOf(operation)
  const limits = [
    ...(operation.basicOnly ? ["only with a password, not with a token"] : []),
    ...(operation.publicOnly === "refused" ? ["not with a token for public things only"] : []),
    ...(operation.archived === "refused" ? ["not on an archived repository"] : []),
  ]
  const facts = [
    ["Who may call", escapeHtml(ruleText(operation.rule))],
    ["A token needs", scopes.length > 0 ? scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(" and ") : "no scope"],
    ...(limits.length > 0 ? [["Limits", limits.join("; ")]] : []),
    ...(operation.method === "GET" ? [] : [["May be repeated", "with the header <code>Idempotency-Key</code>"]]),
    ["Since", escapeHtml(operation.since)],
    ["Name", `<code>${escapeHtml(operation.id)}</code>`],
  ]
  return `<dl>${facts.map(([term, words]) => `<div><dt>${term}</dt><dd>${words}</dd></div>`).join("")}</dl>`
}

function bodyHtml(operation: Operation): string {
  const { body } = operation
  if (!isJson(body)) return ""
  const kind = `${typeHtml(body)}, ${escapeHtml(mediaType(body))}${bodyRequired(operation) ? "" : ", may be left out"}`
  return `<p>${kind}</p>${fieldsHtml(body, "Fields of the body", true)}`
}

function answersHtml(operation: Operation, about: About): string {
  const answers = Object.entries(operation.answers).map(([status, schema]) => {
    const paged = operation.paged && status === "200" ? ", one page, with the headers Link and X-Total-Count" : ""
    return `<tr><th scope="row" class="good">${status}</th><td>${schema ? answerHtml(schema) : successWords(status, false)}${paged}</td></tr>`
  })
  const refusals = refusalsOf(operation, about).map(
    ({ status, description }) => `<tr><th scope="row">${status}</th><td>${escapeHtml(description)}</td></tr>`,
  )
  return `<div class="wide"><table class="answers" aria-label="Answers"><tbody>${answers.join("")}${refusals.join("")}</tbody></table></div>`
}

// --- the example -----------------------------------------------------------------------------------------------------------------------

/** A call for the shell. Path parameters are variables, as curl reads braces in an address as a pattern. */
function example(operation: Operation, root: string): string {
  const { method, path, body, rule, basicOnly } = operation
  const query = queryParameters(operation).flatMap(({ name, schema, required }) => (required ? [`${name}=${String(sample(schema))}`] : []))
  const address = `${root}${API_PATH}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query.length > 0 ? `?${query.join("&")}` : ""}`
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`,
    ...(basicOnly ? ['-u "$NAME:$PASSWORD"'] : rule.signIn === "required" ? ['-H "Authorization: token $TOKEN"'] : []),
    ...(isJson(body)
      ? [`-H "Content-Type: ${mediaType(body)}"`, `-d '${typeof sample(body) === "string" ? "example" : JSON.stringify(sample(body))}'`]
      : []),
  ]
  return lines.join(" \\\n  ")
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
