import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { created, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentTagProtections } from "./present.ts"
import { CreateTagProtectionOption, EditTagProtectionOption, TagProtection } from "./records.ts"
import { findTagProtections, type TagProtection as Rule } from "./store.ts"
import { createTagProtection, deleteTagProtection, editTagProtection, findTagProtection } from "./tags.ts"

const shared = { tag: "repository", scope: ["repository"], access: onRepositoryAsAdministrator } as const

/** Operations on tag protections. */
export const tagProtectionOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoListTagProtection",
    route: "GET /repos/{owner}/{repo}/tag_protections",
    summary: "List the tag protections",
    description: "Oldest first. They are not paged.",
    answers: { 200: Type.Array(TagProtection) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, repository }) => ok(await presentTagProtections(db, await findTagProtections(db, repository.id))),
  }),

  operation({
    ...shared,
    id: "repoCreateTagProtection",
    route: "POST /repos/{owner}/{repo}/tag_protections",
    summary: "Create a tag protection",
    description: "Only those listed may make, move and delete tags that it is about.",
    archived: "refused",
    body: CreateTagProtectionOption,
    answers: { 201: TagProtection },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, owner, me, actor, body }) =>
      created(
        await services.database.write(async (tx) =>
          present(tx, await createTagProtection(tx, { repository, owner, me, actor }, body, services)),
        ),
      ),
  }),

  operation({
    ...shared,
    id: "repoGetTagProtection",
    route: "GET /repos/{owner}/{repo}/tag_protections/{id}",
    summary: "Get a tag protection",
    answers: { 200: TagProtection },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, repository, path }) => ok(await present(db, await findTagProtection(db, repository.id, path.id))),
  }),

  operation({
    ...shared,
    id: "repoEditTagProtection",
    route: "PATCH /repos/{owner}/{repo}/tag_protections/{id}",
    summary: "Edit a tag protection",
    description: "What is not sent stays as it is.",
    archived: "refused",
    body: EditTagProtectionOption,
    answers: { 200: TagProtection },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, owner, me, actor, path, body }) =>
      ok(
        await services.database.write(async (tx) =>
          present(tx, await editTagProtection(tx, { repository, owner, me, actor }, path.id, body, services.now())),
        ),
      ),
  }),

  operation({
    ...shared,
    id: "repoDeleteTagProtection",
    route: "DELETE /repos/{owner}/{repo}/tag_protections/{id}",
    summary: "Delete a tag protection",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, repository, me, path }) => {
      await services.database.write((tx) => deleteTagProtection(tx, repository.id, path.id, me))
      return noContent()
    },
  }),
]

async function present(db: Handle, rule: Rule): Promise<TagProtection> {
  const [record] = await presentTagProtections(db, [rule])
  if (!record) throw new TypeError("one rule makes one record")
  return record
}
