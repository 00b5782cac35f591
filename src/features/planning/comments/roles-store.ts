/** What those who write in a conversation are to its repository. */

import { type SqlBool, sql } from "kysely"
import { Mode } from "../../../access/modes.ts"
import type { OnIssue } from "../../../access/policies/issues.ts"
import { type Actor, isPublicOnly, isSiteAdministrator } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

export const ROLES = {
  owner: "Owner",
  member: "Member",
  collaborator: "Collaborator",
  contributor: "Contributor",
  newcomer: "First-time contributor",
} as const

export type Role = keyof typeof ROLES

export interface Asked {
  readonly repositoryId: number
  readonly ownerId: number
  /** The pull request; 0 for an issue. */
  readonly pullIssueId: number
  readonly userIds: readonly number[]
  /** 0 for no one. */
  readonly readerId: number
  /** 1: the reader sees concealed memberships. */
  readonly seesAll: number
}

/**
 * The first role that applies to each of these people, "" for none. What the reader may not learn elsewhere is no role: a concealed membership is known
 * to members only, and collaborators are known to those who have signed in.
 */
const findRolesOf = query("issues.findRoles", (db, p: Params<Asked>) => {
  const membership = sql<SqlBool>`exists (select 1 from organization_members as member
    where member.organization_id = ${p.ownerId} and member.user_id = users.id and (member.is_public = 1 or ${p.seesAll} = 1
      or exists (select 1 from organization_members as own where own.organization_id = ${p.ownerId} and own.user_id = ${p.readerId})))`
  const owns = sql<SqlBool>`exists (select 1 from team_members join teams on teams.id = team_members.team_id
    where team_members.organization_id = ${p.ownerId} and team_members.user_id = users.id and teams.mode >= ${sql.lit(Mode.owner)})`
  const merged = sql<SqlBool>`exists (select 1 from issues join pulls on pulls.issue_id = issues.id
    where issues.repository_id = ${p.repositoryId} and issues.author_id = users.id and pulls.is_merged = 1)`
  return db
    .selectFrom("users")
    .select("users.id")
    .select(
      sql<Role | "">`case
        when users.id = ${p.ownerId} or (${membership} and ${owns}) then 'owner'
        when ${membership} then 'member'
        when ${p.readerId} <> 0 and exists (select 1 from collaborations
          where collaborations.repository_id = ${p.repositoryId} and collaborations.user_id = users.id) then 'collaborator'
        when ${merged} then 'contributor'
        when exists (select 1 from issues where issues.id = ${p.pullIssueId} and issues.author_id = users.id) then 'newcomer'
        else '' end`.as("role"),
    )
    .where("users.id", "in", p.userIds)
})

/** The roles of these people by their ids, as far as they have one and the reader may know; one query. */
export async function rolesOf(
  { db, actor, repository, owner, issue }: OnIssue & { readonly db: Handle; readonly actor: Actor },
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Role>> {
  if (userIds.length === 0) return new Map()
  const isKnown = actor.kind === "user" && !isPublicOnly(actor)
  const rows = await findRolesOf(db, {
    repositoryId: repository.id,
    ownerId: owner.id,
    pullIssueId: issue.is_pull === 1 ? issue.id : 0,
    userIds: [...new Set(userIds)],
    // Restricted people see the members of their own teams only.
    readerId: isKnown && actor.user.is_restricted === 0 ? actor.user.id : 0,
    seesAll: isSiteAdministrator(actor) ? 1 : 0,
  })
  return new Map(rows.flatMap(({ id, role }) => (role === "" ? [] : [[id, role]])))
}
