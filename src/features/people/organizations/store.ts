import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely"
import { Mode } from "../../../access/modes.ts"
import type { OrganizationRole } from "../../../access/policies/organization-role.ts"
import { listedUsers, visibleOrganizations } from "../../../access/visibility.ts"
import { type Actor, actorId, isPublicOnly, isSiteAdministrator, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"

/** A page of a list, and the length of the whole list. */
export interface Found {
  readonly rows: readonly User[]
  readonly total: number
}

/** The organisations that the caller may see, by name. */
export const findVisibleOrganizations = (db: Handle, actor: Actor, page: Page): Promise<Found> =>
  findOrganizations(db, visibleOrganizations(actor), page)

/**
 * The organisations that a user belongs to, as far as the caller may see them, by name. A concealed membership is shown to the user and to
 * site administrators only; tokens limited to public resources don't show it to the user either.
 */
export function findOrganizationsOf(db: Handle, actor: Actor, userId: number, page: Page): Promise<Found> {
  const concealed = (actorId(actor) === userId && !isPublicOnly(actor)) || isSiteAdministrator(actor)
  return findOrganizations(
    db,
    sql<SqlBool>`(exists (
      select 1 from organization_members
      where organization_members.organization_id = users.id and organization_members.user_id = ${userId}
        and organization_members.is_public >= ${concealed ? 0 : 1})
      and ${visibleOrganizations(actor)})`,
    page,
  )
}

/** The organisations in which a person may create repositories, by name. */
export const findOrganizationsToCreateIn = query("organizations.findToCreateIn", (db, p: Params<{ userId: number; limit: number }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("kind", "=", "organization")
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("team_members")
          .innerJoin("teams", "teams.id", "team_members.team_id")
          .select("teams.id")
          .whereRef("team_members.organization_id", "=", "users.id")
          .where("team_members.user_id", "=", p.userId)
          .where((b) => b.or([b("teams.mode", ">=", b.lit(Mode.owner)), b("teams.can_create_repositories", "=", b.lit(1))])),
      ),
    )
    .orderBy("lower_name")
    .limit(p.limit),
)

async function findOrganizations(db: Handle, which: Expression<SqlBool>, page: Page): Promise<Found> {
  const found = db.selectFrom("users").where("kind", "=", "organization").where(which)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy("lower_name").limit(page.limit).offset(page.offset).execute()
  return { rows, total }
}

/** Whose memberships the caller may see. */
export type MembersShown = "all" | "public" | "publicAndTeamMates"

/** Members see each other; a restricted member sees only those in the same teams. */
export function shownTo(actor: Actor, role: OrganizationRole): MembersShown {
  if (isPublicOnly(actor)) return "public"
  if (isSiteAdministrator(actor) || role.isOwner) return "all"
  if (!role.isMember || actor.kind === "anonymous") return "public"
  return actor.user.is_restricted === 1 ? "publicAndTeamMates" : "all"
}

/**
 * The members of an organisation. Pages are cut by id and each is sorted by name, as clients expect.
 * Callers who see only public memberships see only members whom they may find elsewhere too.
 */
export async function findMembers(
  db: Handle,
  organization: User,
  actor: Actor,
  shown: MembersShown,
  page: Page,
  withoutFactor = false,
): Promise<Found> {
  const members = db
    .selectFrom("organization_members as member")
    // SQLite keeps the order of a cross join: first the members, then what is known of them.
    .crossJoin("users")
    .whereRef("users.id", "=", "member.user_id")
    .where("member.organization_id", "=", organization.id)
    .where(shownMembers(shown, organization, actor))
    .$if(withoutFactor, (found) => found.where("users.has_second_factor", "=", 0))
  const { total } = await members.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await members.selectAll("users").orderBy("member.user_id").limit(page.limit).offset(page.offset).execute()
  return { rows: rows.toSorted((a, b) => (a.lower_name < b.lower_name ? -1 : 1)), total }
}

function shownMembers(shown: MembersShown, organization: User, actor: Actor): RawBuilder<SqlBool> {
  switch (shown) {
    case "all":
      return sql<SqlBool>`1 = 1`
    case "public":
      return sql<SqlBool>`(member.is_public = 1 and ${listedUsers(actor)})`
    case "publicAndTeamMates":
      return sql<SqlBool>`(member.is_public = 1 or exists (
        select 1 from team_members as theirs join team_members as mine on mine.team_id = theirs.team_id
        where theirs.user_id = member.user_id and theirs.organization_id = ${organization.id} and mine.user_id = ${actorId(actor)}))`
  }
}

interface Members {
  readonly organizationId: number
  readonly userIds: readonly number[]
}

/** What the memberships of these people are like: whether others see it, whether they own it, and whether they sign in with a second factor. */
export const findMemberships = query("organizations.findMemberships", (db, p: Params<Members>) =>
  db
    .selectFrom("organization_members as member")
    .select(["member.user_id", "member.is_public"])
    .select([
      sql<Flag>`case when exists (select 1 from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = member.organization_id and team_members.user_id = member.user_id
        and teams.mode >= ${sql.lit(Mode.owner)}) then 1 else 0 end`.as("is_owner"),
      sql<Flag>`(select users.has_second_factor from users where users.id = member.user_id)`.as("has_second_factor"),
    ])
    .where("member.organization_id", "=", p.organizationId)
    .where("member.user_id", "in", p.userIds),
)

export const findMember = query("organizations.findMember", (db, p: Params<{ organizationId: number; userId: number }>) =>
  db.selectFrom("organization_members").select("is_public").where("organization_id", "=", p.organizationId).where("user_id", "=", p.userId),
)
