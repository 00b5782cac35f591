import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Listener } from "../../../core/events/events.ts"
import { publish } from "../../../core/events/publish.ts"
import { findOwnedIds } from "../../people/organizations/members-store.ts"
import { deleteCollaborations, dropCollaborationsBy } from "../collaborators/store.ts"
import { recountStars, recountWatchers } from "../repositories/counters-store.ts"
import { dropStarsBy } from "../stars/store.ts"
import { dropWatchesBy, findWatchersOfOwned } from "../watches/store.ts"
import { dropOffersTo } from "./store.ts"

/** Ends the relations between users and repositories. */

/** Ends the relations of `person` to the repositories of `owner`, because of `actor`: stars, watches, collaborations and pending transfers. */
async function endTies(tx: Transaction, person: User, owner: User, actor: User): Promise<void> {
  const unstarred = await dropStarsBy(tx, person.id, { ownerId: owner.id })
  const unwatched = await dropWatchesBy(tx, person.id, owner.id)
  const left = await dropCollaborationsBy(tx, person.id, owner.id)
  const offered = await dropOffersTo(tx, person.id, owner.id)
  await recountStars(tx, { repositoryIds: unstarred, userIds: [person.id] })
  await recountWatchers(tx, repositoriesOf(unwatched))
  publish(
    tx,
    ...unstarred.map((id) => ({ kind: "repository.unstarred", repository: { id }, actor: person }) as const),
    ...unwatched.flatMap(({ mode, ...row }) =>
      mode === "declined" ? [] : ({ kind: "repository.unwatched", repository: { id: row.repository_id }, actor: person } as const),
    ),
    ...left.map((row) => ({ kind: "collaborator.removed", repository: { id: row.repository_id }, user: person, actor }) as const),
    ...offered.map(
      (row) => ({ kind: "repository.transferRejected", repository: { id: row.repository_id }, recipient: person, actor }) as const,
    ),
  )
}

/** Ends all stars and watches of an account that is about to be deleted, so that the counters of others stay correct. */
async function forgetAccount(tx: Transaction, account: User): Promise<void> {
  const unstarred = await dropStarsBy(tx, account.id)
  const unwatched = await dropWatchesBy(tx, account.id)
  await recountStars(tx, { repositoryIds: unstarred, userIds: [] })
  await recountWatchers(tx, repositoriesOf(unwatched))
}

const repositoriesOf = (rows: readonly { readonly repository_id: number }[]): readonly number[] => [
  ...new Set(rows.map((row) => row.repository_id)),
]

/** Watchers of an organisation's repositories may no longer see them. */
async function publishLost(tx: Transaction, organizationId: number): Promise<void> {
  const watchers = await findWatchersOfOwned(tx, organizationId)
  const owned = await findOwnedIds(tx, { organizationId })
  publish(tx, { kind: "access.lost", userIds: watchers.map((row) => row.user_id), repositoryIds: owned.map(({ id }) => id) })
}

/**
 * Blocking ends the relations between two users in both directions; deleting an account removes its stars and watches; whom an organisation removes
 * collaborates there no more.
 */
export const repositoryCleanup: Listener = {
  name: "cleanup of repositories",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "account.deleted") await forgetAccount(tx, event.user)
      if (event.kind === "organization.membersRemoved" && event.because === "removed") await deleteCollaborations(tx, event)
      if (event.kind === "organization.edited" && event.changed.includes("visibility")) await publishLost(tx, event.organization.id)
      if (event.kind !== "user.blocked") continue
      await endTies(tx, event.user, event.by, event.by)
      await endTies(tx, event.by, event.user, event.by)
    }
  },
}
