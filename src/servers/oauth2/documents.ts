import type { FastifyInstance, FastifyReply } from "fastify"
import { SCOPE_CATEGORIES } from "../../access/scopes.ts"
import type { Services } from "../../core/services.ts"
import { DEVICE_CODE_PATH } from "../../features/people/oauth2/device-paths.ts"
import { AUTHORIZE_PATH } from "../../features/people/oauth2/requests.ts"
import { CLAIM_SCOPES } from "../../features/people/oauth2/scopes.ts"
import { openSigningKey } from "../../features/people/oauth2/signing-key.ts"
import { onlyMethods } from "./answers.ts"
import { GRANT_TYPES } from "./tokens.ts"

/** What clients read to find everything else: OpenID Connect Discovery, and RFC 8414 with the same content. */
export function registerDocuments(app: FastifyInstance, services: Services): void {
  for (const path of ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]) {
    app.get(path, async (_request, reply) => sendPublic(reply, metadata(services.site.rootUrl)))
    onlyMethods(app, path, "GET")
  }
  app.get("/login/oauth/keys", async (_request, reply) => sendPublic(reply, { keys: [(await openSigningKey(services)).publicKey] }))
  onlyMethods(app, "/login/oauth/keys", "GET")
}

/** Public, and the same for everyone: pages of other sites may read it. */
const sendPublic = (reply: FastifyReply, body: object): FastifyReply =>
  reply.header("content-type", "application/json").header("access-control-allow-origin", "*").send(JSON.stringify(body))

const CLIENT_METHODS = ["client_secret_basic", "client_secret_post"]

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${AUTHORIZE_PATH}`,
  device_authorization_endpoint: `${issuer}${DEVICE_CODE_PATH}`,
  token_endpoint: `${issuer}/login/oauth/access_token`,
  jwks_uri: `${issuer}/login/oauth/keys`,
  userinfo_endpoint: `${issuer}/login/oauth/userinfo`,
  introspection_endpoint: `${issuer}/login/oauth/introspect`,
  revocation_endpoint: `${issuer}/login/oauth/revoke`,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: GRANT_TYPES,
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: [...CLIENT_METHODS, "none"],
  revocation_endpoint_auth_methods_supported: [...CLIENT_METHODS, "none"],
  introspection_endpoint_auth_methods_supported: CLIENT_METHODS,
  authorization_response_iss_parameter_supported: true,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  prompt_values_supported: ["none", "login", "consent"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  scopes_supported: [...CLAIM_SCOPES, "all", "public-only", ...SCOPE_CATEGORIES.flatMap((word) => [`read:${word}`, `write:${word}`])],
  claims_supported: [
    "aud",
    "exp",
    "iat",
    "iss",
    "sub",
    "auth_time",
    "name",
    "preferred_username",
    "profile",
    "picture",
    "website",
    "locale",
    "updated_at",
    "email",
    "email_verified",
    "groups",
  ],
})
