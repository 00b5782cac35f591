import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { scopeAllows } from "../../access/scopes.ts"
import { type Actor, isPublicOnly } from "../../core/actor.ts"
import { Refusal } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { authenticateClient, readClient } from "../../features/people/oauth2/clients.ts"
import { DEVICE_CODE_PATH, DEVICE_GRANT } from "../../features/people/oauth2/device-paths.ts"
import { OAuth2Error } from "../../features/people/oauth2/errors.ts"
import { claimsOf } from "../../features/people/oauth2/id-tokens.ts"
import { CLAIM_SCOPES } from "../../features/people/oauth2/scopes.ts"
import { introspect, redeemCode, refreshTokens, revokeToken } from "../../features/people/oauth2/tokens.ts"
import { authenticatorOf, requireUsable } from "../../features/people/sign-in/authenticate.ts"
import { readAuthorization } from "../../features/people/sign-in/credentials/credentials.ts"
import { clientAddress } from "../client/address.ts"
import { answering, OPEN, onlyMethods, readFields, sendJson } from "./answers.ts"

const USERINFO_PATH = "/login/oauth/userinfo"

type Redeem = typeof redeemCode

/** What tokens are given for. */
const REDEEM: Readonly<Record<string, Redeem>> = {
  authorization_code: redeemCode,
  refresh_token: refreshTokens,
  [DEVICE_GRANT]: async (...call) => (await import("../../features/people/oauth2/devices.ts")).redeemDevice(...call),
}
export const GRANT_TYPES = Object.keys(REDEEM)

/** What clients call themselves: tokens, what is known about them, and their end. */
export function registerTokens(app: FastifyInstance, services: Services): void {
  const clientOf = (request: FastifyRequest, field: (name: string) => string | undefined, mustBeConfidential = false) =>
    authenticateClient(services, readClient(request.headers.authorization, field), {
      address: clientAddress(request),
      mustBeConfidential,
    })

  const post = (path: string, work: (request: FastifyRequest) => Promise<object>): void => {
    app.post(path, { ...OPEN }, async (request, reply) => answering(services, reply, () => work(request)))
    onlyMethods(app, path, "POST")
  }

  post("/login/oauth/access_token", async (request) => {
    const field = readFields(request)
    const redeem = new Map(Object.entries(REDEEM)).get(field("grant_type") ?? "")
    if (!redeem) throw new OAuth2Error("unsupported_grant_type", `grant_type must be one of ${GRANT_TYPES.join(", ")}`)
    return redeem(services, await clientOf(request, field), field)
  })

  post(DEVICE_CODE_PATH, async (request) => {
    const field = readFields(request)
    const application = await clientOf(request, field)
    const { beginDevice } = await import("../../features/people/oauth2/devices.ts")
    return beginDevice(services, application, field, clientAddress(request))
  })

  post("/login/oauth/introspect", async (request) => {
    const field = readFields(request)
    try {
      const application = await clientOf(request, field, true)
      const token = field("token")
      if (token === undefined) throw new OAuth2Error("invalid_request", "token is missing")
      return await introspect(services, application, token)
    } catch (error) {
      // A caller that asks about others has to authenticate.
      if (error instanceof OAuth2Error && error.word === "invalid_client" && error.status === 400)
        throw new OAuth2Error(error.word, error.message, 401)
      throw error
    }
  })

  post("/login/oauth/revoke", async (request) => {
    const field = readFields(request)
    const application = await clientOf(request, field)
    const token = field("token")
    if (token === undefined) throw new OAuth2Error("invalid_request", "token is missing")
    await revokeToken(services, application, token)
    return {}
  })

  const userinfo = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const presented = readAuthorization(request.headers.authorization)
    if (presented.kind !== "token") return challenged(reply, 401, "")
    let actor: Actor
    try {
      actor = await authenticatorOf(services).authenticate({ presented, code: undefined, address: clientAddress(request) })
      await requireUsable(services, actor)
    } catch (error) {
      if (error instanceof Refusal && (error.kind === "badCredentials" || error.kind === "forbidden"))
        return challenged(reply, 401, ', error="invalid_token"')
      throw error
    }
    if (actor.kind === "anonymous" || actor.credential.kind !== "token") return challenged(reply, 401, "")
    const { scopes } = actor.credential
    if (scopes.has("openid")) return sendJson(reply, await claimsOf(services, actor.user, scopes))
    if (!scopeAllows(scopes, "read:user") || isPublicOnly(actor))
      return challenged(reply, 403, ', error="insufficient_scope", scope="openid"')
    return sendJson(reply, await claimsOf(services, actor.user, new Set(CLAIM_SCOPES)))
  }
  const challenged = (reply: FastifyReply, status: number, more: string): FastifyReply =>
    reply
      .code(status)
      .header("www-authenticate", `Bearer realm="${services.site.rootUrl}"${more}`)
      .type("text/plain;charset=utf-8")
      .send(status === 401 ? "an access token is needed in the Authorization header" : "the access token needs the scope openid")
  app.get(USERINFO_PATH, userinfo)
  app.post(USERINFO_PATH, { ...OPEN }, userinfo)
  onlyMethods(app, USERINFO_PATH, "GET", "POST")
}
