import { noContent, type Operation, ok, operation, pathNumber } from "../../../core/operation.ts"
import { pageParameter } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { inEveryScope, managingIn } from "../scopes.ts"
import { ActionRunner, ActionRunnersResponse, EditActionRunnerOption, RegistrationToken } from "./records.ts"
import { deleteRunner, editRunner, presentRunner, registrationToken, requireRunner, rotateRegistrationToken } from "./rules.ts"
import { findRunners } from "./store.ts"

/** Machines that run jobs. */
export const runnerOperations: readonly Operation[] = inEveryScope((scope) => [
  operation({
    ...managingIn(scope),
    id: `get${scope.name}Runners`,
    route: `GET ${scope.prefix}/actions/runners`,
    summary: `List ${scope.whose} runners`,
    description: scope.id === "admin" ? "All there are, also those of repositories, people and organisations." : "Only its own.",
    changesWithTime: true,
    // Existing clients expect this list without paging headers, so it is not declared as paged.
    query: {
      disabled: Type.Optional(Type.Boolean({ description: "only those that are switched off, or only the others" })),
      page: pageParameter("page number, from 1"),
      limit: pageParameter("page size"),
    },
    answers: { 200: ActionRunnersResponse },
    handle: async ({ services, db, owning, query, page }) => {
      const { rows, total } = await findRunners(db, owning, query.disabled, page)
      return ok({ runners: rows.map((row) => presentRunner(row, services.now())), total_count: total })
    },
  }),

  operation({
    ...managingIn(scope),
    id: `${scope.id}CreateRunnerRegistrationToken`,
    route: `POST ${scope.prefix}/actions/runners/registration-token`,
    summary: `Get the registration token for ${scope.whose} runners`,
    description: "It is made when it is first asked for, and is the same each time.",
    answers: { 200: RegistrationToken },
    handle: async ({ services, owning }) => ok({ token: await services.database.write((tx) => registrationToken(tx, services, owning)) }),
  }),

  operation({
    ...managingIn(scope),
    id: `${scope.id}RotateRunnerRegistrationToken`,
    since: "0.2.0",
    route: `POST ${scope.prefix}/actions/runners/registration-token/rotate`,
    summary: `Replace the token that ${scope.whose} runners register with`,
    description: "The one before registers no runner any more. Those that are registered stay.",
    answers: { 200: RegistrationToken },
    handle: async ({ services, owning }) =>
      ok({ token: await services.database.write((tx) => rotateRegistrationToken(tx, services, owning)) }),
  }),

  operation({
    ...managingIn(scope),
    id: `get${scope.name}Runner`,
    route: `GET ${scope.prefix}/actions/runners/{runner_id}`,
    summary: `Get one of ${scope.whose} runners`,
    changesWithTime: true,
    answers: { 200: ActionRunner },
    refuses: ["notFound"],
    handle: async ({ services, db, owning, path }) =>
      ok(presentRunner(await requireRunner(db, owning, pathNumber(path.runner_id)), services.now())),
  }),

  operation({
    ...managingIn(scope),
    id: `update${scope.name}Runner`,
    route: `PATCH ${scope.prefix}/actions/runners/{runner_id}`,
    summary: `Disable or enable one of ${scope.whose} runners`,
    body: EditActionRunnerOption,
    answers: { 200: ActionRunner },
    refuses: ["notFound", "invalid"],
    handle: async ({ services, actor, owning, path, body }) => {
      const runner = await services.database.write((tx) =>
        editRunner(tx, services, owning, actor, pathNumber(path.runner_id), body.disabled),
      )
      return ok(presentRunner(runner, services.now()))
    },
  }),

  operation({
    ...managingIn(scope),
    id: `delete${scope.name}Runner`,
    route: `DELETE ${scope.prefix}/actions/runners/{runner_id}`,
    summary: `Remove one of ${scope.whose} runners`,
    description: "A job that it runs is not ended by this; it fails when it is not heard of any more.",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, actor, owning, path }) => {
      await services.database.write((tx) => deleteRunner(tx, services, owning, actor, pathNumber(path.runner_id)))
      return noContent()
    },
  }),
])
