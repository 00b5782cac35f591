import { onNamedUser, onVisibleUser } from "../../../access/policies/people.ts"
import { anyone, signedIn } from "../../../access/policies/site.ts"
import { findUserByName } from "../../../access/store.ts"
import { listedUsers } from "../../../access/visibility.ts"
import type { Actor, User as UserRow } from "../../../core/actor.ts"
import { isSiteAdministrator } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, ok, operation, type Page } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Site } from "../../../core/site.ts"
import { follow, unfollow } from "./following.ts"
import { presentUser } from "./present.ts"
import { User, UserHeatmapData, UserSearchResults } from "./records.ts"
import { countContributions, type Found, findFollow, listFollows, searchPeople } from "./store.ts"

const shared = { tag: "user", scope: ["user"] } as const

const DAY_SECONDS = 86_400
/** What a year's picture shows: the last 366 days. */
const HEATMAP_SECONDS = 366 * DAY_SECONDS

const presentAll = (site: Site, actor: Actor, { rows }: Found<UserRow>) => rows.map((user) => presentUser(site, user, actor))

type Direction = "followers" | "following"

async function follows(db: Handle, site: Site, actor: Actor, user: UserRow, direction: Direction, page: Page) {
  const found = await listFollows(db, { direction, userId: user.id, shown: listedUsers(actor) }, page)
  return listed(presentAll(site, actor, found), found.total)
}

async function requireFollowing(db: Handle, follower: UserRow, followed: UserRow | undefined) {
  if (!followed || !(await findFollow.first(db, { followerId: follower.id, followedId: followed.id }))) throw refuse.notFound()
  return noContent()
}

/** Reading and finding people, and following. */
export const profileOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "userGetCurrent",
    route: "GET /user",
    summary: "Get the caller",
    access: signedIn,
    answers: { 200: User },
    handle: ({ services, actor, me }) => ok(presentUser(services.site, me, actor)),
  }),

  operation({
    ...shared,
    id: "userGet",
    route: "GET /users/{username}",
    summary: "Get a user or an organization",
    access: onVisibleUser,
    answers: { 200: User },
    refuses: ["notFound"],
    handle: ({ services, actor, user }) => ok(presentUser(services.site, user, actor)),
  }),

  operation({
    ...shared,
    id: "userSearch",
    route: "GET /users/search",
    summary: "Search for users",
    description: "By name, full name, and addresses that the caller may know. Organizations are not found.",
    access: anyone,
    paged: true,
    query: {
      q: Type.Optional(Type.String({ description: "part of the name, the full name or the address" })),
      uid: Type.Optional(Type.Integer({ format: "int64", description: "only the user of this id" })),
    },
    answers: { 200: UserSearchResults },
    handle: async ({ db, services, actor, query, page }) => {
      const found = await searchPeople(db, actor, { keyword: query.q?.trim() ?? "", id: query.uid ?? 0 }, page)
      return listed({ ok: true, data: presentAll(services.site, actor, found) }, found.total)
    },
  }),

  operation({
    ...shared,
    id: "userGetHeatmapData",
    route: "GET /users/{username}/heatmap",
    changesWithTime: true,
    summary: "Count what a user did in the last year, by quarters of an hour",
    description: "Only what happened in repositories that the caller may know of; nothing where the user hides its activity.",
    access: onVisibleUser,
    answers: { 200: Type.Array(UserHeatmapData) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, user }) => {
      const hidden = user.hide_activity === 1 && !isSiteAdministrator(actor) && !(actor.kind === "user" && actor.user.id === user.id)
      const counts = hidden ? [] : await countContributions(db, actor, user, services.now() - HEATMAP_SECONDS)
      return ok([...counts])
    },
  }),

  operation({
    ...shared,
    id: "userCurrentListFollowers",
    route: "GET /user/followers",
    summary: "List who follows the caller",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(User) },
    handle: ({ db, services, actor, me, page }) => follows(db, services.site, actor, me, "followers", page),
  }),

  operation({
    ...shared,
    id: "userCurrentListFollowing",
    route: "GET /user/following",
    summary: "List whom the caller follows",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(User) },
    handle: ({ db, services, actor, me, page }) => follows(db, services.site, actor, me, "following", page),
  }),

  operation({
    ...shared,
    id: "userCurrentCheckFollowing",
    route: "GET /user/following/{username}",
    summary: "Check whether the caller follows a user",
    access: onNamedUser,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: ({ db, me, user }) => requireFollowing(db, me, user),
  }),

  operation({
    ...shared,
    id: "userCurrentPutFollow",
    route: "PUT /user/following/{username}",
    summary: "Follow a user or an organization",
    access: onNamedUser,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, user }) => {
      await services.database.write((tx) => follow(tx, me, user, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "userCurrentDeleteFollow",
    route: "DELETE /user/following/{username}",
    summary: "Follow a user or an organization no longer",
    access: onNamedUser,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, me, user }) => {
      await services.database.write((tx) => unfollow(tx, me, user))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "userListFollowers",
    route: "GET /users/{username}/followers",
    summary: "List who follows a user",
    access: onNamedUser,
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["notFound"],
    handle: ({ db, services, actor, user, page }) => follows(db, services.site, actor, user, "followers", page),
  }),

  operation({
    ...shared,
    id: "userListFollowing",
    route: "GET /users/{username}/following",
    summary: "List whom a user follows",
    access: onNamedUser,
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["notFound"],
    handle: ({ db, services, actor, user, page }) => follows(db, services.site, actor, user, "following", page),
  }),

  operation({
    ...shared,
    id: "userCheckFollowing",
    route: "GET /users/{username}/following/{target}",
    summary: "Check whether one user follows another",
    access: onNamedUser,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ db, user, path }) =>
      requireFollowing(db, user, await findUserByName.first(db, { lowerName: path.target.toLowerCase() })),
  }),
]
