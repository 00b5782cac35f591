import type { FastifyReply, FastifyRequest } from "fastify"
import type { TokenCredential } from "../../core/actor.ts"
import { Refusal, refuse } from "../../core/errors.ts"
import type { Operation } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { callerByHeader } from "../routing/callers.ts"
import { MCP_PATH, METADATA_PATH } from "./paths.ts"
import type { ByToken } from "./serve.ts"
import { chosenOperations, named, scopesFor, wishedToolsets } from "./tools.ts"

/** Who may use the protocol, and how others are refused. Loaded with the first request. */

export async function answer(
  services: Services,
  operations: readonly Operation[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (request.method !== "POST") return send(reply.header("allow", "POST"), 405, "this endpoint takes POST only")
  try {
    requireOurOrigin(services, request)
    const by = await callerOf(services, request)
    const { serve } = await import("./serve.ts")
    const { status, headers, body } = await serve(services, operations, by, request)
    return reply.code(status).headers(headers).send(body)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.status === 401)
      reply.header("www-authenticate", challenge(services, scopesFor(chosenOperations(operations, wishedToolsets(services, request)))))
    if (error.retryAfter !== undefined) reply.header("retry-after", error.retryAfter)
    return send(reply, error.status, error.message, error.kind === "badRequest" ? PARSE_ERROR : undefined)
  }
}

/** Where a client learns how to get a token, and which scopes it is to ask for: no more than the tools need that it wants (RFC 9728, RFC 6750). */
const challenge = ({ site }: Services, scopes: readonly string[]): string =>
  `Bearer resource_metadata="${site.rootUrl}${METADATA_PATH}${MCP_PATH}"${scopes.length > 0 ? `, scope="${scopes.join(" ")}"` : ""}`

/** The bearer of an access token. Refuses `unauthenticated` everyone else: a password is no business of an agent. */
async function callerOf(services: Services, request: FastifyRequest): Promise<ByToken> {
  const actor = await callerByHeader(services, request)
  if (actor.kind !== "user" || actor.credential.kind !== "token")
    throw refuse.unauthenticated("an access token in the Authorization header is required: Bearer TOKEN")
  const credential: TokenCredential = actor.credential
  return { ...actor, credential }
}

/**
 * Refuses `forbidden` what a page of another site asks for. A browser says where the page came from also where its name was made to lead here (DNS rebinding);
 * programs say nothing.
 */
function requireOurOrigin({ site }: Services, { headers: { origin } }: FastifyRequest): void {
  if (origin !== undefined && URL.parse(origin)?.origin !== new URL(site.rootUrl).origin)
    throw refuse.forbidden("pages of other sites may not use this endpoint")
}

/** What JSON-RPC calls a body that can't be read; the other number is one that servers give a meaning to. */
const PARSE_ERROR = -32_700
const REFUSED = -32_000

/** An error as JSON-RPC says it, of a request that is not known yet. */
const send = (reply: FastifyReply, status: number, message: string, code = REFUSED): FastifyReply =>
  reply
    .code(status)
    .header("content-type", "application/json")
    .send(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }))

/** Public, and the same for everyone: pages of other sites may read it. Clients ask for all scopes that it names, so these are those of the tools that they get. */
export const sendMetadata = ({ config, site }: Services, operations: readonly Operation[], reply: FastifyReply): FastifyReply =>
  reply
    .header("content-type", "application/json")
    .header("access-control-allow-origin", "*")
    .send(
      JSON.stringify({
        resource: site.rootUrl + MCP_PATH,
        ...(config.oauth2.enabled && { authorization_servers: [site.rootUrl] }),
        bearer_methods_supported: ["header"],
        resource_name: "Hearth",
        scopes_supported: scopesFor(chosenOperations(operations, named(config.mcp.toolsets))),
      }),
    )
