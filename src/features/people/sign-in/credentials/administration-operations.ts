import { siteAdministrator } from "../../../../access/policies/site.ts"
import { refuse } from "../../../../core/errors.ts"
import { listed, noContent, type Operation, operation } from "../../../../core/operation.ts"
import Type from "../../../../core/schema.ts"
import { describeToken } from "./operations.ts"
import { SiteAccessToken } from "./records.ts"
import { findTokenById, listTokens } from "./store.ts"
import { deleteToken } from "./tokens.ts"

const shared = { tag: "admin", scope: ["admin"], access: siteAdministrator, since: "0.2.0" } as const

/** The access tokens of all people, for administrators. */
export const tokenAdministrationOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "adminListTokens",
    route: "GET /admin/tokens",
    summary: "List the access tokens of all users, those used last first",
    paged: true,
    query: {
      q: Type.Optional(Type.String({ description: "part of the owner's name or of the token's, or its last eight characters" })),
      never_expires: Type.Optional(Type.Boolean({ description: "only those without an end, or only those with one" })),
    },
    answers: { 200: Type.Array(SiteAccessToken) },
    refuses: ["forbidden"],
    handle: async ({ db, actor, query, page }) => {
      const { rows, total } = await listTokens(db, { keyword: query.q?.trim() ?? "", neverExpires: query.never_expires }, page)
      const { reachesOf } = await import("./reach.ts")
      const reaches = await reachesOf(db, actor, rows)
      return listed(
        rows.map((row) => ({
          ...describeToken(row, reaches(row)),
          token_last_eight: row.last_eight,
          user: { id: row.user_id, login: row.user_name },
        })),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "adminDeleteToken",
    route: "DELETE /admin/tokens/{id}",
    summary: "Revoke an access token of any user",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, path }) => {
      await services.database.write(async (tx) => {
        const token = await findTokenById.first(tx, { id: path.id })
        if (!token) throw refuse.notFound()
        await deleteToken(tx, token, me)
      })
      return noContent()
    },
  }),
]
