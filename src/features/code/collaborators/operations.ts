import { Mode, modeName } from "../../../access/modes.ts"
import { permissionOn } from "../../../access/permission.ts"
import { findKnown, userVisible } from "../../../access/policies/people.ts"
import {
  administered,
  type OnRepository,
  onRepositoryAsAdministrator,
  onRepositoryOfPerson,
  onRepositorySignedIn,
} from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { findUserByName } from "../../../access/store.ts"
import type { User as UserRow } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentUser, presentUserPlainly } from "../../people/users/present.ts"
import { User } from "../../people/users/records.ts"
import { AddCollaboratorOption, RepoCollaboratorPermission } from "../repositories/records.ts"
import { putCollaborator, removeCollaborator } from "./rules.ts"
import { findCollaborators, isLetIn, isShownCollaborator } from "./store.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

/** The user of the path's {collaborator}. A name that the caller doesn't know is invalid: the repository is not what is missing. */
async function requireUser(db: Handle, { actor, ...found }: OnRepository & Me, name: string): Promise<UserRow> {
  const user = await findKnown(db, actor, name, administered(found))
  if (!user) throw refuse.invalid("collaborator", t`there is no user ${name}`)
  return user
}

export const collaboratorOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoListCollaborators",
    route: "GET /repos/{owner}/{repo}/collaborators",
    summary: "List a repository's collaborators",
    description: "Of those whom the caller may know of; its administrators know all.",
    access: onRepositorySignedIn,
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, page, ...found }) => {
      const { rows, total } = await findCollaborators(db, actor, found, page)
      return listed(
        rows.map((user) => presentUser(services.site, user, actor)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "repoCheckCollaborator",
    route: "GET /repos/{owner}/{repo}/collaborators/{collaborator}",
    summary: "Check whether a user is a collaborator of a repository",
    access: onRepositorySignedIn,
    answers: { 204: null },
    refuses: ["notFound", "invalid"],
    handle: async ({ db, path, ...found }) => {
      const user = await requireUser(db, found, path.collaborator)
      if (!(await isShownCollaborator(db, found.actor, found, user.id))) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoAddCollaborator",
    route: "PUT /repos/{owner}/{repo}/collaborators/{collaborator}",
    summary: "Add a collaborator to a repository, or change their permission",
    access: onRepositoryAsAdministrator,
    body: AddCollaboratorOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, path, body, ...found }) => {
      const { actor, repository } = found
      const user = await requireUser(db, found, path.collaborator)
      const mode = Mode[body.permission ?? "write"]
      await services.database.write((tx) => putCollaborator(tx, actor, repository.id, { user, mode }, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoDeleteCollaborator",
    route: "DELETE /repos/{owner}/{repo}/collaborators/{collaborator}",
    summary: "Remove a collaborator from a repository",
    description: "Users who lose access to the repository stop watching it.",
    access: onRepositoryAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, path, ...found }) => {
      const user = await requireUser(db, found, path.collaborator)
      await services.database.write((tx) => removeCollaborator(tx, found.me, found.repository.id, user))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoGetRepoPermissions",
    route: "GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission",
    summary: "Get a user's permission on a repository",
    access: onRepositoryOfPerson,
    answers: { 200: RepoCollaboratorPermission },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, me, owner, repository, path }) => {
      const user = await findUserByName.first(db, { lowerName: path.collaborator.toLowerCase() })
      const isKnown = user && ((await userVisible(db, actor, user)) || (await isLetIn(db, repository.id, user.id)))
      if (!isKnown) throw refuse.notFound()
      const asUser = { kind: "user", user, credential: { kind: "password" }, basic: false } as const
      const permission = modeName((await permissionOn(db, asUser, { owner, repository })).mode)
      // Clients expect the account's state here only if the owner asks about themself.
      const isOwner = user.id === me.id && user.id === owner.id
      const record = isOwner ? presentUser(services.site, user, actor) : presentUserPlainly(services.site, user, true)
      return ok({ permission, role_name: permission, user: record })
    },
  }),
]
