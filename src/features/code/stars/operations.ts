import { onVisibleUserSignedIn } from "../../../access/policies/people.ts"
import { mineOnRepository, onRepository } from "../../../access/policies/repositories.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentUser } from "../../people/users/present.ts"
import { User } from "../../people/users/records.ts"
import { Repository } from "../repositories/records.ts"
import { starredBy } from "../repositories/search-store.ts"
import { listStarredOrWatched } from "../repositories/starred-or-watched.ts"
import { star, unstar } from "./rules.ts"
import { findStar, findStargazers } from "./store.ts"

const ofUser = { tag: "user", scope: ["user", "repository"] } as const

export const starOperations: readonly Operation[] = [
  operation({
    ...ofUser,
    id: "userCurrentListStarred",
    route: "GET /user/starred",
    summary: "List the repositories that the caller has starred",
    description: "Those that the caller can still reach.",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    handle: ({ db, services, actor, me, page }) =>
      listStarredOrWatched(db, services.site, { actor, person: me, where: starredBy(me.id) }, page),
  }),

  operation({
    ...ofUser,
    id: "userListStarred",
    route: "GET /users/{username}/starred",
    summary: "List the repositories that a user has starred",
    description: "Of others, those that are open to all. The permissions are those of the user.",
    access: onVisibleUserSignedIn,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    refuses: ["notFound"],
    handle: ({ db, services, actor, user, page }) =>
      listStarredOrWatched(db, services.site, { actor, person: user, where: starredBy(user.id) }, page),
  }),

  operation({
    ...ofUser,
    id: "userCurrentCheckStarring",
    route: "GET /user/starred/{owner}/{repo}",
    summary: "Check whether the caller has starred a repository",
    access: mineOnRepository,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ db, me, repository }) => {
      if (!(await findStar.first(db, { userId: me.id, repositoryId: repository.id }))) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...ofUser,
    id: "userCurrentPutStar",
    route: "PUT /user/starred/{owner}/{repo}",
    summary: "Star a repository",
    description: "Starring again changes nothing.",
    access: mineOnRepository,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, actor, repository }) => {
      await services.database.write((tx) => star(tx, actor, repository.id, services.now()))
      return noContent()
    },
  }),

  operation({
    ...ofUser,
    id: "userCurrentDeleteStar",
    route: "DELETE /user/starred/{owner}/{repo}",
    summary: "Unstar a repository",
    access: mineOnRepository,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, me, repository }) => {
      await services.database.write((tx) => unstar(tx, me, repository.id))
      return noContent()
    },
  }),

  operation({
    id: "repoListStargazers",
    route: "GET /repos/{owner}/{repo}/stargazers",
    summary: "List the stargazers of a repository",
    description: "Of those whom the caller may know of, in the order in which they did.",
    tag: "repository",
    scope: ["repository"],
    access: onRepository,
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, repository, page }) => {
      const { rows, total } = await findStargazers(db, actor, repository.id, page)
      return listed(
        rows.map((user) => presentUser(services.site, user, actor)),
        total,
      )
    },
  }),
]
