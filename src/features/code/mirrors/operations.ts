import { onRepositoryAsAdministrator, onRepositoryUnit } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { syncJob } from "./jobs.ts"
import { addPushMirror, dropPushMirror, presentPushMirror, pushToAll } from "./push-rules.ts"
import { CreatePushMirrorOption, PushMirror } from "./records.ts"
import { findPushMirrorByName, listPushMirrors } from "./store.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

export const mirrorOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoMirrorSync",
    route: "POST /repos/{owner}/{repo}/mirror-sync",
    summary: "Synchronize a pull mirror",
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
    summary: "List a repository's push mirrors",
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
    summary: "Add a push mirror",
    description: "Its branches and tags are made what they are here; what is there beside them is removed.",
    access: onRepositoryAsAdministrator,
    body: CreatePushMirrorOption,
    answers: { 200: PushMirror },
    refuses: ["badRequest", "badCredentials", "forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, body }) => {
      requireMirrors(services)
      return ok(presentPushMirror(repository, await addPushMirror(services, repository, me, body)))
    },
  }),

  operation({
    ...shared,
    id: "repoPushMirrorSync",
    route: "POST /repos/{owner}/{repo}/push_mirrors-sync",
    summary: "Synchronize a repository's push mirrors",
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
    summary: "Get a push mirror",
    access: onRepositoryAsAdministrator,
    answers: { 200: PushMirror },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, db, repository, path }) => {
      requireMirrors(services)
      const mirror = await findPushMirrorByName.first(db, { repositoryId: repository.id, name: path.name })
      if (!mirror) throw refuse.notFound()
      return ok(presentPushMirror(repository, mirror))
    },
  }),

  operation({
    ...shared,
    id: "repoDeletePushMirror",
    route: "DELETE /repos/{owner}/{repo}/push_mirrors/{name}",
    summary: "Delete a push mirror",
    description: "What was pushed there stays there.",
    access: onRepositoryAsAdministrator,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound"],
    handle: async ({ services, repository, me, path }) => {
      requireMirrors(services)
      await services.database.write((tx) => dropPushMirror(tx, repository.id, path.name, me))
      return noContent()
    },
  }),
]

/** Refuses `badRequest` if mirrors are switched off. */
function requireMirrors({ config }: Services): void {
  if (!config.mirror.enabled) throw refuse.badRequest("mirrors are switched off on this site")
}
