import { int64, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const ActionRunner = record("ActionRunner", {
  id: int64(),
  name: Type.String(),
  status: oneOf(["online", "offline"], { description: "online where it was heard of within a minute" }),
  busy: Type.Boolean({ description: "it told of a job within ten seconds" }),
  disabled: Type.Boolean(),
  ephemeral: Type.Boolean({ description: "it takes one job, and is gone afterwards" }),
  labels: Type.Array(
    record("ActionRunnerLabel", { id: int64({ description: "the place in the list, from 0" }), name: Type.String(), type: Type.String() }),
  ),
})
export type ActionRunner = Static<typeof ActionRunner>

export const ActionRunnersResponse = record("ActionRunnersResponse", { runners: Type.Array(ActionRunner), total_count: int64() })

export const EditActionRunnerOption = record("EditActionRunnerOption", {
  disabled: Type.Optional(Type.Boolean({ description: "a disabled runner is given no further job", documentedAs: "required" })),
})

export const RegistrationToken = record("RegistrationToken", { token: Type.String() })
