import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { createProtection, deleteProtection, editProtection, orderProtections } from "./edit.ts"
import { presentProtections } from "./present.ts"
import { BranchProtection, CreateBranchProtectionOption, EditBranchProtectionOption, UpdateBranchProtectionPriories } from "./records.ts"
import { findProtections } from "./store.ts"
import { tagProtectionOperations } from "./tag-operations.ts"

const shared = { tag: "repository", scope: ["repository"], access: onRepositoryAsAdministrator } as const
const SWITCHES =
  "What stands under enable_push or enable_force_push counts only together with it. Those listed who could not write anyway are left out."

/** Operations on branch protections. */
const branchProtectionOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoListBranchProtection",
    route: "GET /repos/{owner}/{repo}/branch_protections",
    summary: "List the branch protections",
    description: "In the order in which they are asked. They are not paged.",
    answers: { 200: Type.Array(BranchProtection) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, repository }) => ok(await presentProtections(db, await findProtections(db, repository.id))),
  }),

  operation({
    ...shared,
    id: "repoCreateBranchProtection",
    route: "POST /repos/{owner}/{repo}/branch_protections",
    summary: "Create a branch protection",
    description: SWITCHES,
    archived: "refused",
    body: CreateBranchProtectionOption,
    answers: { 201: BranchProtection },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, owner, me, actor, body }) =>
      created(
        await services.database.write(async (tx) => {
          const rule = await createProtection(tx, services, { repository, owner, me, actor }, body)
          return only(await presentProtections(tx, [rule]))
        }),
      ),
  }),

  operation({
    ...shared,
    id: "repoUpdateBranchProtectionPriories",
    route: "POST /repos/{owner}/{repo}/branch_protections/priority",
    summary: "Set the order of branch protections",
    description: "Those named get the priorities 1, 2 and so on.",
    archived: "refused",
    body: UpdateBranchProtectionPriories,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, body: { ids = [] } }) => {
      await services.database.write((tx) => orderProtections(tx, services, repository.id, ids, me))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoGetBranchProtection",
    route: "GET /repos/{owner}/{repo}/branch_protections/{name}",
    summary: "Get a branch protection",
    answers: { 200: BranchProtection },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, repository, path }) => {
      const rule = (await findProtections(db, repository.id)).find(({ rule_name }) => rule_name === path.name)
      if (!rule) throw refuse.notFound()
      return ok(only(await presentProtections(db, [rule])))
    },
  }),

  operation({
    ...shared,
    id: "repoEditBranchProtection",
    route: "PATCH /repos/{owner}/{repo}/branch_protections/{name}",
    summary: "Edit a branch protection",
    description: `What is not sent stays as it is, and so does the name. ${SWITCHES}`,
    archived: "refused",
    body: EditBranchProtectionOption,
    answers: { 200: BranchProtection },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, owner, me, actor, path, body }) =>
      ok(
        await services.database.write(async (tx) => {
          const rule = await editProtection(tx, services, { repository, owner, me, actor }, path.name, body)
          return only(await presentProtections(tx, [rule]))
        }),
      ),
  }),

  operation({
    ...shared,
    id: "repoDeleteBranchProtection",
    route: "DELETE /repos/{owner}/{repo}/branch_protections/{name}",
    summary: "Delete a branch protection",
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, repository, me, path }) => {
      await services.database.write((tx) => deleteProtection(tx, services, repository.id, path.name, me))
      return noContent()
    },
  }),
]

function only<R>([record]: readonly R[]): R {
  if (record === undefined) throw new TypeError("one rule makes one record")
  return record
}

export const protectionOperations: readonly Operation[] = [...branchProtectionOperations, ...tagProtectionOperations]
