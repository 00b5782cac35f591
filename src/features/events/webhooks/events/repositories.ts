import type { Transaction } from "../../../../core/database/database.ts"
import type { EventOf } from "../../../../core/events/event.ts"
import { rfc3339 } from "../../../../core/record.ts"
import type { Services } from "../../../../core/services.ts"
import { presentPayloadCommit } from "../../../code/commits/present.ts"
import { type ReleaseEvent, releasePayload } from "../../../code/releases/payload.ts"
import { forkPayload } from "../../../code/repositories/payload.ts"
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

/** A repository was forked. */
export const forkAnnouncement = (
  tx: Transaction,
  { site }: Needed,
  { fork, actor: sender }: EventOf<"repository.forked">,
): Announcement => ({ event: "fork", sender, payload: (home) => forkPayload(tx, site, home, fork) })

/** A release; drafts have no event. */
export const releaseAnnouncements = (tx: Transaction, services: Services, event: ReleaseEvent): readonly Announcement[] =>
  event.release.is_draft === 1
    ? []
    : [{ event: "release", sender: event.actor, payload: (home) => releasePayload(tx, services, home, event) }]

const WIKI_ACTIONS = { "wiki.created": "created", "wiki.edited": "edited", "wiki.deleted": "deleted" } as const

/** A page of the wiki. */
export const wikiAnnouncement = ({ kind, page, comment, actor: sender }: EventOf<keyof typeof WIKI_ACTIONS>): Announcement => ({
  event: "wiki",
  sender,
  payload: () => ({ action: WIKI_ACTIONS[kind], page, comment }),
})

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
