import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit } from "../../../git/index.ts"
import type { CreateStatusOption } from "./records.ts"
import { findLastNumber, insertStatuses, type Status } from "./store.ts"

/** A status to be stored, with trimmed texts. Refuses `invalid` for a `target_url` that is no http or https URL. */
export function readStatus({ state, target_url = "", description = "", context = "" }: CreateStatusOption) {
  const address = target_url.trim()
  if (address !== "" && !/^https?:\/\/[^\s]+$/i.test(address)) throw refuse.invalid("target_url", "must be an http or https address")
  return { state, target_url: address, description: description.trim(), context: context.trim() }
}

export interface NewStatuses {
  readonly repositoryId: number
  readonly commit: Commit
  readonly creator: User
  readonly statuses: readonly ReturnType<typeof readStatus>[]
}

/** Stores statuses of a commit, in their order. Returns the rows. */
export async function createStatuses(
  tx: Transaction,
  services: Services,
  { repositoryId, commit, creator, statuses }: NewStatuses,
): Promise<readonly Status[]> {
  const commitId = commit.id
  if (statuses.length === 0) return []
  // Concurrent statuses must not get the same number.
  await lockRow(tx, "repositories", repositoryId)
  const last = (await findLastNumber.first(tx, { repositoryId, commitId }))?.number ?? 0
  const rows = await insertStatuses(
    tx,
    statuses.map((status, index) => ({
      repository_id: repositoryId,
      commit_id: commitId,
      number: last + 1 + index,
      ...status,
      creator_id: creator.id,
      created_at: services.now(),
    })),
  )
  const inOrder = rows.toSorted((one, other) => one.number - other.number)
  publish(tx, { kind: "commit.checked", repositoryId, statuses: inOrder, commit, actor: creator, at: services.now() })
  return inOrder
}
