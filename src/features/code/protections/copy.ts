import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { findProtections, insertOnLists, insertRules, LIST_NAMES } from "./store.ts"

interface RepositoryIds {
  readonly id: number
  readonly owner_id: number
}

/** Switches the lists of users and teams off. */
const UNLISTED = {
  enable_push_whitelist: 0,
  enable_force_push_allowlist: 0,
  enable_merge_whitelist: 0,
  enable_approvals_whitelist: 0,
  enable_bypass_allowlist: 0,
} as const

/**
 * Copies the branch protections of a repository to a new one. Their lists of users and teams are copied if both have the same owner;
 * otherwise the lists are switched off, and write access is what counts.
 */
export async function copyProtections(tx: Transaction, from: RepositoryIds, to: RepositoryIds, now: Seconds): Promise<void> {
  const rules = await findProtections(tx, from.id)
  if (rules.length === 0) return
  const hasSameOwner = from.owner_id === to.owner_id
  const idOf = await insertRules(
    tx,
    rules.map(({ id: _, lists: __, ...rule }) => ({
      ...rule,
      ...(hasSameOwner ? {} : UNLISTED),
      repository_id: to.id,
      created_at: now,
      updated_at: now,
    })),
  )
  const rows = (hasSameOwner ? rules : []).flatMap(({ rule_name, lists }) => {
    const protection_id = idOf.get(rule_name)
    if (protection_id === undefined) return []
    return LIST_NAMES.flatMap((list) => [
      ...lists[list].userIds.map((user_id) => ({ protection_id, list, user_id, team_id: null })),
      ...lists[list].teamIds.map((team_id) => ({ protection_id, list, user_id: null, team_id })),
    ])
  })
  await insertOnLists(tx, rows)
}
