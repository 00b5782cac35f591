import type { Handle } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { Activity } from "../../../features/events/feed/records.ts"
import { branchOf, tagOf } from "../../../git/index.ts"

/** The branches and tags of entries that are still there, so that pages don't link to others. */
export interface LiveReferences {
  readonly has: (activity: Activity) => boolean
}

/** At most two statements. */
export async function liveReferences(db: Handle, activities: readonly Activity[]): Promise<LiveReferences> {
  const ids = [...new Set(activities.filter(({ ref_name }) => ref_name !== "").map(({ repo_id }) => repo_id))]
  const live = new Set<string>()
  for (const [table, nameOf] of [
    ["branches", branchOf],
    ["tags", tagOf],
  ] as const) {
    const names = [...new Set(activities.flatMap(({ ref_name }) => nameOf(ref_name) ?? []))]
    if (names.length === 0) continue
    const rows = await db
      .selectFrom(table)
      .select([`${table}.repository_id`, `${table}.name`])
      .where(inList(`${table}.repository_id`, ids))
      .where(inList(`${table}.name`, names))
      .execute()
    for (const row of rows) live.add(`${table} ${row.repository_id} ${row.name}`)
  }
  return {
    has: ({ repo_id, ref_name }) => live.has(`branches ${repo_id} ${branchOf(ref_name)}`) || live.has(`tags ${repo_id} ${tagOf(ref_name)}`),
  }
}
