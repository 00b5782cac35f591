import { type SqlBool, sql } from "kysely"
import { belongingTo, belongingToRequiring } from "../../../access/visibility.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
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

/** Who has none may lack one that is required, until `noteWhoLacks` has looked. */
const NOTED = { has_second_factor: HAS_ONE, lacks_required_factor: sql<0 | 1>`1 - ${HAS_ONE}` }

/** Notes whether a person has a second factor, after a change of these. */
export const noteFactors = query("secondFactor.note", (db, p: Params<{ userId: number }>) =>
  db.updateTable("users").set(NOTED).where("id", "=", p.userId),
)

/** The same for everyone, as rows may come from another server. */
export const noteAllFactors = query("secondFactor.noteAll", (db) =>
  db.updateTable("users").set(NOTED).where("kind", "=", "person").where("has_second_factor", "!=", HAS_ONE),
)

/*
 * Who lacks a second factor that an organisation requires, or will (`lacks_required_factor`). Whatever makes that so notes it in its transaction, with the row of the
 * organisation locked; only `noteWhoLacks` takes it back.
 */

const isRequiredIn = (id: unknown) =>
  sql<SqlBool>`exists (select 1 from users as organization
    where organization.id = ${id} and organization.kind = 'organization' and organization.second_factor_due_at > 0)`

/** After something in an organisation was granted to a person. */
export const noteGrant = query("secondFactor.noteGrant", (db, p: Params<{ userId: number; organizationId: number }>) =>
  db
    .updateTable("users")
    .set({ lacks_required_factor: 1 })
    .where("id", "=", p.userId)
    .where("has_second_factor", "=", 0)
    .where(isRequiredIn(p.organizationId)),
)

/** After an organisation began to require a second factor, or got a repository: for all to whom something there was granted. */
export const noteGrants = query("secondFactor.noteGrants", (db, p: Params<{ organizationId: number }>) =>
  db
    .updateTable("users")
    .set({ lacks_required_factor: 1 })
    .where("has_second_factor", "=", 0)
    .where("id", "in", belongingTo(p.organizationId))
    .where(isRequiredIn(p.organizationId)),
)

/** Those who lack the second factor that the organisation requires, or will, by id. */
export const findWhoLacks = query("secondFactor.findWhoLacks", (db, p: Params<{ organizationId: number; after: number; limit: number }>) =>
  db
    .selectFrom("users")
    .select("id")
    .where(sql<SqlBool>`lacks_required_factor = 1`)
    .where("id", "in", belongingTo(p.organizationId))
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(p.limit),
)

/** Locks all who are noted, so that `noteWhoLacks` after it sees what was granted to them meanwhile. */
export const lockWhoLacks = query("secondFactor.lockWhoLacks", (db) =>
  db.selectFrom("users").select("id").where(sql<SqlBool>`lacks_required_factor = 1`).orderBy("id").modifyEnd(forNoKeyUpdate),
)

const LACKS = sql<0 | 1>`case when has_second_factor = 0 and id in ${belongingToRequiring()} then 1 else 0 end`

/** Notes for everyone what is so. */
export const noteWhoLacks = query("secondFactor.noteWhoLacks", (db) =>
  db.updateTable("users").set({ lacks_required_factor: LACKS }).where("kind", "=", "person").where("lacks_required_factor", "!=", LACKS),
)

/** Until when the operator lets a person go without the second factor that the site requires. */
export const letGoWithoutFactor = query("secondFactor.letGoWithout", (db, p: Params<{ userId: number; until: number }>) =>
  db.updateTable("users").set({ second_factor_due_at: p.until }).where("id", "=", p.userId),
)
