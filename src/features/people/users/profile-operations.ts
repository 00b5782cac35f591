import { onVisibleUser } from "../../../access/policies/people.ts"
import { anyone, signedIn } from "../../../access/policies/site.ts"
import type { Actor, User as UserRow } from "../../../core/actor.ts"
import { listed, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Site } from "../../../core/site.ts"
import { presentUser } from "./present.ts"
import { User, UserSearchResults } from "./records.ts"
import { type Found, searchPeople } from "./store.ts"

const shared = { tag: "user", scope: ["user"] } as const

const presentAll = (site: Site, actor: Actor, { rows }: Found<UserRow>) => rows.map((user) => presentUser(site, user, actor))

/** Reading and searching users. */
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
    mayBeOld: true,
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
]
