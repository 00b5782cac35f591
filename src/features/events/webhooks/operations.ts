import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { accepted, created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { presentDelivery, presentDeliveryDetails, presentHook } from "./present.ts"
import { CreateHookOption, EditGitHookOption, EditHookOption, GitHook, Hook, HookDelivery, HookDeliveryDetails } from "./records.ts"
import { createWebhook, deleteWebhook, editWebhook, redeliver } from "./rules.ts"
import { type HookScope, inEveryScope, propertiesOf } from "./scopes.ts"
import { type Delivery, findDeliveries, findDelivery, findWebhook, findWebhooks, type HookOwner } from "./store.ts"
import { testWebhook } from "./test-delivery.ts"

async function requireDelivery(db: Handle, owner: HookOwner, id: number, deliveryId: number): Promise<Delivery> {
  const delivery = (await findWebhook(db, owner, id)) && (await findDelivery.first(db, { id: deliveryId }))
  if (delivery?.webhook_id !== id) throw refuse.notFound()
  return delivery
}

const SORT = Type.Optional(oneOf(["system", "default", "all"], { default: "system" }))

/** Listing the webhooks of a scope; the site has two sorts. */
const listIn = (scope: HookScope): Operation => {
  const shared = {
    ...propertiesOf(scope),
    id: `${scope.id}ListHooks`,
    route: `GET ${scope.prefix}/hooks`,
    summary: `List ${scope.whose} webhooks`,
    paged: true,
    answers: { 200: Type.Array(Hook) },
  } as const
  if (scope.id !== "admin")
    return operation({
      ...shared,
      handle: async ({ db, owner, page }) => {
        const { rows, total } = await findWebhooks(db, owner, page)
        return listed(rows.map(presentHook), total)
      },
    })
  return operation({
    ...shared,
    description: "System webhooks are told of every repository. Default ones are told of nothing, and copied into each new repository.",
    query: { type: SORT },
    handle: async ({ db, query, page }) => {
      const { rows, total } = await findWebhooks(db, { of: "site", sort: query.type ?? "system" }, page)
      return listed(rows.map(presentHook), total)
    },
  })
}

const scoped = inEveryScope((scope) => [
  listIn(scope),

  operation({
    ...propertiesOf(scope),
    id: `${scope.id}CreateHook`,
    route: `POST ${scope.prefix}/hooks`,
    summary: `Create one of ${scope.whose} webhooks`,
    description: "It is switched off unless active is sent.",
    body: CreateHookOption,
    answers: { 201: Hook },
    refuses: ["badRequest", "invalid"],
    handle: async ({ services, actor, owner, body }) =>
      created(presentHook(await services.database.write((tx) => createWebhook(tx, services, owner, actor, body)))),
  }),

  operation({
    ...propertiesOf(scope),
    id: `${scope.id}GetHook`,
    route: `GET ${scope.prefix}/hooks/{id}`,
    summary: `Get one of ${scope.whose} webhooks`,
    answers: { 200: Hook },
    refuses: ["notFound"],
    handle: async ({ db, owner, path }) => {
      const row = await findWebhook(db, owner, path.id)
      if (!row) throw refuse.notFound()
      return ok(presentHook(row))
    },
  }),

  operation({
    ...propertiesOf(scope),
    id: `${scope.id}EditHook`,
    route: `PATCH ${scope.prefix}/hooks/{id}`,
    summary: `Edit one of ${scope.whose} webhooks`,
    description: "What is left out stays as it is.",
    body: EditHookOption,
    answers: { 200: Hook },
    refuses: ["badRequest", "notFound", "invalid"],
    handle: async ({ services, actor, owner, path, body }) =>
      ok(presentHook(await services.database.write((tx) => editWebhook(tx, services, owner, actor, path.id, body)))),
  }),

  operation({
    ...propertiesOf(scope),
    id: `${scope.id}DeleteHook`,
    route: `DELETE ${scope.prefix}/hooks/{id}`,
    summary: `Delete one of ${scope.whose} webhooks`,
    description: "With its deliveries; what waits to be sent is not sent.",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, actor, owner, path }) => {
      await services.database.write((tx) => deleteWebhook(tx, owner, actor, path.id))
      return noContent()
    },
  }),

  operation({
    ...propertiesOf(scope),
    id: `${scope.id}ListHookDeliveries`,
    route: `GET ${scope.prefix}/hooks/{id}/deliveries`,
    summary: `List the deliveries of one of ${scope.whose} webhooks`,
    description: "Newest first. Deliveries that ended are kept for a week.",
    paged: true,
    changesWithTime: true,
    answers: { 200: Type.Array(HookDelivery) },
    refuses: ["notFound"],
    handle: async ({ db, owner, path, page }) => {
      if (!(await findWebhook(db, owner, path.id))) throw refuse.notFound()
      const { rows, total } = await findDeliveries(db, path.id, page)
      return listed(rows.map(presentDelivery), total)
    },
  }),

  operation({
    ...propertiesOf(scope),
    id: `${scope.id}GetHookDelivery`,
    route: `GET ${scope.prefix}/hooks/{id}/deliveries/{delivery_id}`,
    summary: `Get a delivery of one of ${scope.whose} webhooks`,
    description: "The request and the answer are those of the last attempt.",
    changesWithTime: true,
    answers: { 200: HookDeliveryDetails },
    refuses: ["notFound"],
    handle: async ({ db, owner, path }) => ok(presentDeliveryDetails(await requireDelivery(db, owner, path.id, path.delivery_id))),
  }),

  operation({
    ...propertiesOf(scope),
    id: `${scope.id}RedeliverHookDelivery`,
    route: `POST ${scope.prefix}/hooks/{id}/deliveries/{delivery_id}/redelivery`,
    summary: `Redeliver a delivery of one of ${scope.whose} webhooks`,
    description: "The same payload under the same uuid, now, and for a day until it succeeds.",
    answers: { 202: HookDelivery },
    refuses: ["notFound"],
    handle: async ({ services, owner, path }) =>
      accepted(
        presentDelivery(
          await services.database.write(async (tx) => redeliver(tx, services, await requireDelivery(tx, owner, path.id, path.delivery_id))),
        ),
      ),
  }),
])

