import { anonymous } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import type { EventOf } from "../../../../core/events/catalogue.ts"
import { rfc3339 } from "../../../../core/record.ts"
import type { Services } from "../../../../core/services.ts"
import { presentPayloadCommit } from "../../../code/commits/present.ts"
import { presentRelease } from "../../../code/releases/present.ts"
import { EVERYTHING, presentRepository } from "../../../code/repositories/present.ts"
import { presentUser } from "../../../people/users/present.ts"
import type { Announcement, Needed } from "../announce.ts"

/** A repository was created, or is about to be deleted. */
export const repositoryAnnouncement = (
  { site }: Needed,
  { kind, actor: sender }: EventOf<"repository.created" | "repository.deleted">,
): Announcement => ({
  event: "repository",
  sender,
  payload: ({ owner }) => ({
    action: kind === "repository.created" ? "created" : "deleted",
    organization: presentUser(site, owner),
  }),
})

/** A repository was forked. In the payload, `forkee` is the original and `repository` the fork. */
export const forkAnnouncement = (
  tx: Transaction,
  { site }: Needed,
  { fork, actor: sender }: EventOf<"repository.forked">,
): Announcement => ({
  event: "fork",
  sender,
  payload: async (home) => ({
    forkee: await presentRepository(tx, site, anonymous, home, EVERYTHING),
    repository: await presentRepository(tx, site, anonymous, fork, EVERYTHING),
  }),
})

const RELEASE_ACTIONS = { "release.published": "published", "release.edited": "updated", "release.deleted": "deleted" } as const

/** A release; drafts have no event. */
export const releaseAnnouncements = (
  tx: Transaction,
  services: Services,
  { kind, release, actor: sender }: EventOf<keyof typeof RELEASE_ACTIONS>,
): readonly Announcement[] =>
  release.is_draft === 1
    ? []
    : [
        {
          event: "release",
          sender,
          payload: async (home) => ({ action: RELEASE_ACTIONS[kind], release: await presentRelease(tx, services, home, release) }),
        },
      ]

/** The new statuses of a commit, in order. */
export const statusAnnouncements = (
  tx: Transaction,
  services: Services,
  { statuses, commit, actor: sender }: EventOf<"commit.checked">,
): readonly Announcement[] =>
  statuses.map((status) => ({
    event: "status",
    sender,
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
  }))
