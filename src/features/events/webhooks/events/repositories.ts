import type { Owned } from "../../../../access/permission.ts"
import { anonymous, type User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { EVERYTHING, presentRepository } from "../../../code/repositories/present.ts"
import { presentUser } from "../../../people/users/present.ts"
import { announceEvent, type Needed } from "../announce.ts"

/** Tells webhooks that a repository was made or is about to be deleted. */
export const announceRepository = (
  tx: Transaction,
  services: Needed,
  { repositoryId, actor, action }: { readonly repositoryId: number; readonly actor: User; readonly action: "created" | "deleted" },
): Promise<void> =>
  announceEvent(
    tx,
    services,
    { repositoryId, sender: actor },
    { event: "repository", payload: ({ owner }) => ({ action, organization: presentUser(services.site, owner) }) },
  )

/** Tells webhooks of a repository that it was forked. Receivers know the original as `forkee`, and the fork as the repository. */
export const announceFork = (
  tx: Transaction,
  services: Needed,
  { base, fork, actor }: { readonly base: Owned; readonly fork: Owned; readonly actor: User },
): Promise<void> =>
  announceEvent(
    tx,
    services,
    { repositoryId: base.repository.id, sender: actor },
    {
      event: "fork",
      payload: async (home) => ({
        forkee: await presentRepository(tx, services.site, anonymous, home, EVERYTHING),
        repository: await presentRepository(tx, services.site, anonymous, fork, EVERYTHING),
      }),
    },
  )
