import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { recountStars } from "../../code/repositories/counters.ts"
import { cutTiesToIssues } from "../../planning/issues/ties.ts"
import { forgetReviewer } from "../../review/reviews/ties.ts"
import { recountWatchers } from "../teams/watches.ts"
import { recountFollows } from "../users/store.ts"

/** What binds an account to others, where it has to end. */

/** Ends what binds `person` to the repositories of `owner`: stars, watches, collaboration, offers to take one over, and issues. */
export async function cutTiesToRepositories(tx: Transaction, person: User, owner: User): Promise<void> {
  const theirs = tx.selectFrom("repositories").select("id").where("owner_id", "=", owner.id)
  const tied = (table: "stars" | "watches" | "collaborations") =>
    tx.deleteFrom(table).where("user_id", "=", person.id).where("repository_id", "in", theirs).returning("repository_id").execute()
  const unstarred = await tied("stars")
  const unwatched = await tied("watches")
  await tied("collaborations")
  await tx.deleteFrom("repository_transfers").where("recipient_id", "=", person.id).where("repository_id", "in", theirs).execute()
  await cutTiesToIssues(tx, person, owner)
  await recountStars(tx, { repositoryIds: repositoriesOf(unstarred), userIds: [person.id] })
  await recountWatchers(tx, repositoriesOf(unwatched))
}

/** Ends all following, stars, watches and unfinished reviews of and by an account that is about to go, so that the counters of the others stay true. */
export async function cutAllTies(tx: Transaction, account: User): Promise<void> {
  const follows = await tx
    .deleteFrom("follows")
    .where((eb) => eb.or([eb("follower_id", "=", account.id), eb("followed_id", "=", account.id)]))
    .returning(["follower_id", "followed_id"])
    .execute()
  const unstarred = await tx.deleteFrom("stars").where("user_id", "=", account.id).returning("repository_id").execute()
  const unwatched = await tx.deleteFrom("watches").where("user_id", "=", account.id).returning("repository_id").execute()
  await forgetReviewer(tx, account.id)
  await recountFollows(tx, [...new Set(follows.flatMap((row) => [row.follower_id, row.followed_id]))])
  await recountStars(tx, { repositoryIds: repositoriesOf(unstarred), userIds: [] })
  await recountWatchers(tx, repositoriesOf(unwatched))
}

const repositoriesOf = (rows: readonly { readonly repository_id: number }[]): readonly number[] => [
  ...new Set(rows.map((row) => row.repository_id)),
]
