import type { DeleteResult } from "kysely"
import { refuse } from "../errors.ts"

/** Deletes what was found before, in this transaction or outside it. Refuses `notFound` where another call has deleted it meanwhile. */
export async function deleteFound(deletion: { readonly executeTakeFirstOrThrow: () => Promise<DeleteResult> }): Promise<void> {
  const { numDeletedRows } = await deletion.executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw refuse.notFound()
}
