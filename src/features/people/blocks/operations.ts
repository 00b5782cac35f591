import { onKnownUser } from "../../../access/policies/people.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentUser } from "../users/present.ts"
import { User } from "../users/records.ts"
import { block, unblock } from "./rules.ts"
import { countBlocked, findBlocked, findBlockOf } from "./store.ts"

const shared = { tag: "user", scope: ["user"], publicOnly: "refused" } as const

export const blockOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "userListBlocks",
    route: "GET /user/blocks",
    summary: "List the users whom the caller has blocked",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(User) },
    handle: async ({ db, services, actor, me, page }) => {
      const total = (await countBlocked.first(db, { blockerId: me.id }))?.total ?? 0
      const people = await findBlocked(db, { blockerId: me.id, limit: page.limit, offset: page.offset })
      return listed(
        people.map((person) => presentUser(services.site, person, actor)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "userCheckUserBlock",
    route: "GET /user/blocks/{username}",
    summary: "Check whether the caller has blocked a user",
    access: onKnownUser,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ db, me, user }) => {
      if (!(await findBlockOf.first(db, { blockedId: user.id, blockerIds: [me.id] }))) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "userBlockUser",
    route: "PUT /user/blocks/{username}",
    summary: "Block a user",
    description: "Ends following, stars, watches, collaborations and offered transfers between the two, in both directions.",
    access: onKnownUser,
    query: { note: Type.Optional(Type.String({ maxLength: 255, description: "why, for the caller alone" })) },
    answers: { 204: null },
    refuses: ["badRequest", "notFound", "invalid"],
    handle: async ({ services, me, user, query }) => {
      await services.database.write((tx) => block(tx, me, user, query.note, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "userUnblockUser",
    route: "DELETE /user/blocks/{username}",
    summary: "Unblock a user",
    access: onKnownUser,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, me, user }) => {
      await services.database.write((tx) => unblock(tx, me, user))
      return noContent()
    },
  }),
]
