import { dateTime, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { User } from "../../people/users/records.ts"

export const Reaction = record("Reaction", { user: User, content: Type.String(), created_at: dateTime() })
export type Reaction = Static<typeof Reaction>

/** The allowed reactions. */
export const REACTIONS: readonly string[] = ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"]

export const EditReactionOption = record("EditReactionOption", {
  content: Type.Optional(Type.String({ description: `one of ${REACTIONS.join(", ")}` })),
})
export type EditReactionOption = Static<typeof EditReactionOption>
