import { int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

export const DELETION_KINDS = ["issue", "pull", "comment", "branch", "label", "milestone", "release", "repository"] as const

/** Who deleted something; `null` for accounts that are gone. */
const Person = Type.Object({ id: int64(), login: Type.String() })

export const DeletedThing = record("DeletedThing", {
  id: int64({ description: "of the deletion, by which it is restored" }),
  kind: oneOf(DELETION_KINDS),
  name: Type.String({ description: "title or name; empty for comments" }),
  number: Type.Integer({ description: "of the issue or pull request; of a comment that of its issue; 0 otherwise" }),
  subject_id: int64({ description: "the id that it had and gets again; 0 for branches" }),
  commit_id: Type.String({ description: "the commit that a branch named; empty otherwise" }),
  deleted_by: nullable(Person),
  deleted_at: Type.String({ format: "date-time" }),
  restorable_until: Type.String({ format: "date-time" }),
  bytes: int64({ description: "what is kept for it, in bytes" }),
})
export type DeletedThing = Static<typeof DeletedThing>

export const RestoredThing = record("RestoredThing", {
  kind: oneOf(DELETION_KINDS),
  subject_id: int64(),
  number: Type.Integer(),
  name: Type.String({ description: "its name now" }),
  html_url: Type.String(),
  left_out: Type.Array(Type.Object({ table: Type.String(), rows: Type.Integer() }), {
    description: "what no longer fits and did not come back, such as labels and people that are gone",
  }),
})
export type RestoredThing = Static<typeof RestoredThing>

export const RestoreRepositoryOption = record("RestoreRepositoryOption", {
  name: Type.Optional(Type.String({ maxLength: 100, description: "another name for a repository, where its own is taken" })),
})
