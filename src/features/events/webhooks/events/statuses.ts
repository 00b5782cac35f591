import type { User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { rfc3339 } from "../../../../core/record.ts"
import type { Services } from "../../../../core/services.ts"
import type { Commit } from "../../../../git/index.ts"
import { presentPayloadCommit } from "../../../code/commits/present.ts"
import type { Status } from "../../../code/statuses/store.ts"
import { announceEvents } from "../announce.ts"

/** What checks said of a commit, one after the other. */
interface CommitChecked {
  readonly repositoryId: number
  readonly statuses: readonly Status[]
  readonly commit: Commit
  readonly actor: User
}

/** Tells webhooks what checks say of a commit. */
export const announceStatuses = (
  tx: Transaction,
  services: Services,
  { repositoryId, statuses, commit, actor }: CommitChecked,
): Promise<void> =>
  announceEvents(
    tx,
    services,
    { repositoryId, sender: actor },
    statuses.map((status) => ({
      event: "status",
      payload: async (home) => ({
        commit: await presentPayloadCommit(services, tx, home, commit),
        context: status.context,
        created_at: rfc3339(status.created_at),
        description: status.description,
        id: status.number,
        sha: status.commit_id,
        state: status.state,
        target_url: status.target_url,
        updated_at: rfc3339(status.created_at),
      }),
    })),
  )
