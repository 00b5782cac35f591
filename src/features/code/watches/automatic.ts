import type { Listener } from "../../../core/events/events.ts"
import type { PushStep } from "../pushes/step.ts"
import { unwatchAll, unwatchLost, watchAutomatically, watchThroughTeams } from "./automatic-store.ts"

/** Members watch the repositories of their teams, if the site is configured so; those who lose access, or leave, stop watching. */
export const watching: Listener = {
  name: "watching",
  async hear({ tx, services: { config, now }, events }) {
    for (const event of events) {
      if (event.kind === "access.granted" && config.users.autoWatchNewRepositories) await watchThroughTeams(tx, event, now())
      if (event.kind === "access.lost" && event.userIds) await unwatchLost(tx, event.repositoryIds, event.userIds)
      if (event.kind === "organization.membersRemoved") await unwatchAll(tx, event.userIds, event.repositoryIds)
    }
  },
}

/** Pushers watch the repository, if the site is configured so. */
export const watchAfterPush: PushStep = async ({ services: { config } }) => {
  return async (tx, { pusher, repository, now }) => {
    // A pusher that is an organisation is a deploy key of its repository.
    if (config.users.autoWatchOnPush && pusher.kind === "person") await watchAutomatically(tx, pusher.id, repository.id, now)
  }
}
