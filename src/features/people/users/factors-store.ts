import { sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"

/** The organisations of a person that require a second factor, or will, by name. */
export const findRequiringOrganizations = query("secondFactor.findRequiring", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("organization_members as member")
    .innerJoin("users", "users.id", "member.organization_id")
    .select(["users.name", "users.second_factor_due_at"])
    .where("member.user_id", "=", p.userId)
    .where("users.second_factor_due_at", ">", 0)
    .orderBy("users.lower_name"),
)

/** From now on organisations whose grace period is over show nothing to members without a second factor. */
export const enforceDue = query("secondFactor.enforceDue", (db, p: Params<{ now: number }>) =>
  db
    .updateTable("users")
    .set({ requires_second_factor: 1 })
    .where("kind", "=", "organization")
    .where("requires_second_factor", "=", 0)
    .where("second_factor_due_at", ">", 0)
    .where("second_factor_due_at", "<=", p.now),
)

const HAS_ONE = sql<0 | 1>`case when exists (select 1 from two_factors where two_factors.user_id = users.id)
  or exists (select 1 from passkeys where passkeys.user_id = users.id) then 1 else 0 end`

/** Notes whether a person has a second factor, after a change of these. */
export const noteFactors = query("secondFactor.note", (db, p: Params<{ userId: number }>) =>
  db.updateTable("users").set({ has_second_factor: HAS_ONE }).where("id", "=", p.userId),
)

/** The same for everyone, as rows may come from another server. */
export const noteAllFactors = query("secondFactor.noteAll", (db) =>
  db.updateTable("users").set({ has_second_factor: HAS_ONE }).where("kind", "=", "person").where("has_second_factor", "!=", HAS_ONE),
)

/** Until when the operator lets a person go without the second factor that the site requires. */
export const letGoWithoutFactor = query("secondFactor.letGoWithout", (db, p: Params<{ userId: number; until: number }>) =>
  db.updateTable("users").set({ second_factor_due_at: p.until }).where("id", "=", p.userId),
)
