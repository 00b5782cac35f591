import { oneOf } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** What an edit through the API is told as; for pushes it is read from git. */
export const PageChange = Type.Object({
  kind: oneOf(["wiki.created", "wiki.edited", "wiki.deleted"]),
  page: Type.String(),
  comment: Type.String(),
})
export type PageChange = Static<typeof PageChange>
