import type { Operation } from "../../../core/operation.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { type About, bodyRequired, mediaType, pathDescription, queryParameters, ruleText, scopesOf } from "./describe.ts"
import { limitsOf } from "./limits.ts"
import { answeredHtml, exampleCall } from "./page-example.ts"
import { answerHtml, fieldsHtml, parametersHtml, typeHtml } from "./page-fields.ts"
import { refusedBy } from "./refusals.ts"
import { isJson } from "./schema.ts"
import { successWords } from "./swagger2.ts"

/** One operation, collapsed to its method, path and summary. `root` is the address that its example calls. */
export function operationHtml(operation: Operation, root: string, about: About): string {
  const { id, method, path, summary, description, deprecated } = operation
  const sections = [
    description ? `<p>${escapeHtml(description)}</p>` : "",
    factsHtml(operation, about),
    section("Parameters", parametersHtml([...pathParameters(operation), ...queryParameters(operation)])),
    section("Body", bodyHtml(operation)),
    section("Answers", answersHtml(operation, about)),
    section("Example", `<pre><code>${escapeHtml(exampleCall(operation, root, about))}</code></pre>${answeredHtml(operation, about)}`),
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

function factsHtml(operation: Operation, about: About): string {
  const scopes = scopesOf(operation)
  const events = about.recorded?.events[operation.id] ?? []
  const { bodyBytes, page } = about.config ? limitsOf(operation, about.config) : {}
  const limits = [
    ...(operation.basicOnly ? ["only with a password, not with a token"] : []),
    ...(operation.publicOnly === "refused" ? ["not with a token for public things only"] : []),
    ...(operation.archived === "refused" ? ["not on an archived repository"] : []),
    ...(bodyBytes === undefined ? [] : [`a body of at most ${bodyBytes.toLocaleString("en")} bytes`]),
    ...(page ? [`pages of ${page.default}, at most ${page.maximum} entries`] : []),
  ]
  const facts = [
    ["Who may call", escapeHtml(ruleText(operation.rule))],
    ["A token needs", scopes.length > 0 ? scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(" and ") : "no scope"],
    ...(limits.length > 0 ? [["Limits", limits.join("; ")]] : []),
    ...(events.length > 0 ? [["Events", events.map((kind) => `<code>${escapeHtml(kind)}</code>`).join(" ")]] : []),
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
  const refusals = refusedBy(operation, about).map(({ status, description, when, texts }) => {
    const said = texts.length > 0 ? `<br>${texts.map((text) => `“${escapeHtml(text)}”`).join(", ")}` : ""
    return `<tr><th scope="row">${status}</th><td>${escapeHtml(when.length > 0 ? when.join("; ") : description)}${said}</td></tr>`
  })
  return `<div class="wide"><table class="answers" aria-label="Answers"><tbody>${answers.join("")}${refusals.join("")}</tbody></table></div>`
}
