import { onRepositoryAsAdministrator, onRepositoryUnit } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { migrateRepository } from "../../site/migration/migrate.ts"
import { presentImport } from "../../site/migration/progress.ts"
import { EVERYTHING, presentRepository } from "../repositories/present.ts"
import { Repository } from "../repositories/records.ts"
import { syncJob } from "./jobs.ts"
import { addPushMirror, presentPushMirror, pushToAll } from "./push-rules.ts"
import { CreatePushMirrorOption, MigrateRepoOptions, PushMirror, RepositoryImport } from "./records.ts"
import { findImportOf, findPushMirrorByName, listPushMirrors, removePushMirror } from "./store.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

export const mirrorOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoMigrate",
    route: "POST /repos/migrate",
    summary: "Bring a repository here from another server",
    description:
      "By its http or https address. With mirror it goes on following the repository there. The answer waits for up to 50 seconds; what takes longer goes on, and GET /repos/{owner}/{repo}/import tells how far it is.",
    access: signedIn,
    body: MigrateRepoOptions,
    answers: { 201: Repository },
    refuses: ["forbidden", "conflict", "invalid"],
    handle: async ({ services, actor, body }) => {
      const owned = await migrateRepository(services, actor, body)
      return created(await presentRepository(services.database.read, services.site, actor, owned, EVERYTHING))
    },
  }),

  operation({
    ...shared,
    id: "repoGetImport",
    route: "GET /repos/{owner}/{repo}/import",
    summary: "See how far the import of a repository is",
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

  operation({
    ...shared,
    id: "repoMirrorSync",
    route: "POST /repos/{owner}/{repo}/mirror-sync",
    summary: "Have a mirror synchronised",
    description: "It is done soon after this is answered; mirror_last_sync_at tells when it was.",
    access: onRepositoryUnit("code", "write"),
    archived: "refused",
    answers: { 200: null },
    refuses: ["badRequest", "forbidden", "notFound", "archived"],
    handle: async ({ services, repository }) => {
      if (repository.is_mirror === 0) throw refuse.badRequest("repository is not a mirror")
      await services.database.write((tx) => enqueueOnce(tx, services.jobs, syncJob, { repositoryId: repository.id }))
      return ok(undefined)
    },
  }),

  operation({
    ...shared,
    id: "repoListPushMirrors",
    route: "GET /repos/{owner}/{repo}/push_mirrors",
    summary: "List a repository's mirrors elsewhere",
    access: onRepositoryAsAdministrator,
    paged: true,
    answers: { 200: Type.Array(PushMirror) },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, db, repository, page }) => {
      requireMirrors(services)
      const { rows, total } = await listPushMirrors(db, repository.id, page)
      return listed(
        rows.map((row) => presentPushMirror(repository, row)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "repoAddPushMirror",
    route: "POST /repos/{owner}/{repo}/push_mirrors",
    summary: "Make a mirror of a repository elsewhere",
    description: "Its branches and tags are made what they are here; what is there beside them is removed.",
    access: onRepositoryAsAdministrator,
    body: CreatePushMirrorOption,
    answers: { 200: PushMirror },
    refuses: ["badRequest", "badCredentials", "forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, body }) => {
      requireMirrors(services)
      return ok(presentPushMirror(repository, await addPushMirror(services, repository, body)))
    },
  }),

  operation({
    ...shared,
    id: "repoPushMirrorSync",
    route: "POST /repos/{owner}/{repo}/push_mirrors-sync",
    summary: "Push to a repository's mirrors elsewhere now",
    description: "Answered once all of them have been pushed to.",
    access: onRepositoryAsAdministrator,
    answers: { 200: null },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ services, repository }) => {
      requireMirrors(services)
      await pushToAll(services, repository.id, new AbortController().signal)
      return ok(undefined)
    },
  }),

  operation({
    ...shared,
    id: "repoGetPushMirrorByRemoteName",
    route: "GET /repos/{owner}/{repo}/push_mirrors/{name}",
    summary: "Get one of a repository's mirrors elsewhere",
    access: onRepositoryAsAdministrator,
    answers: { 200: PushMirror },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, db, repository, path }) => {
      requireMirrors(services)
      const mirror = await findPushMirrorByName.first(db, { repositoryId: repository.id, name: nameOf(path.name) })
      if (!mirror) throw refuse.notFound()
      return ok(presentPushMirror(repository, mirror))
    },
  }),

  operation({
    ...shared,
    id: "repoDeletePushMirror",
    route: "DELETE /repos/{owner}/{repo}/push_mirrors/{name}",
    summary: "End a mirror elsewhere",
    description: "What was pushed there stays there.",
    access: onRepositoryAsAdministrator,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, repository, path }) => {
      requireMirrors(services)
      const place = { repositoryId: repository.id, name: nameOf(path.name) }
      if ((await services.database.write((tx) => removePushMirror.changes(tx, place))) === 0) throw refuse.notFound()
      return noContent()
    },
  }),
]

/** Refuses `badRequest` where the site has no mirrors elsewhere. */
function requireMirrors({ config }: Services): void {
  if (!config.mirror.enabled) throw refuse.badRequest("mirrors are switched off on this site")
}

/** PostgreSQL knows no text with this character; nothing is called so. */
const nameOf = (name: string): string => (name.includes("\0") ? "" : name)
