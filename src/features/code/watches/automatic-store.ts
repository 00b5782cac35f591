import { sql } from "kysely"
import { Mode } from "../../../access/modes.ts"
import { readableByUsers } from "../../../access/visibility.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"
import { recountWatchers } from "../repositories/counters-store.ts"

/** Makes members watch the repositories of their teams. Users who have declined, or watch already, are not changed. */
export async function watchThroughTeams(tx: Transaction, { teamIds, userIds, repositoryIds }: NewAccess, now: Seconds): Promise<void> {
  const pairs = tx
    .selectFrom("team_members")
    .innerJoin("team_repositories", "team_repositories.team_id", "team_members.team_id")
    .innerJoin("teams", "teams.id", "team_members.team_id")
    .distinct()
    .select([
      "team_members.user_id",
      "team_repositories.repository_id",
      sql<"automatic">`'automatic'`.as("mode"),
      // PostgreSQL treats a bare parameter in a distinct selection as text.
      sql<number>`cast(${now} as bigint)`.as("created_at"),
    ])
    .where(inList("team_members.team_id", teamIds))
    .where((eb) =>
      eb.or([
        eb("teams.mode", ">=", Mode.admin),
        eb.exists(
          eb
            .selectFrom("team_units")
            .select("team_units.team_id")
            .whereRef("team_units.team_id", "=", "teams.id")
            .where("team_units.mode", ">", Mode.none),
        ),
      ]),
    )
    .$if(userIds !== undefined, (q) => q.where(inList("team_members.user_id", userIds ?? [])))
    .$if(repositoryIds !== undefined, (q) => q.where(inList("team_repositories.repository_id", repositoryIds ?? [])))
  const made = await tx
    .insertInto("watches")
    .columns(["user_id", "repository_id", "mode", "created_at"])
    .expression(pairs)
    .onConflict((conflict) => conflict.doNothing())
    .returning("repository_id")
    .execute()
  await recountWatchers(tx, distinctRepositories(made))
}

/**
 * Ends the watches of those who can no longer access one of these repositories, or of those among these users. Stars are kept; their visibility
 * is checked when they are read.
 */
export async function unwatchLost(tx: Transaction, repositoryIds: readonly number[], userIds?: readonly number[]): Promise<void> {
  if (userIds?.length === 0 || repositoryIds.length === 0) return
  const lost = await tx
    .deleteFrom("watches")
    .where(inList("watches.repository_id", repositoryIds))
    .$if(userIds !== undefined, (q) => q.where(inList("watches.user_id", userIds ?? [])))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("users")
            .innerJoin("repositories", (join) => join.onRef("repositories.id", "=", "watches.repository_id"))
            .innerJoin("users as owner", "owner.id", "repositories.owner_id")
            .select("users.id")
            .whereRef("users.id", "=", "watches.user_id")
            .where(readableByUsers("")),
        ),
      ),
    )
    .returning("repository_id")
    .execute()
  await recountWatchers(tx, distinctRepositories(lost))
}

/** Ends all watches of these users, who have left an organisation, on its repositories. */
export async function unwatchAll(tx: Transaction, userIds: readonly number[], repositoryIds: readonly number[]): Promise<void> {
  if (repositoryIds.length === 0) return
  const ended = await tx
    .deleteFrom("watches")
    .where(inList("watches.user_id", userIds))
    .where(inList("watches.repository_id", repositoryIds))
    .returning("repository_id")
    .execute()
  await recountWatchers(tx, distinctRepositories(ended))
}

/** Makes a user watch a repository because of an action. Users who declined have a row, and only users without a row become watchers. */
export async function watchAutomatically(tx: Transaction, userId: number, repositoryId: number, now: number): Promise<void> {
  const added = await tx
    .insertInto("watches")
    .values({ user_id: userId, repository_id: repositoryId, mode: "automatic", created_at: now })
    .onConflict((conflict) => conflict.columns(["user_id", "repository_id"]).doNothing())
    .executeTakeFirst()
  if (added.numInsertedOrUpdatedRows !== 0n) await recountWatchers(tx, [repositoryId])
}

/** New pairs of member and repository: those of these teams, limited to these users or repositories if given. */
interface NewAccess {
  readonly teamIds: readonly number[]
  readonly userIds?: readonly number[]
  readonly repositoryIds?: readonly number[]
}

const distinctRepositories = (rows: readonly { readonly repository_id: number }[]): readonly number[] => [
  ...new Set(rows.map((row) => row.repository_id)),
]
