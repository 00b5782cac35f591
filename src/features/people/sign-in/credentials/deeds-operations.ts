import { onOrganizationAsOwner } from "../../../../access/policies/organizations.ts"
import { onSelf } from "../../../../access/policies/people.ts"
import { onRepositoryAsAdministrator } from "../../../../access/policies/repositories.ts"
import type { Handle } from "../../../../core/database/database.ts"
import { listed, type Operation, operation, type Page } from "../../../../core/operation.ts"
import { rfc3339 } from "../../../../core/record.ts"
import Type from "../../../../core/schema.ts"
import type { DeedRow, DeedsOf } from "./deeds-store.ts"
import { tokenOf } from "./operations.ts"
import { TokenDeed } from "./records.ts"

/** What tokens for one task did: for who made the token, and for those who administer what it changed. */

const presentDeed = (row: DeedRow): TokenDeed => ({
  id: row.id,
  token_id: row.token_id,
  token_name: row.token_name,
  user: { id: row.user_id, login: row.user_name },
  operation: row.operation,
  path: row.path,
  status: row.status,
  created_at: rfc3339(row.created_at),
})

async function deedsOf(db: Handle, whose: DeedsOf, page: Page) {
  const { listDeeds } = await import("./deeds-store.ts")
  const { rows, total } = await listDeeds(db, whose, page)
  return listed(rows.map(presentDeed), total)
}

const shared = { paged: true, answers: { 200: Type.Array(TokenDeed) }, since: "0.2.0" } as const

export const deedOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "userListTokenDeeds",
    route: "GET /users/{username}/tokens/{token}/deeds",
    summary: "List what an access token for one task has changed, newest first",
    tag: "user",
    scope: ["user"],
    access: onSelf,
    basicOnly: true,
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, user, path, page }) => {
      return deedsOf(db, { tokenId: (await tokenOf(db, user, path.token)).id }, page)
    },
  }),

  operation({
    ...shared,
    id: "repoListTokenDeeds",
    route: "GET /repos/{owner}/{repo}/token-deeds",
    summary: "List what access tokens for one task have changed in a repository, newest first",
    tag: "repository",
    scope: ["repository"],
    access: onRepositoryAsAdministrator,
    refuses: ["forbidden", "notFound"],
    handle: ({ db, repository, page }) => deedsOf(db, { repositoryId: repository.id }, page),
  }),

  operation({
    ...shared,
    id: "orgListTokenDeeds",
    route: "GET /orgs/{org}/token-deeds",
    summary: "List what access tokens for one task have changed in an organization and its repositories, newest first",
    tag: "organization",
    scope: ["organization"],
    access: onOrganizationAsOwner,
    refuses: ["forbidden", "notFound"],
    handle: ({ db, organization, page }) => deedsOf(db, { ownerId: organization.id }, page),
  }),
]
