import type { ScopeCategory } from "./operation.ts"

/** Whose something is: a repository's, a person's or an organisation's, or the site's. */
export type Owning =
  | { readonly of: "repository"; readonly repositoryId: number }
  | { readonly of: "owner"; readonly ownerId: number }
  | { readonly of: "site" }

/**
 * One of those under which the same operations are offered. They are declared once, as functions of the scope: what differs is written in it, and
 * features add what they need, above all who may.
 */
export interface OwnerScope {
  /** What their routes begin with. */
  readonly prefix: string
  /** What stands in the operations' ids. */
  readonly id: string
  /** Whose they are, for the summaries: "a repository’s". */
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
