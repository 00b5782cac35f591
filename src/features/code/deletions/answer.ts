import type { DeletionKind } from "../../../core/database/tables/undo.ts"
import { noContent, type Sent } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { findKept } from "./store.ts"

export const RESTORABLE_UNTIL = "X-Hearth-Restorable-Until"

/** For the description of an operation that answers so. */
export const SAYS_UNTIL_WHEN =
  "The header `X-Hearth-Restorable-Until` says until when it can be restored: `never` where it is larger than what is kept (`undo.maxBytes`, `undo.ownerFileBytes`), or nothing is kept."

/** Seconds that a deletion may have taken until it is answered. */
const JUST_NOW = 600

/** The answer to a deletion that has just been done. Nobody is to count on a restore that there won't be. */
export async function deleted(
  { config, database, now }: Pick<Services, "config" | "database" | "now">,
  kind: DeletionKind,
  subjectId: number,
): Promise<Sent<204, undefined>> {
  const { keepSeconds } = config.undo
  const kept = keepSeconds > 0 ? await findKept.first(database.read, { kind, subjectId, since: now() - JUST_NOW }) : undefined
  return { ...noContent(), headers: { [RESTORABLE_UNTIL]: kept ? rfc3339(kept.created_at + keepSeconds) : "never" } }
}
