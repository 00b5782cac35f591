import { anyDeletion, deletionIn, deletionOf, deletionToRestore, restorableKinds } from "../../../access/policies/deletions.ts"
import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { onRepositoryAsAdministrator, onRepositorySignedIn } from "../../../access/policies/repositories.ts"
import { signedIn, siteAdministrator } from "../../../access/policies/site.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { knownWord } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { DELETION_KINDS, DeletedThing, RestoredThing, RestoreRepositoryOption } from "./records.ts"

const since = "0.2.0"
const inRepository = { tag: "repository", scope: ["repository"], since } as const
const mine = { tag: "user", scope: ["user"], publicOnly: "refused", since } as const
const ofOrganization = { tag: "organization", scope: ["organization"], publicOnly: "refused", since } as const
const ofSite = { tag: "admin", scope: ["admin"], since } as const

const LIST =
  "Newest first, each with its time and who deleted it; what it contained is shown once it is restored. Empty where the site keeps nothing (`undo.keepSeconds`)."
const REPOSITORY =
  "Under its name, or under `name` where that is taken. It comes back with all that it had: code, issues, files, collaborators, watchers, stars, forks, secrets, keys, webhooks, runners, mirrors, schedules and links of packages. Pull requests from it to others stay closed, workflow runs that had not ended are cancelled, and an offered transfer is over."
const FOR_GOOD = "It can't be restored from then on, and its files are removed; what it had taken is free."

