import type { Owned } from "../../access/permission.ts"
import type { User } from "../../core/actor.ts"
import type { Transaction } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import type { Commit } from "../../git/index.ts"
import { tryScheduledMerges } from "../pulls/merge/schedule.ts"
import { holdRepository } from "../repositories/counters.ts"
import { announceStatus } from "../webhooks/events/statuses.ts"
import type { CreateStatusOption } from "./records.ts"
import { findLastNumber, type Status } from "./store.ts"

/** A status as it is to be stored, its texts without space around them. Refuses as `invalid` an address that leads to no page. */
export function readStatus({ state, target_url = "", description = "", context = "" }: CreateStatusOption) {
  const address = target_url.trim()
  if (address !== "" && !/^https?:\/\/[^\s]+$/i.test(address)) throw refuse.invalid("target_url", "must be an http or https address")
  return { state, target_url: address, description: description.trim(), context: context.trim() }
}

/** Stores what a check says of a commit, and looks again at the merges that wait for it. */
export async function createStatus(
  tx: Transaction,
  services: Services,
  {
    on,
    commit,
    creator,
    status,
  }: { readonly on: Owned; readonly commit: Commit; readonly creator: User; readonly status: ReturnType<typeof readStatus> },
): Promise<Status> {
  const repositoryId = on.repository.id
  const commitId = commit.id
  // Two statuses at once must not get one number.
  await holdRepository(tx, repositoryId)
  const last = await findLastNumber.first(tx, { repositoryId, commitId })
  const row = await tx
    .insertInto("commit_statuses")
    .values({
      repository_id: repositoryId,
      commit_id: commitId,
      number: (last?.number ?? 0) + 1,
      ...status,
      creator_id: creator.id,
      created_at: services.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await announceStatus(tx, services, { status: row, commit, actor: creator })
  await tryScheduledMerges(tx, services, { repositoryId, commitId })
  return row
}
