import type { Config } from "../../../core/config.ts"
import type { Operation } from "../../../core/operation.ts"
import { escapeHtml } from "../../../core/text/html.ts"
import { type About, API_PATH, TITLE, tagsOf } from "./describe.ts"
import { SCRIPT, STYLE } from "./page-assets.ts"
import { fieldsHtml, recordsOf } from "./page-fields.ts"
import { operationHtml } from "./page-operation.ts"
import type { Json } from "./schema.ts"
import { APIError, APINotFound } from "./swagger2.ts"

export interface PageAbout extends About {
  /** The nonce of the answer's Content-Security-Policy. Without one the page is the same for all callers; `PAGE_SOURCES` allows it then. */
  readonly nonce?: string
}

const EXAMPLE_ROOT = "http://localhost:3000"

/** The description of the operations as one self-contained HTML page that is readable without its script. */
export function apiPage(operations: readonly Operation[], about: PageAbout): string {
  const root = about.rootUrl ?? ""
  const nonce = about.nonce === undefined ? "" : ` nonce="${escapeHtml(about.nonce)}"`
  const parts = [
    ...tagsOf(operations).map((tag) => {
      const inside = operations.filter((operation) => operation.tag === tag)
      return part(
        `tag-${tag.replace(/\W+/g, "-")}`,
        capital(tag),
        inside.length,
        inside.map((operation) => operationHtml(operation, root || EXAMPLE_ROOT, about)),
      )
    }),
    records(recordsOf(operations)),
  ]
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLE}</title>
<style${nonce}>${STYLE}</style>
</head>
<body>
<a class="skip" href="#operations">Skip to the operations</a>
<div class="page">
<header>
<h1>${TITLE}</h1>
<p>Version ${escapeHtml(about.version)}. ${operations.length} operations below <code>${escapeHtml(root + API_PATH)}</code>, for programs to read as
<a href="${escapeHtml(root)}/swagger.v1.json">Swagger 2.0</a> or <a href="${escapeHtml(root)}/openapi.v1.json">OpenAPI 3.1</a>.</p>
<div class="intro">
<p><strong>Signing in</strong> Send <code>Authorization: token …</code> with an access token, or Basic with name and password. An account with a second factor
adds <code>X-Gitea-OTP</code>. A site administrator may act as someone else with <code>Sudo</code>.</p>
<p><strong>Lists</strong> They come in pages: <code>page</code> counts from 1, <code>limit</code> is the page’s size. <code>Link</code> leads to the other pages,
<code>X-Total-Count</code> is the length of the whole.</p>
<p><strong>Refusals</strong> Each is an ${typeLink("APIError")} with a message that names what was refused. What is missing, or hidden from the caller, is 404: an ${typeLink("APINotFound")}, or no body
where the operation says so. The texts in quotation marks are some that tests have met; … stands for names and numbers.</p>
${about.config ? sharesHtml(about.config) : ""}
</div>
</header>
<nav aria-label="Parts"><ul>${parts.map(({ entry }) => entry).join("")}</ul></nav>
<main id="operations">
<form role="search" hidden><label><input type="search" aria-label="Filter by text" placeholder="Filter, for example: post repos" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label><output aria-live="polite"></output></form>
${parts.map(({ html }) => html).join("\n")}
</main>
</div>
<script${nonce}>${SCRIPT}</script>
</body>
</html>
`
}

/** What callers share. */
function sharesHtml({ http, git, security }: Config): string {
  const { perAccount, perAddress, firstWaitSeconds } = security.guesses
  return `<p><strong>Shares</strong> There is no quota of calls. An address may have ${http.maxConnectionsPerAddress} connections; work with git waits for its turn up to
${git.maxQueueSeconds} seconds, and is then refused with 503 and <code>Retry-After</code>. After ${perAccount} wrong passwords an account, and after ${perAddress} an address, waits ${firstWaitSeconds} seconds and longer (429).</p>`
}

interface Part {
  readonly entry: string
  readonly html: string
}

/** One part of the page and its entry in the list of parts. */
function part(id: string, name: string, count: number, inside: readonly string[]): Part {
  const title = escapeHtml(name)
  return {
    entry: `<li><a href="#${escapeHtml(id)}">${title} <span>${count}</span></a></li>`,
    html: `<section class="tag" id="${escapeHtml(id)}" aria-label="${title}"><h2>${title}</h2>${inside.join("\n")}</section>`,
  }
}

function records(all: ReadonlyMap<string, Json>): Part {
  const withError: readonly (readonly [string, object])[] = [["APIError", APIError], ["APINotFound", APINotFound], ...all]
  return part(
    "records",
    "Records",
    withError.length,
    withError.map(
      ([name, schema]) =>
        `<details class="record" id="record-${escapeHtml(name)}"><summary><h3><code>${escapeHtml(name)}</code></h3></summary><div class="inside">${fieldsHtml({ ...schema }, `Fields of ${name}`, name.endsWith("Option") || name.endsWith("Options"))}</div></details>`,
    ),
  )
}

const typeLink = (name: string): string => `<a href="#record-${name}">${name}</a>`
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
