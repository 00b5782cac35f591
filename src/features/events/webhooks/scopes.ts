import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { signedIn, siteAdministrator } from "../../../access/policies/site.ts"
import type { Access, Operation, ScopeCategory } from "../../../core/operation.ts"
import type { Place } from "./store.ts"

/**
 * A place that has webhooks. All four offer the same operations, which are declared once, as functions of the scope: what differs is written
 * here.
 */
export interface HookScope {
  /** What stands in the path before /hooks. */
  readonly prefix: string
  /** What the operations' ids begin with. */
  readonly id: string
  /** Whose they are, for the summaries: "a repository’s". */
  readonly whose: string
  readonly tag: string
  readonly scope: readonly ScopeCategory[]
  readonly access: Access<{ readonly place: Place }>
  readonly publicOnly?: "refused"
}

const within = <Found>(access: Access<Found>, placeOf: (found: Found) => Place): HookScope["access"] => ({
  rule: access.rule,
  open: async (request) => ({ place: placeOf(await access.open(request)) }),
})

const ofSite: HookScope = {
  prefix: "/admin",
  id: "admin",
  whose: "the site’s",
  tag: "admin",
  scope: ["admin"],
  access: within(siteAdministrator, () => ({ of: "site", sort: "all" })),
}

const ofOrganization: HookScope = {
  prefix: "/orgs/{org}",
  id: "org",
  whose: "an organisation’s",
  tag: "organization",
  scope: ["organization"],
  access: within(onOrganizationAsOwner, ({ organization }) => ({ of: "owner", ownerId: organization.id })),
}

const mine: HookScope = {
  prefix: "/user",
  id: "user",
  whose: "your",
  tag: "user",
  scope: ["user"],
  access: within(signedIn, ({ me }) => ({ of: "owner", ownerId: me.id })),
  publicOnly: "refused",
}

const ofRepository: HookScope = {
  prefix: "/repos/{owner}/{repo}",
  id: "repo",
  whose: "a repository’s",
  tag: "repository",
  scope: ["repository"],
  access: within(onRepositoryAsAdministrator, ({ repository }) => ({ of: "repository", repositoryId: repository.id })),
}

/** The operations that `declare` makes for one scope, for all of them. */
export const inEveryScope = (declare: (scope: HookScope) => readonly Operation[]): readonly Operation[] =>
  [ofSite, ofOrganization, mine, ofRepository].flatMap(declare)

/** What the operations of a scope have in common. */
export const sharedIn = ({ tag, scope, access, publicOnly }: HookScope) => ({ tag, scope, access, ...(publicOnly && { publicOnly }) })
