import type { ScopeCategory } from "./operation.ts"

/** The owner of something: a repository, a person or organisation, or the site. */
export type Owning =
  | { readonly of: "repository"; readonly repositoryId: number }
  | { readonly of: "owner"; readonly ownerId: number }
  | { readonly of: "site" }

/** The owner in events, from the columns of a row. */
export const ownerIdsOf = (row: { readonly repository_id: number | null; readonly owner_id: number | null }) => ({
  repositoryId: row.repository_id,
  ownerId: row.owner_id,
})

/**
 * An owner for which the same operations exist. They are declared once, as functions of the scope, which contains the differences; features add
 * what they need, above all the policy.
 */
export interface OwnerScope {
  /** The prefix of the routes. */
  readonly prefix: string
  /** The word in the operations' ids. */
  readonly id: string
  /** The owner in the summaries: "a repository’s". */
  readonly whose: string
  readonly tag: string
  readonly scope: readonly ScopeCategory[]
}

export const SITE = { prefix: "/admin", id: "admin", whose: "the site’s", tag: "admin", scope: ["admin"] } as const satisfies OwnerScope
export const ORGANIZATION = {
  prefix: "/orgs/{org}",
  id: "org",
  whose: "an organisation’s",
  tag: "organization",
  scope: ["organization"],
} as const satisfies OwnerScope
export const ME = { prefix: "/user", id: "user", whose: "your", tag: "user", scope: ["user"] } as const satisfies OwnerScope
export const REPOSITORY = {
  prefix: "/repos/{owner}/{repo}",
  id: "repo",
  whose: "a repository’s",
  tag: "repository",
  scope: ["repository"],
} as const satisfies OwnerScope
