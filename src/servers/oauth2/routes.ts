import type { FastifyInstance } from "fastify"
import type { Services } from "../../core/services.ts"
import { registerDocuments } from "./documents.ts"
import { registerTokens } from "./tokens.ts"

/** The OAuth2 and OpenID Connect provider; nothing of it is there where it is switched off. */
export function registerOAuth2(app: FastifyInstance, services: Services): void {
  if (!services.config.oauth2.enabled) return
  registerDocuments(app, services)
  registerTokens(app, services)
}
