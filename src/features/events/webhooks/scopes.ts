import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { signedIn, siteAdministrator } from "../../../access/policies/site.ts"
import type { Access, Operation } from "../../../core/operation.ts"
import { ME, ORGANIZATION, type OwnerScope, REPOSITORY, SITE } from "../../../core/owner-scope.ts"
import type { HookOwner } from "./store.ts"

/** The scopes of webhooks, and who may manage them. */
export interface HookScope extends OwnerScope {
  readonly access: Access<{ readonly owner: HookOwner }>
  readonly publicOnly?: "refused"
}

const within = <Found>(access: Access<Found>, ownerOf: (found: Found) => HookOwner): HookScope["access"] => ({
  rule: access.rule,
  open: async (request) => ({ owner: ownerOf(await access.open(request)) }),
})

const ofSite: HookScope = {
  ...SITE,
  access: within(siteAdministrator, () => ({ of: "site", sort: "all" })),
}

const ofOrganization: HookScope = {
  ...ORGANIZATION,
  access: within(onOrganizationAsOwner, ({ organization }) => ({ of: "owner", ownerId: organization.id })),
}

const mine: HookScope = {
  ...ME,
  access: within(signedIn, ({ me }) => ({ of: "owner", ownerId: me.id })),
  publicOnly: "refused",
}

const ofRepository: HookScope = {
  ...REPOSITORY,
  access: within(onRepositoryAsAdministrator, ({ repository }) => ({ of: "repository", repositoryId: repository.id })),
}

/** The operations that `declare` returns for one scope, for all scopes. */
export const inEveryScope = (declare: (scope: HookScope) => readonly Operation[]): readonly Operation[] =>
  [ofSite, ofOrganization, mine, ofRepository].flatMap(declare)

/** The properties that all operations of a scope share. */
export const propertiesOf = ({ tag, scope, access, publicOnly }: HookScope) => ({ tag, scope, access, ...(publicOnly && { publicOnly }) })
