import type { DeleteResult } from "kysely"
import { refuse } from "../errors.ts"

/** Deletes a row that was found earlier, in this transaction or before it. Refuses `notFound` if it has been deleted since. */
export async function deleteFound(deletion: { readonly executeTakeFirstOrThrow: () => Promise<DeleteResult> }): Promise<void> {
  const { numDeletedRows } = await deletion.executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw refuse.notFound()
}
