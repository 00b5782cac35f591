import { findKnown, onKnownUser, onVisibleUserSignedIn } from "../../../access/policies/people.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { listedUsers } from "../../../access/visibility.ts"
import type { Actor, User as UserRow } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, operation, type Page } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Site } from "../../../core/site.ts"
import { presentUser } from "../users/present.ts"
import { User } from "../users/records.ts"
import { follow, unfollow } from "./rules.ts"
import { type Direction, findFollow, listFollows } from "./store.ts"

const shared = { tag: "user", scope: ["user"] } as const

async function follows(db: Handle, site: Site, actor: Actor, user: UserRow, direction: Direction, page: Page) {
  const found = await listFollows(db, { direction, userId: user.id, shown: listedUsers(actor) }, page)
  return listed(
    found.rows.map((each) => presentUser(site, each, actor)),
    found.total,
  )
}

async function requireFollowing(db: Handle, follower: UserRow, followed: UserRow | undefined) {
  if (!followed || !(await findFollow.first(db, { followerId: follower.id, followedId: followed.id }))) throw refuse.notFound()
  return noContent()
}

/** Followers and following. */
export const followOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "userCurrentListFollowers",
    route: "GET /user/followers",
    summary: "List the followers of the caller",
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
    access: onKnownUser,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: ({ db, me, user }) => requireFollowing(db, me, user),
  }),

  operation({
    ...shared,
    id: "userCurrentPutFollow",
    route: "PUT /user/following/{username}",
    summary: "Follow a user or an organization",
    access: onKnownUser,
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
    summary: "Unfollow a user or an organization",
    access: onKnownUser,
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
    summary: "List the followers of a user",
    access: onVisibleUserSignedIn,
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
    access: onVisibleUserSignedIn,
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
    access: onVisibleUserSignedIn,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ db, actor, user, path }) => requireFollowing(db, user, await findKnown(db, actor, path.target)),
  }),
]
