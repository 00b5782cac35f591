import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { onRepositoryAsAdministrator, onRepositoryAsOwner } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { accepted, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { dropAvatar, storeAvatar } from "../../people/avatars/pictures.ts"
import { deleted, SAYS_UNTIL_WHEN } from "../deletions/answer.ts"
import { presentRepository } from "../repositories/present.ts"
import { EditRepoOption, Repository, UpdateRepoAvatarOption } from "../repositories/records.ts"
import { findNewestOwned } from "../repositories/store.ts"
import { deleteOwnedJob, deleteRepository } from "./delete.ts"
import { changeAvatar, editRepository } from "./edit.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

export const editOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoEdit",
    route: "PATCH /repos/{owner}/{repo}",
    summary: "Edit a repository",
    description:
      "Only what is sent changes, all of it or nothing. A unit that is switched off keeps its settings. An archived repository's settings can be changed too.",
    access: onRepositoryAsAdministrator,
    body: EditRepoOption,
    answers: { 200: Repository },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, actor, me, repository, body }) => {
      const edited = await editRepository(services, me, repository.id, body)
      return ok(await presentRepository(services.database.read, services.site, actor, edited))
    },
  }),

  operation({
    ...shared,
    id: "repoDelete",
    route: "DELETE /repos/{owner}/{repo}",
    summary: "Delete a repository",
    description: `With everything that belongs to it. Forks stand on their own from then on; open pull requests from it to others are closed. ${SAYS_UNTIL_WHEN}`,
    access: onRepositoryAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, repository, me }) => {
      if (!(await services.database.write((tx) => deleteRepository(tx, services, repository, me, { mayBeRestored: true }))))
        throw refuse.notFound()
      return deleted(services, "repository", repository.id)
    },
  }),

  operation({
    id: "orgDeleteRepos",
    route: "DELETE /orgs/{org}/repos",
    summary: "Delete all repositories of an organization",
    description: "They are deleted one after the other once this is answered; 204 where there were none.",
    tag: "organization",
    scope: ["organization"],
    access: onOrganizationAsOwner,
    answers: { 202: null, 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, organization, me }) => {
      const newest = await findNewestOwned.first(services.database.read, { ownerId: organization.id })
      if (!newest) return noContent()
      const payload = { ownerId: organization.id, newestId: newest.id, doerId: me.id }
      await services.database.write((tx) => services.jobs.enqueue(tx, deleteOwnedJob, payload))
      return accepted(undefined)
    },
  }),

  operation({
    ...shared,
    id: "repoUpdateAvatar",
    route: "POST /repos/{owner}/{repo}/avatar",
    summary: "Set a repository's avatar",
    access: onRepositoryAsAdministrator,
    body: UpdateRepoAvatarOption,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, body }) => {
      await storeAvatar(services, body.image, async (digest) => {
        await changeAvatar(services, repository, me, digest)
        if (digest !== repository.avatar) await dropAvatar(services, repository.avatar)
      })
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoDeleteAvatar",
    route: "DELETE /repos/{owner}/{repo}/avatar",
    summary: "Delete a repository's avatar",
    access: onRepositoryAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, repository, me }) => {
      await changeAvatar(services, repository, me, "")
      await dropAvatar(services, repository.avatar)
      return noContent()
    },
  }),
]
