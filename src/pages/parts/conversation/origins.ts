import type { TimelineEntry } from "../../../features/planning/issues/timeline.ts"
import { findFormerPlaces } from "../../../features/planning/transfers/store.ts"
import type { Origin } from "./around.ts"
import type { ConversationCall } from "./call.ts"

/**
 * Where the issue was before each of its transfers, by the entries that tell of them; only places whose issues the reader may read. Nothing is asked where
 * it was never transferred.
 */
export async function originsOf(
  { db, actor, issue }: ConversationCall,
  rows: readonly TimelineEntry[],
): Promise<ReadonlyMap<number, Origin>> {
  const moves = rows.filter(({ kind }) => kind === "transfer")
  if (moves.length === 0) return new Map()
  const places = await findFormerPlaces(db, actor, issue.id)
  return new Map(
    moves.flatMap(({ id, created_at }) => {
      const place = places.find(({ moved_at }) => moved_at === created_at)
      return place ? [[id, { repository: `${place.owner}/${place.name}`, number: place.number }] as const] : []
    }),
  )
}
