import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { type ActionScope, inScopesBelowSite, managingIn } from "../scopes.ts"
import { ActionVariable, CreateOrUpdateSecretOption, CreateVariableOption, Secret, UpdateVariableOption } from "./records.ts"
import {
  createVariable,
  deleteSecret,
  deleteVariable,
  presentSecret,
  presentVariable,
  putSecret,
  requireVariable,
  updateVariable,
} from "./rules.ts"
import { findSecrets, findVariables } from "./store.ts"

// Users can't list their own secrets; existing clients expect no such operation.
const secretList = (scope: ActionScope): readonly Operation[] =>
  scope.id === "user"
    ? []
    : [
        operation({
          ...managingIn(scope),
          id: `${scope.id}ListActionsSecrets`,
          route: `GET ${scope.prefix}/actions/secrets`,
          summary: `List ${scope.whose} secrets`,
          description: "By name. The values are shown to no one.",
          paged: true,
          answers: { 200: Type.Array(Secret) },
          handle: async ({ db, owning, page }) => {
            const { rows, total } = await findSecrets(db, owning, page)
            return listed(rows.map(presentSecret), total)
          },
        }),
      ]

/** Variables and secrets for workflows. */
export const settingOperations: readonly Operation[] = inScopesBelowSite((scope) => [
  ...secretList(scope),

  operation({
    ...managingIn(scope),
    id: `update${scope.name}Secret`,
    route: `PUT ${scope.prefix}/actions/secrets/{secretname}`,
    summary: `Set one of ${scope.whose} secrets`,
    body: CreateOrUpdateSecretOption,
    answers: { 201: null, 204: null },
    refuses: ["badRequest", "invalid"],
    handle: async ({ services, actor, owning, path, body }) => {
      const outcome = await services.database.write((tx) => putSecret(tx, services, owning, actor, path.secretname, body))
      return outcome === "created" ? ({ status: 201, body: undefined } as const) : noContent()
    },
  }),

  operation({
    ...managingIn(scope),
    id: `delete${scope.name}Secret`,
    route: `DELETE ${scope.prefix}/actions/secrets/{secretname}`,
    summary: `Delete one of ${scope.whose} secrets`,
    answers: { 204: null },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, actor, owning, path }) => {
      await services.database.write((tx) => deleteSecret(tx, owning, actor, path.secretname))
      return noContent()
    },
  }),

  operation({
    ...managingIn(scope),
    id: `get${scope.name}VariablesList`,
    route: `GET ${scope.prefix}/actions/variables`,
    summary: `List ${scope.whose} variables`,
    description: "By name.",
    paged: true,
    answers: { 200: Type.Array(ActionVariable) },
    handle: async ({ db, owning, page }) => {
      const { rows, total } = await findVariables(db, owning, page)
      return listed(rows.map(presentVariable), total)
    },
  }),

  operation({
    ...managingIn(scope),
    id: `get${scope.name}Variable`,
    route: `GET ${scope.prefix}/actions/variables/{variablename}`,
    summary: `Get one of ${scope.whose} variables`,
    answers: { 200: ActionVariable },
    refuses: ["notFound"],
    handle: async ({ db, owning, path }) => ok(presentVariable(await requireVariable(db, owning, path.variablename))),
  }),

  operation({
    ...managingIn(scope),
    id: `create${scope.name}Variable`,
    route: `POST ${scope.prefix}/actions/variables/{variablename}`,
    summary: `Create one of ${scope.whose} variables`,
    body: CreateVariableOption,
    answers: { 201: null },
    refuses: ["badRequest", "conflict", "invalid"],
    handle: async ({ services, actor, owning, path, body }) => {
      await services.database.write((tx) => createVariable(tx, services, owning, actor, path.variablename, body))
      return { status: 201, body: undefined } as const
    },
  }),

  operation({
    ...managingIn(scope),
    id: `update${scope.name}Variable`,
    route: `PUT ${scope.prefix}/actions/variables/{variablename}`,
    summary: `Edit one of ${scope.whose} variables`,
    description: "Its name too, where one is sent. The answer is always 204; existing clients know 201 as well.",
    body: UpdateVariableOption,
    answers: { 201: null, 204: null },
    refuses: ["badRequest", "notFound", "conflict", "invalid"],
    handle: async ({ services, actor, owning, path, body }) => {
      await services.database.write((tx) => updateVariable(tx, services, owning, actor, path.variablename, body))
      return noContent()
    },
  }),

  operation({
    ...managingIn(scope),
    id: `delete${scope.name}Variable`,
    route: `DELETE ${scope.prefix}/actions/variables/{variablename}`,
    summary: `Delete one of ${scope.whose} variables`,
    description: "The answer is always 204; existing clients know 200 and 201 as well.",
    answers: { 200: ActionVariable, 201: null, 204: null },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, actor, owning, path }) => {
      await services.database.write((tx) => deleteVariable(tx, owning, actor, path.variablename))
      return noContent()
    },
  }),
])
