import { type RawBuilder, type SqlBool, sql } from "kysely"
import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { type OnRepository, onRepositoryAsOwner, onRepositoryUnit } from "../../access/policies/repositories.ts"
import { signedIn, siteAdministrator } from "../../access/policies/site.ts"
import type { Access, Operation, ScopeCategory } from "../../core/operation.ts"

/** Whose runners, runs, variables and secrets: a repository's, a person's or an organisation's, or the site's. */
export type Place =
  | { readonly of: "repository"; readonly repositoryId: number }
  | { readonly of: "owner"; readonly ownerId: number }
  | { readonly of: "site" }

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

/**
 * A place that has runners, runs and jobs, and mostly variables and secrets. All offer the same operations, which are declared once, as
 * functions of the scope: what differs is written here.
 */
export interface ActionScope {
  /** What stands in the path before /actions. */
  readonly prefix: string
  /** What stands in the operations' ids, and what some of them begin with. */
  readonly name: "Admin" | "Org" | "User" | "Repo"
  readonly id: "admin" | "org" | "user" | "repo"
  readonly runsId: string
  readonly jobsId: string
  /** Whose they are, for the summaries: "a repository’s". */
  readonly whose: string
  readonly tag: string
  readonly scope: readonly ScopeCategory[]
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
  prefix: "/admin",
  name: "Admin",
  id: "admin",
  runsId: "listAdminWorkflowRuns",
  jobsId: "listAdminWorkflowJobs",
  whose: "the site’s",
  tag: "admin",
  scope: ["admin"],
  managing: administered,
  reading: administered,
  publicOnly: "allowed",
  listsPublicOnly: "refused",
}

const ofOrganization: ActionScope = {
  prefix: "/orgs/{org}",
  name: "Org",
  id: "org",
  runsId: "getOrgWorkflowRuns",
  jobsId: "getOrgWorkflowJobs",
  whose: "an organisation’s",
  tag: "organization",
  scope: ["organization"],
  managing: owned,
  reading: owned,
  publicOnly: "allowed",
  listsPublicOnly: "refused",
}

const ofMe: ActionScope = {
  prefix: "/user",
  name: "User",
  id: "user",
  runsId: "getUserWorkflowRuns",
  jobsId: "getUserWorkflowJobs",
  whose: "your",
  tag: "user",
  scope: ["user"],
  managing: mine,
  reading: mine,
  publicOnly: "refused",
  listsPublicOnly: "refused",
}

const ofRepository: ActionScope = {
  prefix: "/repos/{owner}/{repo}",
  name: "Repo",
  id: "repo",
  runsId: "getWorkflowRuns",
  jobsId: "listWorkflowJobs",
  whose: "a repository’s",
  tag: "repository",
  scope: ["repository"],
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
