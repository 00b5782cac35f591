import type { FastifyInstance } from "fastify"
import type { Services } from "../../core/services.ts"
import { VERSION } from "../../core/version.ts"

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1.5rem}
h1{font-weight:650;letter-spacing:-.02em;margin-bottom:.25rem}p{margin:.5rem 0}code{font:14px/1.5 ui-monospace,monospace;background:color-mix(in srgb,currentColor 8%,transparent);padding:.15em .4em;border-radius:.3em}
footer{opacity:.65;font-size:.85rem;margin-top:3rem}`

/** The front page: says what this is and where to go on. */
export function registerHome(app: FastifyInstance, services: Services): void {
  app.get("/", async (_request, reply) =>
    reply
      .header("content-type", "text/html;charset=utf-8")
      .header(
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
      )
      .send(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Hearth</title><style>${STYLE}</style>
<h1>Hearth</h1><p>This server hosts git repositories.</p>
<p>Read and try its interface at <a href="/api/swagger">/api/swagger</a>, or clone a repository:</p>
<p><code>git clone ${services.site.rootUrl}/owner/name.git</code></p>
<footer>Hearth ${VERSION}</footer></html>`),
  )
}
