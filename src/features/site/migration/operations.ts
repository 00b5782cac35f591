import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { requireAccount, signedIn, siteAdministrator } from "../../../access/policies/site.ts"
import { findUserByName } from "../../../access/store.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { MigrateRepoOptions, RepositoryImport } from "../../code/mirrors/records.ts"
import type { Import } from "../../code/mirrors/store.ts"
import { EVERYTHING, presentRepository } from "../../code/repositories/present.ts"
import { Repository } from "../../code/repositories/records.ts"
import { findImport, findImportOf, findImportsByIds, listFaults, listImports } from "./imports-store.ts"
import { presentImport } from "./progress.ts"
import {
  AssignImportedPersonOption,
  CreateImportsOptions,
  ImportedPerson,
  ImportFault,
  ImportPreview,
  PreviewImportOptions,
  StartImportOptions,
} from "./records.ts"
import type { listPeople } from "./writers/people-store.ts"

const shared = { tag: "repository", scope: ["repository"] } as const
const since = "0.2.0"
const own = { tag: "user", scope: ["user", "repository"], access: signedIn, publicOnly: "refused", since } as const
const forAdministrators = { tag: "admin", scope: ["admin"], access: siteAdministrator, since } as const

/** The import of a repository. Refuses `notFound` where it was not imported. */
async function importOf(db: Handle, repositoryId: number): Promise<Import> {
  const row = await findImportOf.first(db, { repositoryId })
  if (!row) throw refuse.notFound()
  return row
}

/** One of the caller's own imports; nobody learns of those of others. */
async function ownImport(db: Handle, id: number, doerId: number): Promise<Import> {
  const row = await findImport.first(db, { id })
  if (row?.doer_id !== doerId) throw refuse.notFound()
  return row
}

const fullName = ({ owner_name, repository_name }: { readonly owner_name: string | null; readonly repository_name: string | null }) =>
  owner_name === null || repository_name === null ? null : `${owner_name}/${repository_name}`

const named = async (db: Handle, actor: Actor, { id }: Pick<Import, "id">): Promise<RepositoryImport> => {
  const [row] = await findImportsByIds(db, actor, [id])
  if (!row) throw refuse.notFound()
  return presentImport(row, fullName(row))
}

type PersonRow = Awaited<ReturnType<typeof listPeople>>["rows"][number]

const presentPerson = ({ id, host, login, name, waiting, user_name }: Omit<PersonRow, "source_key" | "mail" | "user_id">) => ({
  id,
  host,
  login,
  name,
  user: user_name,
  waiting: Number(waiting),
})

