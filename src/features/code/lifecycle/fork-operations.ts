import { onRepository, onRepositoryUnit, onTemplate } from "../../../access/policies/repositories.ts"
import { requireAccount } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { accepted, created, listed, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { EVERYTHING, presentRepositories, presentRepository } from "../repositories/present.ts"
import { CreateForkOption, GenerateRepoOption, Repository } from "../repositories/records.ts"
import { forkOf, listRepositories } from "../repositories/search-store.ts"
import { withOwners } from "../repositories/store.ts"
import { forkRepository } from "./fork.ts"
import { locateNamed, requireMayCreateFor } from "./recipients.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

export const forkOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "listForks",
    route: "GET /repos/{owner}/{repo}/forks",
    summary: "List a repository's forks",
    description: "Those that the caller may know of.",
    access: onRepository,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, repository, page }) => {
      const order = { by: "id", direction: "asc" } as const
      const { rows, total } = await listRepositories(db, actor, { where: [forkOf(repository.id)], order }, page)
      return listed(await presentRepositories(db, services.site, actor, await withOwners(db, rows)), total)
    },
  }),

  operation({
    ...shared,
    id: "createFork",
    route: "POST /repos/{owner}/{repo}/forks",
    summary: "Fork a repository",
    access: onRepositoryUnit("code", "read"),
    body: CreateForkOption,
    answers: { 202: Repository },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ db, services, actor, me, repository, owner, body }) => {
      requireAccount({ me, actor })
      const into = body.organization ? await locateNamed(db, actor, body.organization) : me
      if (into.id !== me.id && into.kind !== "organization") throw refuse.notFound()
      await requireMayCreateFor(db, actor, into)
      const fork = await forkRepository(services, { repository, owner }, { doer: me, owner: into, name: body.name ?? repository.name })
      return accepted(await presentRepository(services.database.read, services.site, actor, fork, EVERYTHING))
    },
  }),

  operation({
    ...shared,
    id: "generateRepo",
    route: "POST /repos/{template_owner}/{template_repo}/generate",
    summary: "Generate a repository from a template",
    access: onTemplate,
    body: GenerateRepoOption,
    answers: { 201: Repository },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ db, services, actor, me, repository, owner, permission, body }) => {
      const { generateRepository, requireOwnHooks, requireTemplateItems } = await import("./generate.ts")
      requireTemplateItems({ repository, owner }, body)
      requireOwnHooks({ repository, owner, permission }, body)
      const forWhom = await locateNamed(db, actor, body.owner)
      await requireMayCreateFor(db, actor, forWhom)
      const generated = await generateRepository(services, { repository, owner }, { doer: me, owner: forWhom, options: body })
      return created(await presentRepository(services.database.read, services.site, actor, generated, EVERYTHING))
    },
  }),
]
