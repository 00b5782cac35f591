import { dateTime, int64, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const ActionWorkflow = record("ActionWorkflow", {
  id: Type.String({ description: "the file below the folder of workflows" }),
  name: Type.String(),
  path: Type.String(),
  state: oneOf(["active", "disabled_manually"]),
  url: Type.String(),
  html_url: Type.String(),
  badge_url: Type.String(),
  created_at: dateTime({ description: "when the default branch’s last commit was written" }),
  updated_at: dateTime({ description: "the same" }),
  next_run_at: Type.Optional(dateTime({ description: "when its schedule starts it next; left out where nothing does" })),
  deleted_at: Type.Optional(dateTime({ description: "never sent: a workflow whose file is gone is not listed" })),
})
export type ActionWorkflow = Static<typeof ActionWorkflow>

export const ActionWorkflowResponse = record("ActionWorkflowResponse", { workflows: Type.Array(ActionWorkflow), total_count: int64() })

export const CreateActionWorkflowDispatch = record("CreateActionWorkflowDispatch", {
  ref: Type.Optional(Type.String({ description: "a branch or a tag, short or in full", documentedAs: "required" })),
  inputs: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 65_536 }))),
})
export type CreateActionWorkflowDispatch = Static<typeof CreateActionWorkflowDispatch>

export const RunDetails = record("RunDetails", { workflow_run_id: int64(), run_url: Type.String(), html_url: Type.String() })
