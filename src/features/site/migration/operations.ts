import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { created, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { MigrateRepoOptions, RepositoryImport } from "../../code/mirrors/records.ts"
import { EVERYTHING, presentRepository } from "../../code/repositories/present.ts"
import { Repository } from "../../code/repositories/records.ts"
import { findImportOf } from "./imports-store.ts"
import { migrateRepository } from "./migrate.ts"
import { presentImport } from "./progress.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

/** Importing repositories from other servers. */
export const migrationOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoMigrate",
    route: "POST /repos/migrate",
    summary: "Import a repository from another server",
    description:
      "By its http or https address. With mirror it goes on following the repository there. The answer waits for up to 50 seconds; what takes longer goes on, and GET /repos/{owner}/{repo}/import tells how far it is.",
    access: signedIn,
    query: {
      wait: Type.Optional(
        Type.Boolean({ description: "false: the answer does not wait, and a repository that could not be brought stays, empty" }),
      ),
    },
    body: MigrateRepoOptions,
    answers: { 201: Repository },
    refuses: ["forbidden", "conflict", "invalid"],
    handle: async ({ services, actor, query, body }) => {
      const owned = await migrateRepository(services, actor, body, { waits: query.wait ?? true })
      return created(await presentRepository(services.database.read, services.site, actor, owned, EVERYTHING))
    },
  }),

  operation({
    ...shared,
    id: "repoGetImport",
    route: "GET /repos/{owner}/{repo}/import",
    summary: "Get the progress of an import",
    description: "Of one that was brought here from another server: each step with how much of it is done, and why it failed if it did.",
    access: onRepositoryAsAdministrator,
    answers: { 200: RepositoryImport },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, repository }) => {
      const row = await findImportOf.first(db, { repositoryId: repository.id })
      if (!row) throw refuse.notFound()
      return ok(presentImport(row))
    },
  }),
]
