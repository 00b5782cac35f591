import { type RawBuilder, type SqlBool, sql } from "kysely"
import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { type OnRepository, onRepositoryAsOwner, onRepositoryUnit } from "../../access/policies/repositories.ts"
import { signedIn, siteAdministrator } from "../../access/policies/site.ts"
import type { Access, Operation } from "../../core/operation.ts"
import { ME, ORGANIZATION, type OwnerScope, type Owning, REPOSITORY, SITE } from "../../core/owner-scope.ts"

export type Place = Owning

/** What is a place's own, as columns. */
export const columnsOf = (place: Place) => ({
  repository_id: place.of === "repository" ? place.repositoryId : null,
  owner_id: place.of === "owner" ? place.ownerId : null,
})

/** A place as one word: what tokens and secrets are sealed for, so that they are worth nothing elsewhere. */
export const wordOf = (place: Place): string =>
  place.of === "site" ? "site" : place.of === "owner" ? `owner:${place.ownerId}` : `repository:${place.repositoryId}`

/** Which rows of a table with the columns repository_id and owner_id are a place's own. */
export function ownOf(
  table: "runners" | "runner_registrations" | "action_variables" | "action_secrets",
  place: Place,
): RawBuilder<SqlBool> {
  const repository = sql.ref(`${table}.repository_id`)
  const owner = sql.ref(`${table}.owner_id`)
  switch (place.of) {
    case "repository":
      return sql<SqlBool>`${repository} = ${place.repositoryId}`
    case "owner":
      return sql<SqlBool>`${owner} = ${place.ownerId}`
    case "site":
      return sql<SqlBool>`(${repository} is null and ${owner} is null)`
  }
}

/** What is found where somebody is let in: the place, and the repository where it is one. */
export interface InPlace {
  readonly place: Place
  readonly on?: OnRepository
}

/** Where there are runners, runs and jobs, and mostly variables and secrets, and who may see to them. */
export interface ActionScope extends OwnerScope {
  /** What stands in the operations' ids; some of them begin with `id`. */
  readonly name: "Admin" | "Org" | "User" | "Repo"
  readonly id: "admin" | "org" | "user" | "repo"
  readonly runsId: string
  readonly jobsId: string
  /** Runners, variables and secrets. */
  readonly managing: Access<InPlace>
  /** Runs and jobs. */
  readonly reading: Access<InPlace>
  readonly publicOnly: "allowed" | "refused"
  /** Runs and jobs of private repositories are among those of all. */
  readonly listsPublicOnly: "allowed" | "refused"
}

const within = <Found>(access: Access<Found>, placeOf: (found: Found) => InPlace): Access<InPlace> => ({
  rule: access.rule,
  open: async (request) => placeOf(await access.open(request)),
})

const administered = within(siteAdministrator, () => ({ place: { of: "site" } }))
const owned = within(onOrganizationAsOwner, ({ organization }) => ({ place: { of: "owner", ownerId: organization.id } }))
const mine = within(signedIn, ({ me }) => ({ place: { of: "owner", ownerId: me.id } }))
const inRepository = (on: OnRepository): InPlace => ({ place: { of: "repository", repositoryId: on.repository.id }, on })

const ofSite: ActionScope = {
  ...SITE,
  name: "Admin",
  runsId: "listAdminWorkflowRuns",
  jobsId: "listAdminWorkflowJobs",
  managing: administered,
  reading: administered,
  publicOnly: "allowed",
  listsPublicOnly: "refused",
}

const ofOrganization: ActionScope = {
  ...ORGANIZATION,
  name: "Org",
  runsId: "getOrgWorkflowRuns",
  jobsId: "getOrgWorkflowJobs",
  managing: owned,
  reading: owned,
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
  publicOnly: "refused",
  listsPublicOnly: "refused",
}

const ofRepository: ActionScope = {
  ...REPOSITORY,
  name: "Repo",
  runsId: "getWorkflowRuns",
  jobsId: "listWorkflowJobs",
  managing: within(onRepositoryAsOwner, inRepository),
  reading: within(onRepositoryUnit("actions", "read"), inRepository),
  publicOnly: "allowed",
  listsPublicOnly: "allowed",
}

/** The operations that `declare` makes for one scope, for all of them. */
export const inEveryScope = (declare: (scope: ActionScope) => readonly Operation[]): readonly Operation[] =>
  [ofSite, ofOrganization, ofMe, ofRepository].flatMap(declare)

/** The same for the scopes that have variables and secrets: the site has none. */
export const inScopesBelowSite = (declare: (scope: ActionScope) => readonly Operation[]): readonly Operation[] =>
  [ofOrganization, ofMe, ofRepository].flatMap(declare)

/** What operations on runners, variables and secrets have in common in a scope, and what the lists of runs and jobs have. */
export const managingIn = ({ tag, scope, managing, publicOnly }: ActionScope) =>
  ({ tag, scope, access: managing, ...(publicOnly === "refused" && { publicOnly }) }) as const
export const readingIn = ({ tag, scope, reading, listsPublicOnly }: ActionScope) =>
  ({ tag, scope, access: reading, ...(listsPublicOnly === "refused" && { publicOnly: listsPublicOnly }) }) as const
