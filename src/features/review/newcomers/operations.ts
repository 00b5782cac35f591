import { writesKind } from "../../../access/policies/issues.ts"
import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { onHeld, onPlanning } from "../../../access/policies/planning.ts"
import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { EditNewcomerRulesOption, HeldRequest, NewcomerRules, RejectHeldOption } from "../../planning/newcomers/records.ts"

const shared = { tag: "issue", scope: ["issue"], since: "0.2.0" } as const
const settings = { tag: "repository", scope: ["repository"], since: "0.2.0" } as const
const ofOrganization = { tag: "organization", scope: ["organization"], since: "0.2.0" } as const

const load = () => import("../../planning/newcomers/present.ts")
const loadEdit = () => import("../../planning/newcomers/edit.ts")
const loadStore = () => import("../../planning/newcomers/store.ts")

/** Issues and pull requests of newcomers that wait for approval, and what is asked of newcomers. */
export const newcomerOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoListHeldRequests",
    route: "GET /repos/{owner}/{repo}/held",
    summary: "List the issues and pull requests of newcomers that wait for approval, oldest first",
    description: "Of the kinds that the caller may write to.",
    access: onHeld,
    paged: true,
    answers: { 200: Type.Array(HeldRequest) },
    refuses: ["forbidden"],
    handle: async ({ services, db, page, ...found }) => {
      const kinds = ([0, 1] as const).filter((is_pull) => writesKind(found, { is_pull }))
      const { rows, total } = await (await loadStore()).findWaiting(db, found.repository.id, kinds, page)
      return listed(await (await load()).presentHeld(db, services.site, found.actor, rows), total)
    },
  }),

  operation({
    ...shared,
    id: "repoApproveHeldRequest",
    route: "POST /repos/{owner}/{repo}/held/{id}/approve",
    summary: "Approve an issue or pull request of a newcomer, which is created then",
    description:
      "In its author's name, with the rights that they have now; only then is anybody told of it. It goes on waiting where it can't be created. " +
      "Its author is no newcomer here any more.",
    access: onPlanning,
    archived: "refused",
    answers: { 201: HeldRequest },
    refuses: ["badRequest", "forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ services, db, path, ...found }) => {
      const { approve } = await import("./decide.ts")
      const row = await approve(services, found, path.id)
      return created(await (await load()).presentOneHeld(db, services.site, found.actor, row))
    },
  }),

  operation({
    ...shared,
    id: "repoRejectHeldRequest",
    route: "POST /repos/{owner}/{repo}/held/{id}/reject",
    summary: "Reject an issue or pull request of a newcomer",
    description: "Nobody is told. Its author sees that it was rejected.",
    access: onPlanning,
    archived: "refused",
    body: RejectHeldOption,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound", "conflict"],
    handle: async ({ services, path, body, db: _, ...found }) => {
      const { reject } = await import("./decide.ts")
      await reject(services, found, path.id, body.block ?? false)
      return noContent()
    },
  }),

  operation({
    ...shared,
    scope: ["user", "issue"],
    publicOnly: "refused",
    id: "userListHeldRequests",
    route: "GET /user/held",
    summary: "List what the caller has asked for as a newcomer, newest first",
    description: "In repositories that they may still see.",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(HeldRequest) },
    handle: async ({ services, db, actor, me, page }) => {
      const { rows, total } = await (await loadStore()).findHeldOf(db, actor, me.id, page)
      return listed(await (await load()).presentHeld(db, services.site, actor, rows), total)
    },
  }),

  operation({
    ...shared,
    scope: ["user", "issue"],
    publicOnly: "refused",
    id: "userWithdrawHeldRequest",
    route: "DELETE /user/held/{id}",
    summary: "Take back what waits for approval",
    access: signedIn,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, me, path }) => {
      const { withdrawHeld } = await loadStore()
      const gone = await services.database.write((tx) => withdrawHeld(tx, { id: path.id, authorId: me.id }))
      if (gone.length === 0) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...settings,
    id: "repoGetNewcomerRules",
    route: "GET /repos/{owner}/{repo}/newcomers",
    summary: "Get what happens to first issues and pull requests of newcomers",
    access: onRepositoryAsAdministrator,
    answers: { 200: NewcomerRules },
    refuses: ["forbidden"],
    handle: async ({ services, repository, owner }) => ok((await load()).presentRules(services.config, repository, owner)),
  }),

  operation({
    ...settings,
    id: "repoEditNewcomerRules",
    route: "PATCH /repos/{owner}/{repo}/newcomers",
    summary: "Change what happens to first issues and pull requests of newcomers",
    description: "Only members that are sent change; null is what the owner, or the site, says.",
    access: onRepositoryAsAdministrator,
    archived: "refused",
    body: EditNewcomerRulesOption,
    answers: { 200: NewcomerRules },
    refuses: ["badRequest", "forbidden", "invalid"],
    handle: async ({ services, me, repository, owner, body }) => {
      const edited = await (await loadEdit()).editRepositoryRules(services, repository.id, me, body)
      return ok((await load()).presentRules(services.config, edited, owner))
    },
  }),

  operation({
    ...ofOrganization,
    id: "orgGetNewcomerRules",
    route: "GET /orgs/{org}/newcomers",
    summary: "Get what happens to first issues and pull requests of newcomers in repositories of an organization",
    access: onOrganizationAsOwner,
    answers: { 200: NewcomerRules },
    refuses: ["forbidden"],
    handle: async ({ services, organization }) => ok((await load()).presentRules(services.config, organization)),
  }),

  operation({
    ...ofOrganization,
    id: "orgEditNewcomerRules",
    route: "PATCH /orgs/{org}/newcomers",
    summary: "Change what happens to first issues and pull requests of newcomers in repositories of an organization",
    description: "Only members that are sent change; null is what the site says. Repositories may say something else.",
    access: onOrganizationAsOwner,
    body: EditNewcomerRulesOption,
    answers: { 200: NewcomerRules },
    refuses: ["badRequest", "forbidden", "invalid"],
    handle: async ({ services, me, organization, body }) => {
      const edited = await (await loadEdit()).editOrganizationRules(services, organization.id, me, body)
      return ok((await load()).presentRules(services.config, edited))
    },
  }),
]
