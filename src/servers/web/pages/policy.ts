import type { FastifyReply } from "fastify"

/** The browser asks each time whether it has changed, and others keep nothing. */
export const NOT_SHARED = { "cache-control": "private, no-cache" } as const

interface HeadersOf {
  readonly formTargets?: readonly string[]
  readonly retryAfter?: number
}

/** The headers of every page: it runs and loads what is ours, is framed by no one, and tells no other site where the reader was. */
export function pageHeaders({ formTargets = [], retryAfter }: HeadersOf): Readonly<Record<string, string>> {
  return {
    "content-type": "text/html;charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "media-src 'self'",
      "connect-src 'self'",
      "frame-src 'self'",
      `form-action ${["'self'", ...formTargets].join(" ")}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types hearth",
    ].join("; "),
    "x-frame-options": "DENY",
    // With no-referrer, a browser would not say either that a form comes from this site.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy":
      "publickey-credentials-get=(self), publickey-credentials-create=(self), clipboard-write=(self), camera=(), geolocation=(), microphone=()",
    ...NOT_SHARED,
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  }
}

/** No one keeps the answer: it has a secret, or a sentence that is shown once. */
export const NOT_STORED = { "cache-control": "no-store" } as const
export const notStored = (reply: FastifyReply): FastifyReply => reply.headers(NOT_STORED)
