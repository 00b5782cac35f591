import type { FastifyInstance } from "fastify"
import type { Services } from "../../../core/services.ts"
import { registerArtifactService } from "./artifacts.ts"
import { registerArtifactsV3 } from "./artifacts-v3.ts"
import { registerCacheService } from "./cache.ts"
import { registerCacheV1 } from "./cache-v1.ts"
import { registerOidc } from "./oidc.ts"
import { registerSummaries } from "./summaries.ts"

/** What jobs call while they run: artifacts, caches and identity tokens. */
export async function registerResults(app: FastifyInstance, services: Services): Promise<void> {
  await registerArtifactService(app, services)
  await registerArtifactsV3(app, services)
  await registerCacheService(app, services)
  await registerCacheV1(app, services)
  await registerOidc(app, services)
  await registerSummaries(app, services)
}
