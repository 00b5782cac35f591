import { visibleRepositories } from "../../../access/visibility.ts"
import { type Actor, isSiteAdministrator, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"

const QUARTER_OF_AN_HOUR = 900

/**
 * An account's activities, counted by quarters of an hour (seconds since 1970), in repositories that the caller may see: those of the user
 * themselves, or those in the organisation's repositories.
 */
export async function countContributions(db: Handle, actor: Actor, account: User, since: number): Promise<readonly Contributions[]> {
  return db
    .selectFrom("activities")
    .innerJoin("repositories", "repositories.id", "activities.repository_id")
    .where("activities.receiver_id", "=", account.id)
    .where("activities.created_at", ">", since)
    .where("activities.is_hidden", "=", 0)
    .$if(account.kind === "person", (own) => own.where("activities.actor_id", "=", account.id))
    .where(visibleRepositories(actor))
    .select((eb) => [
      eb(eb.parens("activities.created_at", "/", eb.lit(QUARTER_OF_AN_HOUR)), "*", eb.lit(QUARTER_OF_AN_HOUR)).as("timestamp"),
      eb.fn.countAll<number>().as("contributions"),
    ])
    .groupBy("timestamp")
    .orderBy("timestamp")
    .execute()
}

export interface Contributions {
  readonly timestamp: number
  readonly contributions: number
}

/** The period of a heatmap: the last 366 days. */
export const HEATMAP_SECONDS = 366 * 86_400

/** What `countContributions` counts in the last year; nothing where the account hides its activity from the caller. */
export async function contributionsOf(db: Handle, actor: Actor, account: User, now: number): Promise<readonly Contributions[]> {
  const isOwn = actor.kind === "user" && actor.user.id === account.id
  if (account.hide_activity === 1 && !isOwn && !isSiteAdministrator(actor)) return []
  return countContributions(db, actor, account, now - HEATMAP_SECONDS)
}