/** The most people of other servers who can have one of somebody's addresses and are listed. */
const MOST_OWN = 200

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
    refuses: ["forbidden", "conflict", "invalid", "tooMany"],
    handle: async ({ services, actor, query, body }) => {
      const { migrateRepository } = await import("./migrate.ts")
      const owned = await migrateRepository(services, actor, body, { waits: query.wait ?? true })
      return created(await presentRepository(services.database.read, services.site, actor, owned, EVERYTHING))
    },
  }),

  operation({
    ...shared,
    id: "repoPreviewImport",
    since,
    route: "POST /repos/migrate/preview",
    summary: "Look at what an import would bring",
    description: "Asks the other server, for up to 30 seconds. Nothing is stored.",
    access: signedIn,
    body: PreviewImportOptions,
    answers: { 200: ImportPreview },
    refuses: ["forbidden", "invalid", "tooMany"],
    handle: async ({ services, body }) => ok(await (await import("./preview.ts")).previewImport(services, body)),
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
    handle: async ({ db, owner, repository }) => ok(presentImport(await importOf(db, repository.id), `${owner.name}/${repository.name}`)),
  }),

  operation({
    ...shared,
    id: "repoListImportFaults",
    since,
    route: "GET /repos/{owner}/{repo}/import/faults",
    summary: "List what an import could not bring",
    access: onRepositoryAsAdministrator,
    paged: true,
    answers: { 200: Type.Array(ImportFault) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, repository, page }) => {
      const { rows, total } = await listFaults(db, (await importOf(db, repository.id)).id, page)
      return listed(
        rows.map(({ kind, source_key: key, message }) => ({ kind, key, message })),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "repoStopImport",
    since,
    route: "POST /repos/{owner}/{repo}/import/stop",
    summary: "Stop an import",
    description: "What has come stays, and POST /repos/{owner}/{repo}/import/start goes on from there. Stopping it again changes nothing.",
    access: onRepositoryAsAdministrator,
    archived: "refused",
    answers: { 200: RepositoryImport },
    refuses: ["forbidden", "notFound", "conflict", "archived"],
    handle: async ({ services, db, actor, repository }) => {
      const { stopRun } = await import("./runs.ts")
      return ok(await named(services.database.read, actor, await stopRun(services, await importOf(db, repository.id))))
    },
  }),

  operation({
    ...shared,
    id: "repoStartImport",
    since,
    route: "POST /repos/{owner}/{repo}/import/start",
    summary: "Continue an import, or repeat it",
    description:
      "One that was stopped or has failed goes on where it was. One that is done is repeated: what is new or has changed there since comes, what was changed here stays. It goes on in the name of the caller. Credentials are forgotten when an import ends, so that private repositories need them again.",
    access: onRepositoryAsAdministrator,
    archived: "refused",
    body: StartImportOptions,
    answers: { 200: RepositoryImport },
    refuses: ["forbidden", "notFound", "conflict", "invalid", "tooMany", "archived"],
    handle: async ({ services, db, actor, repository, body }) => {
      const { startRun } = await import("./runs.ts")
      return ok(await named(services.database.read, actor, await startRun(services, actor, await importOf(db, repository.id), body)))
    },
  }),

  operation({
    ...own,
    id: "userListImports",
    route: "GET /user/imports",
    summary: "List the caller's imports, newest first",
    paged: true,
    answers: { 200: Type.Array(RepositoryImport) },
    refuses: ["forbidden"],
    handle: async ({ db, actor, page }) => {
      const { rows, total } = await listImports(db, actor, page)
      return listed(
        rows.map((row) => presentImport(row, fullName(row))),
        total,
      )
    },
  }),

  operation({
    ...own,
    id: "userCreateImports",
    route: "POST /user/imports",
    summary: "Import several repositories from another server",
    description:
      "Each waits for its turn: two of a person go on at a time, and 500 may be unfinished. GET /user/imports tells how far they are.",
    body: CreateImportsOptions,
    answers: { 201: Type.Array(RepositoryImport) },
    refuses: ["forbidden", "invalid", "tooMany"],
    handle: async (call) => {
      requireAccount(call)
      const { services, actor, body } = call
      const { queueImports } = await import("./queue.ts")
      const rows = await findImportsByIds(services.database.read, actor, await queueImports(services, actor, body))
      return created(rows.map((row) => presentImport(row, fullName(row))))
    },
  }),

  operation({
    ...own,
    id: "userStopImport",
    route: "POST /user/imports/{id}/stop",
    summary: "Stop one of the caller's imports",
    description: "Also one that still waits for its turn. Stopping it again changes nothing.",
    answers: { 200: RepositoryImport },
    refuses: ["forbidden", "notFound", "conflict"],
    handle: async ({ services, db, me, actor, path }) => {
      const { stopRun } = await import("./runs.ts")
      return ok(await named(services.database.read, actor, await stopRun(services, await ownImport(db, path.id, me.id))))
    },
  }),

  operation({
    ...own,
    id: "userStartImport",
    route: "POST /user/imports/{id}/start",
    summary: "Continue one of the caller's imports, or repeat it",
    description: "Like POST /repos/{owner}/{repo}/import/start, also for one that has no repository yet.",
    body: StartImportOptions,
    answers: { 200: RepositoryImport },
    refuses: ["forbidden", "notFound", "conflict", "invalid", "tooMany"],
    handle: async ({ services, db, me, actor, path, body }) => {
      const { startOwnRun } = await import("./runs.ts")
      return ok(await named(services.database.read, actor, await startOwnRun(services, actor, await ownImport(db, path.id, me.id), body)))
    },
  }),

  operation({
    ...own,
    id: "userListImportedPeople",
    route: "GET /user/imports/people",
    summary: "List the people of other servers whose texts the caller may take over",
    description: "Those whose verified address there is a verified one of the caller's here; at most 200.",
    answers: { 200: Type.Array(ImportedPerson) },
    refuses: ["forbidden"],
    handle: async ({ db, me }) => {
      const { findOwnPeople } = await import("./writers/people-store.ts")
      const rows = await findOwnPeople(db, { userId: me.id, limit: MOST_OWN })
      return ok(rows.map((row) => presentPerson({ ...row, user_name: row.user_id === 0 ? null : me.name })))
    },
  }),

  operation({
    ...own,
    id: "userClaimImportedPerson",
    route: "POST /user/imports/people/{id}",
    summary: "Take over the imported texts of a person of another server",
    description:
      "Issues, comments, reviews, releases and reactions become the caller's; soon, not at once. Only for people of GET /user/imports/people.",
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "conflict"],
    handle: async (call) => {
      requireAccount(call)
      const { claimPerson } = await import("./claims.ts")
      await claimPerson(call.services, call.path.id, call.me)
      return noContent()
    },
  }),

  operation({
    ...forAdministrators,
    id: "adminListImportedPeople",
    route: "GET /admin/imports/people",
    summary: "List the people of other servers whose texts were imported",
    paged: true,
    query: {
      q: Type.Optional(Type.String({ description: "how the login there begins" })),
      open: Type.Optional(Type.Boolean({ description: "true: only those whose texts nobody has taken over" })),
    },
    answers: { 200: Type.Array(ImportedPerson) },
    refuses: ["forbidden"],
    handle: async ({ db, query, page }) => {
      const { listPeople } = await import("./writers/people-store.ts")
      const { rows, total } = await listPeople(db, { begins: query.q ?? "", isOpen: query.open ?? false }, page)
      return listed(rows.map(presentPerson), total)
    },
  }),

  operation({
    ...forAdministrators,
    id: "adminAssignImportedPerson",
    route: "PUT /admin/imports/people/{id}",
    summary: "Say who a person of another server is here",
    description: "Their texts become that account's; soon, not at once, and it can't be taken back.",
    body: AssignImportedPersonOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ services, db, path, body }) => {
      const user = await findUserByName.first(db, { lowerName: body.login.toLowerCase() })
      if (user?.kind !== "person") throw refuse.invalid("login", t`there is no one called ${body.login} here`)
      const { assignPerson } = await import("./claims.ts")
      await assignPerson(services, path.id, user.id)
      return noContent()
    },
  }),
]
