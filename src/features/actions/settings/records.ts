import { dateTime, int64, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** UTF-16 code units. */
const VALUE = { maxLength: 65_536 }
const DESCRIPTION = Type.Optional(Type.String({ maxLength: 4_096 }))

export const ActionVariable = record("ActionVariable", {
  owner_id: int64({ description: "0 for a repository’s" }),
  repo_id: int64({ description: "0 for those of a person or organisation" }),
  name: Type.String(),
  data: Type.String(),
  description: Type.String(),
})
export type ActionVariable = Static<typeof ActionVariable>

export const CreateVariableOption = record("CreateVariableOption", { value: Type.String(VALUE), description: DESCRIPTION })
export type CreateVariableOption = Static<typeof CreateVariableOption>

export const UpdateVariableOption = record("UpdateVariableOption", {
  value: Type.String(VALUE),
  description: DESCRIPTION,
  name: Type.Optional(Type.String({ description: "a new name; without it the name stays" })),
})
export type UpdateVariableOption = Static<typeof UpdateVariableOption>

export const Secret = record("Secret", { name: Type.String(), description: Type.String(), created_at: dateTime() })
export type Secret = Static<typeof Secret>

export const CreateOrUpdateSecretOption = record("CreateOrUpdateSecretOption", { data: Type.String(VALUE), description: DESCRIPTION })
export type CreateOrUpdateSecretOption = Static<typeof CreateOrUpdateSecretOption>
