import type { FastifyInstance } from "fastify"
import { locateRepository, requireUnit } from "../../access/policies/repositories.ts"
import { Renamed, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { badgeOf } from "../../features/actions/runs/badge.ts"
import { findRuns } from "../../features/actions/runs/store.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { callerOf, mayReadCategory } from "../routing/callers.ts"
import { leadTo } from "../routing/redirect.ts"

interface Badge {
  readonly Params: { readonly owner: string; readonly repo: string; readonly workflow: string }
  readonly Querystring: { readonly branch?: unknown; readonly event?: unknown; readonly style?: unknown; readonly label?: unknown }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/**
 * Serves badges of workflows: the state of the last run on a branch, by default the default branch, and perhaps of one event. The label is
 * the name of the workflow, unless `label` is given. A file that has never run has "no status".
 */
export function registerBadges(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  app.get<Badge>("/:owner/:repo/actions/workflows/:workflow/badge.svg", async (request, reply) => {
    const { database } = services
    const { owner, repo, workflow } = request.params
    const actor = await callerOf(services, authenticator, request)
    if (!mayReadCategory(services, actor, "repository") || workflow.includes("\0")) throw refuse.notFound()
    const found = await locateRepository(database.read, actor, owner, repo).catch((error: unknown) => {
      // The badges of a renamed repository go on in the documents of others.
      if (error instanceof Renamed) return error
      throw error
    })
    if (found instanceof Renamed) {
      const query = request.url.includes("?") ? request.url.slice(request.url.indexOf("?")) : ""
      const to = `${found.replace["owner"] ?? owner}/${found.replace["repo"] ?? repo}`
      return leadTo(reply, `/${to}/actions/workflows/${encodeURIComponent(workflow)}/badge.svg${query}`, 307)
    }
    try {
      requireUnit(found, "repo.actions", "read")
    } catch {
      throw refuse.notFound()
    }
    const { branch, event, style, label } = request.query
    const filter = { workflow, branch: textOf(branch) ?? found.repository.default_branch, event: textOf(event) }
    const of = { of: "repository", repositoryId: found.repository.id } as const
    const [run] = (await findRuns(database.read, of, filter, { number: 1, limit: 1, offset: 0 })).rows
    const name = textOf(label) ?? (run?.workflow_name || workflow.replace(/\.ya?ml$/, ""))
    return reply
      .header("content-type", "image/svg+xml")
      .header("cache-control", "max-age=0, private, must-revalidate")
      .header("content-security-policy", "default-src 'none'; sandbox")
      .send(badgeOf(name, run?.state, style === "flat-square" ? "flat-square" : "flat"))
  })
}