const ofRepository = { tag: "repository", scope: ["repository"], access: onRepositoryAsAdministrator } as const
const gitHook = { ...ofRepository, textPath: ["id"], refuses: ["notFound"] } as const
const NO_SCRIPTS = "This service runs no scripts at pushes: there are none. Webhooks and workflows take their place."

/** Git hook scripts, which existing clients ask for; there are none here. */
const gitHookOperations: readonly Operation[] = [
  operation({
    ...ofRepository,
    id: "repoListGitHooks",
    route: "GET /repos/{owner}/{repo}/hooks/git",
    summary: "List a repository’s git hooks",
    description: NO_SCRIPTS,
    answers: { 200: Type.Array(GitHook) },
    handle: () => ok([]),
  }),
  operation({
    ...gitHook,
    id: "repoGetGitHook",
    route: "GET /repos/{owner}/{repo}/hooks/git/{id}",
    summary: "Get a git hook",
    description: NO_SCRIPTS,
    answers: { 200: GitHook },
    handle: () => {
      throw refuse.notFound()
    },
  }),
  operation({
    ...gitHook,
    id: "repoEditGitHook",
    route: "PATCH /repos/{owner}/{repo}/hooks/git/{id}",
    summary: "Edit a git hook",
    description: NO_SCRIPTS,
    body: EditGitHookOption,
    answers: { 200: GitHook },
    refuses: ["forbidden", "notFound"],
    handle: () => {
      throw refuse.forbidden("this service runs no hook scripts")
    },
  }),
  operation({
    ...gitHook,
    id: "repoDeleteGitHook",
    route: "DELETE /repos/{owner}/{repo}/hooks/git/{id}",
    summary: "Delete a git hook",
    description: NO_SCRIPTS,
    answers: { 204: null },
    handle: () => {
      throw refuse.notFound()
    },
  }),
]

/** Webhooks of every scope, and their deliveries. */
export const webhookOperations: readonly Operation[] = [
  ...scoped,
  operation({
    ...ofRepository,
    id: "repoTestHook",
    route: "POST /repos/{owner}/{repo}/hooks/{id}/tests",
    summary: "Test a webhook with a push event",
    description: "Of the last commit of a branch or tag, whatever the webhook is switched on for; of an empty repository nothing is told.",
    query: { ref: Type.Optional(Type.String({ description: "a branch, a tag or a commit; the default branch where it is not sent" })) },
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, db, path, query, me, repository, owner }) => {
      const webhook = await findWebhook(db, { of: "repository", repositoryId: repository.id }, path.id)
      if (!webhook) throw refuse.notFound()
      await testWebhook(services, webhook, { repository, owner, actor: me, ref: query.ref })
      return noContent()
    },
  }),
  ...gitHookOperations,
]
