import { onOrganization } from "../../../access/policies/organizations.ts"
import { onVisibleUser } from "../../../access/policies/people.ts"
import { anyone, signedIn } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { listed, type Operation, operation, type Page } from "../../../core/operation.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { presentRepositories } from "./present.ts"
import { Repository, SearchResults } from "./records.ts"
import { type Condition, concerning, conditionsOf, listRepositories, MODES, type Order, ownedBy, SORTS } from "./search-store.ts"
import { withOwners } from "./store.ts"

interface Listing {
  readonly db: Handle
  readonly services: Services
  readonly actor: Actor
  readonly page: Page
}

/** A page of the repositories that match the conditions and are visible to the caller, with the total. */
async function listPage({ db, services, actor, page }: Listing, where: readonly Condition[], order: Order) {
  const { rows, total } = await listRepositories(db, actor, { where, order }, page)
  return { records: await presentRepositories(db, services.site, actor, await withOwners(db, rows)), total }
}

const LATEST: Order = { by: "updated", direction: "desc" }
const BY_NAME: Order = { by: "name" }

async function ofOwner(listing: Listing, ownerId: number) {
  const { records, total } = await listPage(listing, [ownedBy(ownerId)], LATEST)
  return listed(records, total)
}

export const listOperations: readonly Operation[] = [
  operation({
    id: "repoSearch",
    route: "GET /repos/search",
    summary: "Search repositories",
    description: "Finds what the caller may know of. Without a sort, by name.",
    tag: "repository",
    scope: ["repository"],
    access: anyone,
    mayBeOld: true,
    paged: true,
    query: {
      q: Type.Optional(
        Type.String({ description: "part of a name or topic; several with commas between them, of which one must be found" }),
      ),
      topic: Type.Optional(Type.Boolean({ description: "q is a whole topic" })),
      includeDesc: Type.Optional(Type.Boolean({ description: "find q in descriptions too" })),
      uid: Type.Optional(int64({ description: "owned by this user, or worked on by it" })),
      priority_owner_id: Type.Optional(int64({ description: "this user's repositories come first" })),
      team_id: Type.Optional(int64({ description: "that this team has" })),
      starredBy: Type.Optional(int64({ description: "that this user has starred" })),
      private: Type.Optional(Type.Boolean({ description: "false leaves out what isn't open to all; true where it is not sent" })),
      is_private: Type.Optional(Type.Boolean({ description: "private ones only, or public ones only" })),
      template: Type.Optional(Type.Boolean({ description: "templates only, or none" })),
      archived: Type.Optional(Type.Boolean({ description: "archived ones only, or none" })),
      mode: Type.Optional(oneOf(MODES, { description: "forks, sources, mirrors, or what uid works on without owning it" })),
      exclusive: Type.Optional(Type.Boolean({ description: "only what uid itself owns" })),
      sort: Type.Optional(oneOf(SORTS)),
      order: Type.Optional(
        oneOf(["asc", "desc"], {
          description: "asc where it is not sent; counts only together with sort",
          onlyWith: "sort",
          synonyms: { asc: ["ascending"], desc: ["descending"] },
        }),
      ),
    },
    answers: { 200: SearchResults },
    refuses: ["invalid"],
    handle: async ({ db, services, actor, page, query }) => {
      const where = conditionsOf(actor, {
        keyword: { text: query.q ?? "", topicsOnly: query.topic ?? false, inDescriptions: query.includeDesc ?? false },
        uid: query.uid,
        exclusive: query.exclusive ?? false,
        mode: query.mode,
        teamId: query.team_id,
        starredBy: query.starredBy,
        withHidden: query.private ?? true,
        isPrivate: query.is_private,
        isTemplate: query.template,
        isArchived: query.archived,
      })
      const order: Order = query.sort
        ? { by: query.sort, direction: query.order ?? "asc" }
        : { by: "name", firstOwnerId: query.priority_owner_id }
      const { records, total } = await listPage({ db, services, actor, page }, where, order)
      return listed({ ok: true, data: records }, total)
    },
  }),

  operation({
    id: "userCurrentListRepos",
    route: "GET /user/repos",
    summary: "List the repositories that the caller owns or collaborates on",
    description: "By name.",
    tag: "user",
    scope: ["user", "repository"],
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    handle: async ({ db, services, actor, me, page }) => {
      const { records, total } = await listPage({ db, services, actor, page }, [concerning(me.id)], BY_NAME)
      return listed(records, total)
    },
  }),

  operation({
    id: "userListRepos",
    route: "GET /users/{username}/repos",
    summary: "List the repositories that a user owns",
    description: "Those that the caller may know of, the latest changed first.",
    tag: "user",
    scope: ["user", "repository"],
    access: onVisibleUser,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    refuses: ["notFound"],
    handle: ({ db, services, actor, user, page }) => ofOwner({ db, services, actor, page }, user.id),
  }),

  operation({
    id: "orgListRepos",
    route: "GET /orgs/{org}/repos",
    summary: "List the repositories of an organization",
    description: "Those that the caller may know of, the latest changed first.",
    tag: "organization",
    scope: ["organization"],
    access: onOrganization,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    refuses: ["notFound"],
    handle: ({ db, services, actor, organization, page }) => ofOwner({ db, services, actor, page }, organization.id),
  }),
]
