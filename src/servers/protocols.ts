import type { FastifyInstance } from "fastify"
import type { Metrics } from "../core/metrics.ts"
import type { Operation } from "../core/operation.ts"
import type { Services } from "../core/services.ts"
import { registerDocuments } from "./api/documents/routes.ts"
import { registerAssets } from "./assets.ts"
import { registerGitHttp } from "./git-http/routes.ts"
import { registerHealth } from "./health.ts"
import { registerLfs } from "./lfs/routes.ts"
import { registerMcp } from "./mcp/routes.ts"
import { registerOAuth2 } from "./oauth2/routes.ts"
import { registerPackages } from "./packages/routes.ts"
import { registerResults } from "./runner/results/routes.ts"
import { registerRunners } from "./runner/routes.ts"

/**
 * What is answered over HTTP and is no operation, page or file. Everything else is such a record, and so in the permission matrix and in the documents:
 * `npm run check` refuses routes that are registered outside of the folders that this list names.
 */
export interface Protocol {
  readonly name: string
  /** Why it is no record. */
  readonly reason: string
  readonly register: (app: FastifyInstance, given: Given) => Promise<void> | void
}

interface Given {
  readonly services: Services
  readonly operations: readonly Operation[]
  readonly metrics: Metrics
}

export const protocols: readonly Protocol[] = [
  {
    name: "git",
    reason: "git's smart protocol: streams both ways, credentials that git asks for, and refusals that git prints",
    register: (app, { services }) => registerGitHttp(app, services),
  },
  {
    name: "Git LFS",
    reason: "the protocol of git-lfs: its own media type, passes in place of credentials, and bodies of any length",
    register: (app, { services }) => registerLfs(app, services),
  },
  {
    name: "packages",
    reason:
      "each registry, npm or generic, has the addresses, challenges and refusals that its tools expect; routes are data of the registry",
    register: (app, { services }) => registerPackages(app, services),
  },
  {
    name: "runners",
    reason: "Connect RPC of the runners: procedures of protobuf messages, and tokens of runners",
    register: (app, { services }) => registerRunners(app, services),
  },
  {
    name: "results of jobs",
    reason: "Twirp and the storage calls of the actions' toolkit, with tokens of running jobs and signed addresses",
    register: (app, { services }) => registerResults(app, services),
  },
  {
    name: "OAuth2",
    reason:
      "OAuth2 and OpenID Connect say what their endpoints take, with credentials of applications, and how they refuse; their pages are records",
    register: (app, { services }) => registerOAuth2(app, services),
  },
  {
    name: "MCP",
    reason:
      "the Model Context Protocol: JSON-RPC of agents, whose tools are made of the operations' records, so that it can be none of them",
    register: (app, { services, operations }) => registerMcp(app, services, operations),
  },
  {
    name: "health",
    reason: "for load balancers and Prometheus, which expect these addresses and forms, also where the database is gone",
    register: (app, { services, metrics }) => registerHealth(app, services, metrics),
  },
  {
    name: "documents of the API",
    reason: "made of the operations' records, so that they can be none of them",
    register: (app, { services, operations }) => registerDocuments(app, services, operations),
  },
  {
    name: "assets",
    reason: "styles and scripts of the program itself: the same for everyone, in the encoding that the client prefers, kept for ever",
    register: (app) => registerAssets(app),
  },
]
