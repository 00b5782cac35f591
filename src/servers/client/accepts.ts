import type { FastifyRequest } from "fastify"
import type { Encoding } from "../../web/assets.ts"

/** Whether the client shows pages to a person: programs get short texts and records. */
export const wantsPage = ({ headers, url }: FastifyRequest): boolean =>
  String(headers.accept ?? "").includes("text/html") && !url.startsWith("/api/") && !/\.git\/|\/info\/(refs|lfs)/.test(url)

/** The encoding that the client prefers of ours. */
export function encodingFor({ headers }: FastifyRequest): Encoding {
  const accepted = String(headers["accept-encoding"] ?? "")
  return (["br", "gzip"] as const).find((name) => new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted))
}
