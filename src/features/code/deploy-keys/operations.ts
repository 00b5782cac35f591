import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { readKeyText } from "../../people/keys/public-keys.ts"
import { CreateKeyOption } from "../../people/keys/records.ts"
import { findDeployKey, findDeployKeysOf } from "../../people/keys/store.ts"
import { presentDeployKeys } from "./present.ts"
import { DeployKey } from "./records.ts"
import { addDeployKey, removeDeployKey } from "./rules.ts"

const shared = { tag: "repository", scope: ["repository"], access: onRepositoryAsAdministrator } as const

/** Keys of repositories. */
export const deployKeyOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoListKeys",
    route: "GET /repos/{owner}/{repo}/keys",
    summary: "List a repository's deploy keys",
    paged: true,
    query: {
      key_id: Type.Optional(Type.Integer({ description: "only the key with this key_id" })),
      fingerprint: Type.Optional(Type.String({ description: "only the key with this fingerprint" })),
    },
    answers: { 200: Type.Array(DeployKey) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, query, page, ...on }) => {
      const filter = { keyId: query.key_id, fingerprint: query.fingerprint }
      const { rows, total } = await findDeployKeysOf(db, on.repository.id, filter, page)
      return listed(await presentDeployKeys(db, services.site, actor, on, rows), total)
    },
  }),

  operation({
    ...shared,
    id: "repoCreateKey",
    route: "POST /repos/{owner}/{repo}/keys",
    summary: "Add a deploy key",
    body: CreateKeyOption,
    answers: { 201: DeployKey },
    refuses: ["notFound", "invalid"],
    handle: async ({ db, services, actor, body, ...on }) => {
      const [title, text, readOnly] = [body.title.trim(), readKeyText(body.key), body.read_only ?? false]
      const key = { title, text, readOnly, actor: on.me, now: services.now() }
      const row = await services.database.write((tx) => addDeployKey(tx, on.repository, key))
      const [record] = await presentDeployKeys(db, services.site, actor, on, [row])
      if (!record) throw new TypeError("one key gives one record")
      return created(record)
    },
  }),

  operation({
    ...shared,
    id: "repoGetKey",
    route: "GET /repos/{owner}/{repo}/keys/{id}",
    summary: "Get a deploy key",
    answers: { 200: DeployKey },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, path, ...on }) => {
      const row = await findDeployKey.first(db, { id: path.id })
      const [record] = row?.repository_id === on.repository.id ? await presentDeployKeys(db, services.site, actor, on, [row]) : []
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...shared,
    id: "repoDeleteKey",
    route: "DELETE /repos/{owner}/{repo}/keys/{id}",
    summary: "Delete a deploy key",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, repository, me, path }) => {
      await services.database.write((tx) => removeDeployKey(tx, repository, path.id, me))
      return noContent()
    },
  }),
]
