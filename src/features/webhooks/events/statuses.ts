import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit } from "../../../git/index.ts"
import { presentPayloadCommit } from "../../commits/present.ts"
import type { Status } from "../../statuses/store.ts"
import { announceEvent } from "../announce.ts"

/** Tells webhooks what a check says of a commit. */
export const announceStatus = (
  tx: Transaction,
  services: Services,
  { status, commit, actor }: { readonly status: Status; readonly commit: Commit; readonly actor: User },
): Promise<void> =>
  announceEvent(
    tx,
    services,
    { repositoryId: status.repository_id, sender: actor },
    {
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
        updated_at: null,
      }),
    },
  )
