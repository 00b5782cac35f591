import type { FastifyReply } from "fastify"
import { escapeHtml } from "../../core/text/html.ts"

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1.5rem}
h1{font-weight:650;letter-spacing:-.02em;margin-bottom:.25rem}p{margin:.5rem 0}
code{font:14px/1.5 ui-monospace,monospace;background:color-mix(in srgb,currentColor 8%,transparent);padding:.15em .4em;border-radius:.3em}
form{display:grid;gap:.9rem;margin:1.5rem 0}label{display:grid;gap:.2rem;font-size:.9rem}
input,button{font:inherit;padding:.5rem .65rem;border:1px solid color-mix(in srgb,currentColor 35%,transparent);border-radius:.4rem;background:transparent;color:inherit}
button{justify-self:start;padding-inline:1.2rem;cursor:pointer;font-weight:600}:focus-visible{outline:2px solid Highlight;outline-offset:2px}
[role=alert]{border-left:3px solid #c2410c;padding:.3rem .9rem}[role=status]{border-left:3px solid #15803d;padding:.3rem .9rem}
footer{opacity:.65;font-size:.85rem;margin-top:3rem}`

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Sends a page that runs no scripts and loads nothing. `body` is HTML with all user input escaped. */
export const sendPage = (reply: FastifyReply, status: number, title: string, body: string): FastifyReply =>
  reply
    .code(status)
    .header("content-type", "text/html;charset=utf-8")
    .header("content-security-policy", POLICY)
    .header("referrer-policy", "no-referrer")
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style><main>${body}</main></html>`,
    )