/** What was deleted and can be restored, for those who may. */
export const undoOperations: readonly Operation[] = [
  operation({
    ...inRepository,
    id: "repoListDeleted",
    route: "GET /repos/{owner}/{repo}/deleted",
    summary: "List what can be restored in a repository",
    description: `Issues, pull requests, comments, branches, labels, milestones and releases that the caller may restore. ${LIST}`,
    access: onRepositorySignedIn,
    changesWithTime: true,
    paged: true,
    query: { kind: Type.Optional(knownWord(DELETION_KINDS, { description: "only those of this kind" })) },
    answers: { 200: Type.Array(DeletedThing) },
    refuses: ["notFound"],
    handle: async ({ db, services, me, query, page, owner, repository, permission }) => {
      const may = restorableKinds({ owner, repository, permission })
      const kinds = query.kind === undefined ? may : may.filter((kind) => kind === query.kind)
      const own = query.kind === undefined || query.kind === "comment" ? me.id : undefined
      const { listDeleted } = await import("./lists.ts")
      const { records, total } = await listDeleted(db, services, { repositoryId: repository.id, kinds, commentsBy: own }, page)
      return listed(records, total)
    },
  }),

  operation({
    ...inRepository,
    id: "repoRestoreDeleted",
    route: "POST /repos/{owner}/{repo}/deleted/{id}/restore",
    summary: "Restore what was deleted in a repository",
    description:
      "It gets its id and number back, and what belonged to it. What it referred to and is gone by now is left out and counted in `left_out`. Issues and pull requests take an administrator of the repository, the others those who may delete such a thing; a comment also its author, where they deleted it themselves.",
    access: onRepositorySignedIn,
    archived: "refused",
    answers: { 200: RestoredThing },
    refuses: ["forbidden", "notFound", "conflict"],
    handle: async (call) => {
      const deletion = await deletionToRestore(call)
      return ok(await (await import("./restore.ts")).restoreIn(call.services, { ...call, deletion }))
    },
  }),

  operation({
    ...inRepository,
    id: "repoPurgeDeleted",
    route: "DELETE /repos/{owner}/{repo}/deleted/{id}",
    summary: "Delete for good what was deleted in a repository",
    description: FOR_GOOD,
    access: onRepositoryAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async (call) => {
      await (await import("./lists.ts")).purge(call.services, call.me, await deletionIn(call))
      return noContent()
    },
  }),

  operation({
    ...mine,
    id: "userListDeleted",
    route: "GET /user/deleted",
    summary: "List your deleted repositories that can be restored",
    description: LIST,
    access: signedIn,
    changesWithTime: true,
    paged: true,
    answers: { 200: Type.Array(DeletedThing) },
    handle: async ({ db, services, me, page }) => {
      const { records, total } = await (await import("./lists.ts")).listDeleted(db, services, { ownerId: me.id }, page)
      return listed(records, total)
    },
  }),

  operation({
    ...mine,
    id: "userRestoreDeleted",
    route: "POST /user/deleted/{id}/restore",
    summary: "Restore a repository of yours",
    description: REPOSITORY,
    access: signedIn,
    body: RestoreRepositoryOption,
    answers: { 200: RestoredThing },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async (call) => {
      const found = { me: call.me, deletion: await deletionOf(call, call.me) }
      return ok(await (await import("./restore-repository.ts")).restoreRepository(call.services, found, call.body.name || undefined))
    },
  }),

  operation({
    ...mine,
    id: "userPurgeDeleted",
    route: "DELETE /user/deleted/{id}",
    summary: "Delete a repository of yours for good",
    description: FOR_GOOD,
    access: signedIn,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async (call) => {
      await (await import("./lists.ts")).purge(call.services, call.me, await deletionOf(call, call.me))
      return noContent()
    },
  }),

  operation({
    ...ofOrganization,
    id: "orgListDeleted",
    route: "GET /orgs/{org}/deleted",
    summary: "List deleted repositories and labels of an organization that can be restored",
    description: LIST,
    access: onOrganizationAsOwner,
    changesWithTime: true,
    paged: true,
    answers: { 200: Type.Array(DeletedThing) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, organization, page }) => {
      const { records, total } = await (await import("./lists.ts")).listDeleted(db, services, { ownerId: organization.id }, page)
      return listed(records, total)
    },
  }),

  operation({
    ...ofOrganization,
    id: "orgRestoreDeleted",
    route: "POST /orgs/{org}/deleted/{id}/restore",
    summary: "Restore a repository or a label of an organization",
    description: REPOSITORY,
    access: onOrganizationAsOwner,
    body: RestoreRepositoryOption,
    answers: { 200: RestoredThing },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async (call) => {
      const { services, me, organization, body } = call
      const deletion = await deletionOf(call, organization)
      if (deletion.kind === "repository")
        return ok(await (await import("./restore-repository.ts")).restoreRepository(services, { me, deletion }, body.name || undefined))
      const { restoreLabel } = await import("./restore.ts")
      const url = `${services.site.rootUrl}/org/${organization.name}/settings/labels`
      return ok(await services.database.write((tx) => restoreLabel(tx, services, { me, deletion }, null, url)))
    },
  }),

  operation({
    ...ofOrganization,
    id: "orgPurgeDeleted",
    route: "DELETE /orgs/{org}/deleted/{id}",
    summary: "Delete a repository or a label of an organization for good",
    description: FOR_GOOD,
    access: onOrganizationAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async (call) => {
      await (await import("./lists.ts")).purge(call.services, call.me, await deletionOf(call, call.organization))
      return noContent()
    },
  }),

  operation({
    ...ofSite,
    id: "adminListDeleted",
    route: "GET /admin/deleted",
    summary: "List everything that can be restored",
    description: LIST,
    access: siteAdministrator,
    changesWithTime: true,
    paged: true,
    answers: { 200: Type.Array(DeletedThing) },
    refuses: ["forbidden"],
    handle: async ({ db, services, page }) => {
      const { records, total } = await (await import("./lists.ts")).listDeleted(db, services, {}, page)
      return listed(records, total)
    },
  }),

  operation({
    ...ofSite,
    id: "adminPurgeDeleted",
    route: "DELETE /admin/deleted/{id}",
    summary: "Delete anything for good that was deleted",
    description: FOR_GOOD,
    access: siteAdministrator,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async (call) => {
      await (await import("./lists.ts")).purge(call.services, call.me, await anyDeletion(call))
      return noContent()
    },
  }),
]
