import { signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { type Application, createApplication, deleteApplication, redirectsOf, replaceApplication } from "./applications.ts"
import { CreateOAuth2ApplicationOptions, OAuth2Application } from "./records.ts"
import { countApplicationsOf, findApplicationOf, findApplicationsOf } from "./store.ts"
import { newText } from "./texts.ts"

export const presentApplication = (row: Application, secret = ""): OAuth2Application => ({
  id: row.id,
  name: row.name,
  client_id: row.client_id,
  client_secret: secret,
  confidential_client: row.is_confidential === 1,
  skip_secondary_authorization: row.skips_consent === 1,
  device_flow: row.allows_device === 1,
  redirect_uris: [...redirectsOf(row)],
  created: rfc3339(row.created_at),
})

const mine = { tag: "user", scope: ["user"], access: signedIn, publicOnly: "refused" } as const

export const oauth2Operations: readonly Operation[] = [
  operation({
    ...mine,
    id: "userGetOauth2Application",
    since: "0.2.0",
    route: "GET /user/applications/oauth2",
    summary: "List the caller's OAuth2 applications, newest first",
    paged: true,
    answers: { 200: Type.Array(OAuth2Application) },
    handle: async ({ db, me, page }) => {
      const total = (await countApplicationsOf.first(db, { ownerId: me.id }))?.total ?? 0
      const rows = await findApplicationsOf(db, { ownerId: me.id, limit: page.limit, offset: page.offset })
      return listed(
        rows.map((row) => presentApplication(row)),
        total,
      )
    },
  }),

  operation({
    ...mine,
    id: "userCreateOAuth2Application",
    since: "0.2.0",
    route: "POST /user/applications/oauth2",
    summary: "Create an OAuth2 application",
    description: "The answer is the only place where its secret is told.",
    body: CreateOAuth2ApplicationOptions,
    answers: { 201: OAuth2Application },
    refuses: ["badRequest", "invalid"],
    handle: async ({ services, me, body }) => {
      const by = { owner: me, now: services.now(), config: services.config }
      const { application, secret } = await services.database.write((tx) => createApplication(tx, body, by))
      return created(presentApplication(application, secret))
    },
  }),

  operation({
    ...mine,
    id: "userGetOAuth2Application",
    since: "0.2.0",
    route: "GET /user/applications/oauth2/{id}",
    summary: "Get an OAuth2 application of the caller",
    answers: { 200: OAuth2Application },
    refuses: ["notFound"],
    handle: async ({ db, me, path }) => {
      const row = await findApplicationOf.first(db, { id: path.id, ownerId: me.id })
      if (!row) throw refuse.notFound()
      return ok(presentApplication(row))
    },
  }),

  operation({
    ...mine,
    id: "userUpdateOAuth2Application",
    since: "0.2.0",
    route: "PATCH /user/applications/oauth2/{id}",
    summary: "Replace an OAuth2 application, and its secret",
    description: "The old secret is void at once, unless it is kept. Tokens that were given to the application stay good.",
    query: { keep_secret: Type.Optional(Type.Boolean({ description: "the secret stays as it is, and is not told" })) },
    body: CreateOAuth2ApplicationOptions,
    answers: { 200: OAuth2Application },
    refuses: ["badRequest", "notFound", "invalid"],
    handle: async ({ services, me, path, query, body }) => {
      const by = { owner: me, now: services.now(), config: services.config }
      const secret = query.keep_secret ? undefined : newText("secret")
      const application = await services.database.write((tx) => replaceApplication(tx, path.id, { options: body, secret }, by))
      return ok(presentApplication(application, secret))
    },
  }),

  operation({
    ...mine,
    id: "userDeleteOAuth2Application",
    since: "0.2.0",
    route: "DELETE /user/applications/oauth2/{id}",
    summary: "Delete an OAuth2 application and revoke its grants",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, me, path }) => {
      await services.database.write((tx) => deleteApplication(tx, path.id, me))
      return noContent()
    },
  }),
]
