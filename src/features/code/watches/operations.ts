import type { Owned } from "../../../access/permission.ts"
import { onVisibleUserSignedIn } from "../../../access/policies/people.ts"
import { onRepository, onRepositorySignedIn } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { oneOf, record, rfc3339 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Site } from "../../../core/site.ts"
import { presentUser } from "../../people/users/present.ts"
import { User } from "../../people/users/records.ts"
import { Repository, WatchInfo } from "../repositories/records.ts"
import { watchedBy } from "../repositories/search-store.ts"
import { listStarredOrWatched } from "../repositories/starred-or-watched.ts"
import { repositoryApiUrl } from "../repositories/urls.ts"
import { LEVELS, setLevel, unwatch, watch } from "./rules.ts"
import { findWatch, findWatchers } from "./store.ts"

const WatchLevelOption = record("WatchLevelOption", { level: oneOf(LEVELS) })

const ofRepository = { tag: "repository", scope: ["repository"] } as const
const ofUser = { tag: "user", scope: ["user"] } as const

/** The record of a watch. Clients expect the repository's creation time as the watch's. */
function presentWatch(site: Site, { owner, repository }: Owned): WatchInfo {
  const url = repositoryApiUrl(site, owner.name, repository.name)
  return {
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: rfc3339(repository.created_at),
    url: `${url}/subscription`,
    repository_url: url,
  }
}

export const watchOperations: readonly Operation[] = [
  operation({
    ...ofRepository,
    id: "userCurrentCheckSubscription",
    route: "GET /repos/{owner}/{repo}/subscription",
    summary: "Check whether the caller watches a repository",
    access: onRepositorySignedIn,
    answers: { 200: WatchInfo },
    refuses: ["notFound"],
    handle: async ({ db, services, me, owner, repository }) => {
      const found = await findWatch.first(db, { userId: me.id, repositoryId: repository.id })
      if (!found || found.mode === "declined") throw refuse.notFound()
      return ok(presentWatch(services.site, { owner, repository }))
    },
  }),

  operation({
    ...ofRepository,
    id: "userCurrentPutSubscription",
    route: "PUT /repos/{owner}/{repo}/subscription",
    summary: "Watch a repository",
    description: "Watching again changes nothing.",
    access: onRepositorySignedIn,
    answers: { 200: WatchInfo },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, actor, owner, repository }) => {
      await services.database.write((tx) => watch(tx, actor, repository.id, services.now()))
      return ok(presentWatch(services.site, { owner, repository }))
    },
  }),

  operation({
    ...ofRepository,
    id: "userCurrentSetSubscriptionLevel",
    since: "0.2.0",
    route: "PUT /repos/{owner}/{repo}/subscription/level",
    summary: "Choose what the caller is told of a repository",
    description: "`all` watches it; with any other the caller watches it no longer. `ignored` leaves out mentions too.",
    access: onRepositorySignedIn,
    body: WatchLevelOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, actor, repository, body }) => {
      await services.database.write((tx) => setLevel(tx, actor, repository.id, body.level, services.now()))
      return noContent()
    },
  }),

  operation({
    ...ofRepository,
    id: "userCurrentDeleteSubscription",
    route: "DELETE /repos/{owner}/{repo}/subscription",
    summary: "Unwatch a repository",
    access: onRepositorySignedIn,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, me, repository }) => {
      await services.database.write((tx) => unwatch(tx, me, repository.id))
      return noContent()
    },
  }),

  operation({
    ...ofRepository,
    id: "repoListSubscribers",
    route: "GET /repos/{owner}/{repo}/subscribers",
    summary: "List the watchers of a repository",
    description: "Of those whom the caller may know of, in the order in which they began.",
    access: onRepository,
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, repository, page }) => {
      const { rows, total } = await findWatchers(db, actor, repository.id, page)
      return listed(
        rows.map((user) => presentUser(services.site, user, actor)),
        total,
      )
    },
  }),

  operation({
    ...ofUser,
    id: "userCurrentListSubscriptions",
    route: "GET /user/subscriptions",
    summary: "List the repositories that the caller watches",
    description: "Those that the caller can still reach.",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    handle: ({ db, services, actor, me, page }) =>
      listStarredOrWatched(db, services.site, { actor, person: me, where: watchedBy(me.id) }, page),
  }),

  operation({
    ...ofUser,
    id: "userListSubscriptions",
    route: "GET /users/{username}/subscriptions",
    summary: "List the repositories that a user watches",
    description: "Of others, those that are open to all. The permissions are those of the user.",
    access: onVisibleUserSignedIn,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    refuses: ["notFound"],
    handle: ({ db, services, actor, user, page }) =>
      listStarredOrWatched(db, services.site, { actor, person: user, where: watchedBy(user.id) }, page),
  }),
]
