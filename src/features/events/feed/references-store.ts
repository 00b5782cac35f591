import type { Handle } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { branchOf, tagOf } from "../../../git/index.ts"
import type { ActivityRow } from "./feed-store.ts"

type Reference = Pick<ActivityRow, "repository_id" | "ref_name">

/** The branches and tags of entries that are still there, so that pages don't link to others. */
export interface LiveReferences {
  readonly has: (activity: Reference) => boolean
}

/** At most two statements. */
export async function liveReferences(db: Handle, activities: readonly Reference[]): Promise<LiveReferences> {
  const ids = [...new Set(activities.filter(({ ref_name }) => ref_name !== "").map(({ repository_id }) => repository_id))]
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
    has: ({ repository_id, ref_name }) =>
      live.has(`branches ${repository_id} ${branchOf(ref_name)}`) || live.has(`tags ${repository_id} ${tagOf(ref_name)}`),
  }
}
