import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { ActionWorkflowRun } from "../runs/records.ts"

export const ActionArtifact = record("ActionArtifact", {
  id: int64(),
  name: Type.String(),
  size_in_bytes: int64(),
  expired: Type.Boolean(),
  url: Type.String(),
  archive_download_url: Type.String(),
  workflow_run: ActionWorkflowRun,
  created_at: dateTime(),
  updated_at: dateTime(),
  expires_at: dateTime(),
})
export type ActionArtifact = Static<typeof ActionArtifact>

export const ActionArtifactsResponse = record("ActionArtifactsResponse", { artifacts: Type.Array(ActionArtifact), total_count: int64() })
