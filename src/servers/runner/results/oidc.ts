import type { FastifyInstance } from "fastify"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { publicKeys } from "../../../features/actions/oidc/keys.ts"
import { identityFor, issuerOf, OIDC_PATH } from "../../../features/actions/oidc/tokens.ts"
import { sendRefusal } from "../../api/answer.ts"
import { bearerOf } from "./twirp.ts"

/** Identity tokens of jobs, and what others need to verify them. */

/** Seconds for which others may keep the list of keys. */
const KEYS_KEPT = 600

const CLAIMS =
  "sub aud exp iat iss jti nbf ref ref_type sha repository repository_id repository_owner repository_owner_id repository_visibility run_id run_number run_attempt actor actor_id workflow workflow_ref workflow_sha job_workflow_ref job_workflow_sha base_ref event_name runner_environment"

export async function registerOidc(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendRefusal(services, request, reply, error))

    scope.get<{ readonly Querystring: { readonly audience?: unknown } }>(`${OIDC_PATH}/token`, async (request, reply) => {
      const token = bearerOf(request.headers.authorization)
      if (token === undefined) throw refuse.unauthenticated("the request token of a job is needed, as Authorization: Bearer")
      const { audience } = request.query
      if (audience !== undefined && typeof audience !== "string") throw refuse.invalid("audience", "must be given once")
      const value = await identityFor(services, token, audience)
      return reply.type("application/json").header("cache-control", "no-store").send(JSON.stringify({ value }))
    })

    scope.get(`${OIDC_PATH}/.well-known/openid-configuration`, async (_request, reply) => {
      const issuer = issuerOf(services.site)
      return reply.type("application/json").send(
        JSON.stringify({
          issuer,
          jwks_uri: `${issuer}/.well-known/jwks`,
          subject_types_supported: ["public"],
          response_types_supported: ["id_token"],
          claims_supported: CLAIMS.split(" "),
          id_token_signing_alg_values_supported: ["RS256"],
          scopes_supported: ["openid"],
        }),
      )
    })

    scope.get(`${OIDC_PATH}/.well-known/jwks`, async (_request, reply) =>
      reply
        .type("application/json")
        .header("cache-control", `public, max-age=${KEYS_KEPT}`)
        .send(JSON.stringify({ keys: await publicKeys(services) })),
    )
  })
}
