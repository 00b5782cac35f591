import { onRepository, onRepositoryById } from "../../../access/policies/repositories.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { listOperations } from "./list-operations.ts"
import { presentRepository } from "./present.ts"
import { Repository } from "./records.ts"

const single: readonly Operation[] = [
  operation({
    id: "repoGet",
    route: "GET /repos/{owner}/{repo}",
    summary: "Get a repository",
    tag: "repository",
    scope: ["repository"],
    access: onRepository,
    answers: { 200: Repository },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, permission, ...owned }) =>
      ok(await presentRepository(db, services.site, actor, owned, permission)),
  }),

  operation({
    id: "repoGetByID",
    route: "GET /repositories/{id}",
    summary: "Get a repository by its id",
    tag: "repository",
    scope: ["repository"],
    access: onRepositoryById,
    answers: { 200: Repository },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, permission, ...owned }) =>
      ok(await presentRepository(db, services.site, actor, owned, permission)),
  }),
]

export const repositoryOperations: readonly Operation[] = [...listOperations, ...single]
