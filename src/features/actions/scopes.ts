import { type RawBuilder, type SqlBool, sql } from "kysely"
import { type OnOrganization, onOrganizationAsMember, onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { type OnRepository, onRepositoryAsOwner, onRepositoryUnit } from "../../access/policies/repositories.ts"
import { signedIn, siteAdministrator } from "../../access/policies/site.ts"
import type { Access, Operation } from "../../core/operation.ts"
import { ME, ORGANIZATION, type OwnerScope, type Owning, REPOSITORY, SITE } from "../../core/owner-scope.ts"

/** The columns that assign a row to an owner scope. */
export const ownerColumns = (owning: Owning) => ({
  repository_id: owning.of === "repository" ? owning.repositoryId : null,
  owner_id: owning.of === "owner" ? owning.ownerId : null,
})

/** An owner scope as one word: part of the context that tokens and secrets are sealed for, so that they can't be used elsewhere. */
export const sealContext = (owning: Owning): string =>
  owning.of === "site" ? "site" : owning.of === "owner" ? `owner:${owning.ownerId}` : `repository:${owning.repositoryId}`

/** The condition for rows of an owner scope, in a table with the columns repository_id and owner_id. */
export function ownedBy(
  table: "runners" | "runner_registrations" | "action_variables" | "action_secrets",
  owning: Owning,
): RawBuilder<SqlBool> {
  const repository = sql.ref(`${table}.repository_id`)
  const owner = sql.ref(`${table}.owner_id`)
  switch (owning.of) {
    case "repository":
      return sql<SqlBool>`${repository} = ${owning.repositoryId}`
    case "owner":
      return sql<SqlBool>`${owner} = ${owning.ownerId}`
    case "site":
      return sql<SqlBool>`(${repository} is null and ${owner} is null)`
  }
}

/** What policies find: the owner scope, and the repository where it is one. */
export interface FoundScope {
  readonly owning: Owning
  readonly on?: OnRepository
}

/** An owner scope that has runners, runs and jobs, and except for the site variables and secrets, with its policies. */
export interface ActionScope extends OwnerScope {
  /** Part of the operations' ids; some begin with `id` instead. */
  readonly name: "Admin" | "Org" | "User" | "Repo"
  readonly id: "admin" | "org" | "user" | "repo"
  readonly runsId: string
  readonly jobsId: string
  /** The policy for runners, variables and secrets. */
  readonly managing: Access<FoundScope>
  /** The policy for runs and jobs. */
  readonly reading: Access<FoundScope>
  /** Whether those who pass the policy for runs and jobs see all of them, or those of the repositories that they may read. */
  readonly sees: "all" | "readable"
  readonly publicOnly: "allowed" | "refused"
  /** Whether tokens limited to public repositories may list runs and jobs, which may include those of private ones. */
  readonly listsPublicOnly: "allowed" | "refused"
}

const scoped = <Found>(access: Access<Found>, scopeOf: (found: Found) => FoundScope): Access<FoundScope> => ({
  rule: access.rule,
  open: async (request) => scopeOf(await access.open(request)),
})

const administered = scoped(siteAdministrator, () => ({ owning: { of: "site" } }))
const ofOwner = ({ organization }: OnOrganization): FoundScope => ({ owning: { of: "owner", ownerId: organization.id } })
const owned = scoped(onOrganizationAsOwner, ofOwner)
const mine = scoped(signedIn, ({ me }) => ({ owning: { of: "owner", ownerId: me.id } }))
const inRepository = (on: OnRepository): FoundScope => ({ owning: { of: "repository", repositoryId: on.repository.id }, on })

const ofSite: ActionScope = {
  ...SITE,
  name: "Admin",
  runsId: "listAdminWorkflowRuns",
  jobsId: "listAdminWorkflowJobs",
  managing: administered,
  reading: administered,
  sees: "all",
  publicOnly: "allowed",
  listsPublicOnly: "refused",
}

const ofOrganization: ActionScope = {
  ...ORGANIZATION,
  name: "Org",
  runsId: "getOrgWorkflowRuns",
  jobsId: "getOrgWorkflowJobs",
  managing: owned,
  reading: scoped(onOrganizationAsMember, ofOwner),
  sees: "readable",
  publicOnly: "allowed",
  listsPublicOnly: "refused",
}

const ofMe: ActionScope = {
  ...ME,
  name: "User",
  runsId: "getUserWorkflowRuns",
  jobsId: "getUserWorkflowJobs",
  managing: mine,
  reading: mine,
  sees: "all",
  publicOnly: "refused",
  listsPublicOnly: "refused",
}

const ofRepository: ActionScope = {
  ...REPOSITORY,
  name: "Repo",
  runsId: "getWorkflowRuns",
  jobsId: "listWorkflowJobs",
  managing: scoped(onRepositoryAsOwner, inRepository),
  reading: scoped(onRepositoryUnit("actions", "read"), inRepository),
  sees: "all",
  publicOnly: "allowed",
  listsPublicOnly: "allowed",
}

/** Declares operations for every owner scope. */
export const inEveryScope = (declare: (scope: ActionScope) => readonly Operation[]): readonly Operation[] =>
  [ofSite, ofOrganization, ofMe, ofRepository].flatMap(declare)

/** The same for the owner scopes that have variables and secrets: all but the site. */
export const inScopesBelowSite = (declare: (scope: ActionScope) => readonly Operation[]): readonly Operation[] =>
  [ofOrganization, ofMe, ofRepository].flatMap(declare)

/** The common members of operations on runners, variables and secrets in a scope, and of lists of runs and jobs. */
export const managingIn = ({ tag, scope, managing, publicOnly }: ActionScope) =>
  ({ tag, scope, access: managing, ...(publicOnly === "refused" && { publicOnly }) }) as const
export const readingIn = ({ tag, scope, reading, listsPublicOnly }: ActionScope) =>
  ({ tag, scope, access: reading, ...(listsPublicOnly === "refused" && { publicOnly: listsPublicOnly }) }) as const
