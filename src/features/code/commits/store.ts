import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** A user's repository in this fork network: a fork of the base, the base's parent, or another fork of that parent; the closest first. */
export const findFork = query("pulls.findFork", (db, p: Params<{ ownerId: number; baseId: number; parentId: number }>) =>
  db
    .selectFrom("repositories")
    .selectAll()
    .where("owner_id", "=", p.ownerId)
    .where((eb) => eb.or([eb("fork_of_id", "=", p.baseId), eb("id", "=", p.parentId), eb("fork_of_id", "=", p.parentId)]))
    .orderBy((eb) => eb.case().when("fork_of_id", "=", p.baseId).then(0).when("id", "=", p.parentId).then(1).else(2).end())
    .orderBy("id")
    .limit(1),
)

/** The owners of these addresses: activated addresses of users, and no-reply addresses. */
export const findByAddresses = query("commits.findByAddresses", (db, p: Params<{ emails: readonly string[]; ids: readonly number[] }>) =>
  db
    .selectFrom("emails")
    .innerJoin("users", "users.id", "emails.user_id")
    .selectAll("users")
    .select("emails.lower_email")
    .where("emails.lower_email", "in", p.emails)
    .where("emails.is_activated", "=", 1)
    .unionAll(
      db
        .selectFrom("users")
        .selectAll("users")
        .select((eb) => eb.val("").as("lower_email"))
        .where("users.id", "in", p.ids),
    ),
)

/** The most levels of forks of forks that are followed. */
const GENERATIONS = 20

export async function ancestryOf(db: Handle, { id, fork_of_id }: OnRepository["repository"]): Promise<readonly number[]> {
  const line = [id]
  for (let next = fork_of_id; next !== null && line.length < GENERATIONS; ) {
    line.push(next)
    const row = await db.selectFrom("repositories").select("fork_of_id").where("id", "=", next).executeTakeFirst()
    next = row?.fork_of_id ?? null
  }
  return line
}
