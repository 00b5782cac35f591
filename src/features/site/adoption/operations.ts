import { siteAdministrator } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { adopt, findAdoptable } from "./adopt.ts"
import { FolderFixed, removeFolder } from "./folders.ts"
import { findUnadopted } from "./list.ts"

const shared = { tag: "admin", scope: ["admin"], access: siteAdministrator } as const

const glob = (description: string) => Type.Optional(Type.String({ description }))

/** Repositories that an operator has put into the import folder, which belong to no one yet. */
export const adoptionOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "adminUnadoptedList",
    since: "0.2.0",
    route: "GET /admin/unadopted",
    summary: "List repositories in the import folder that can be adopted",
    description: "As owner/name, by owner and name: those of accounts that have no repository of that name yet.",
    paged: true,
    query: {
      query: glob("owner or owner/name, each a glob for the whole name in lower case"),
      pattern: glob("the same, for older clients"),
    },
    answers: { 200: Type.Array(Type.String()) },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, query, page }) => {
      const found = await findUnadopted(services, query.query ?? query.pattern ?? "")
      return listed(
        found.slice(page.offset, page.offset + page.limit).map(({ owner, name }) => `${owner}/${name}`),
        found.length,
      )
    },
  }),

  operation({
    ...shared,
    id: "adminAdoptRepository",
    since: "0.2.0",
    route: "POST /admin/unadopted/{owner}/{repo}",
    summary: "Adopt a repository from the import folder",
    description:
      "It becomes a private repository of the owner, with its wiki and its large files, and leaves the import folder. It is checked like a push; hooks, configuration and alternates are not taken.",
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid", "busy"],
    handle: async ({ services, me, path }) => {
      await adopt(services, me, path.owner, path.repo)
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "adminDeleteUnadoptedRepository",
    since: "0.2.0",
    route: "DELETE /admin/unadopted/{owner}/{repo}",
    summary: "Delete a repository from the import folder",
    description: "Its files are removed for good, those of its wiki too. A repository that was adopted is not touched.",
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, path }) => {
      const { folder } = await findAdoptable(services, path.owner, path.repo)
      const was = await removeFolder(folder).catch((error: unknown) => {
        throw error instanceof FolderFixed ? refuse.forbidden(error.message) : error
      })
      if (!was) throw refuse.notFound()
      return noContent()
    },
  }),
]
