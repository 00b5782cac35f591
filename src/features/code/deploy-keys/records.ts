import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Repository } from "../repositories/records.ts"

export const DeployKey = record("DeployKey", {
  id: int64({ description: "of what the key may do in this repository" }),
  key_id: int64({ description: "of the key, which may be used in several repositories" }),
  key: Type.String(),
  url: Type.String({ format: "uri" }),
  title: Type.String(),
  fingerprint: Type.String(),
  created_at: dateTime(),
  read_only: Type.Boolean({ description: "it may fetch but not push" }),
  repository: Type.Optional(Repository),
})
export type DeployKey = Static<typeof DeployKey>
