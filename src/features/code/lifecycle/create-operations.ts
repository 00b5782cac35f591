import type { Owned } from "../../../access/permission.ts"
import { onOrganizationAsCreator } from "../../../access/policies/organizations.ts"
import { siteAdministratorOnUser } from "../../../access/policies/people.ts"
import { signedIn } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import { created, type Operation, operation } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { EVERYTHING, presentRepository } from "../repositories/present.ts"
import { CreateRepoOption, Repository } from "../repositories/records.ts"
import { createRepository } from "./create.ts"

const shared = {
  body: CreateRepoOption,
  answers: { 201: Repository },
  refuses: ["badRequest", "forbidden", "notFound", "conflict", "invalid"],
} as const

/** The creator sees the new repository with an owner's permissions. */
const made = async (services: Services, actor: Actor, owned: Owned) =>
  created(await presentRepository(services.database.read, services.site, actor, owned, EVERYTHING))

const ofOrganization = {
  ...shared,
  tag: "organization",
  scope: ["organization", "repository"],
  access: onOrganizationAsCreator,
  publicOnly: "refused",
} as const

export const creationOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "createCurrentUserRepo",
    route: "POST /user/repos",
    summary: "Create a repository of the caller",
    tag: "repository",
    scope: ["user", "repository"],
    access: signedIn,
    handle: async ({ services, actor, me, body }) =>
      made(services, actor, await createRepository(services, { doer: me, owner: me, options: body })),
  }),

  operation({
    ...ofOrganization,
    id: "createOrgRepo",
    route: "POST /orgs/{org}/repos",
    summary: "Create a repository of an organization",
    handle: async ({ services, actor, me, organization, body }) =>
      made(services, actor, await createRepository(services, { doer: me, owner: organization, options: body })),
  }),

  operation({
    ...ofOrganization,
    id: "createOrgRepoDeprecated",
    route: "POST /org/{org}/repos",
    summary: "Create a repository of an organization",
    description: "The same as POST /orgs/{org}/repos, under its older path.",
    deprecated: true,
    handle: async ({ services, actor, me, organization, body }) =>
      made(services, actor, await createRepository(services, { doer: me, owner: organization, options: body })),
  }),

  operation({
    ...shared,
    id: "adminCreateRepo",
    route: "POST /admin/users/{username}/repos",
    summary: "Create a repository for a user or an organization",
    tag: "admin",
    scope: ["admin"],
    access: siteAdministratorOnUser,
    handle: async ({ services, actor, me, user, body }) =>
      made(services, actor, await createRepository(services, { doer: me, owner: user, options: body })),
  }),
]
