import { type Owned, readersAmong } from "../../../access/permission.ts"
import { type Issue, unitOf } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import { blockersAmong } from "../../people/blocks/rules.ts"
import { findPeopleNamed, findTeamPeople, insertMentions } from "./people-store.ts"
import { readMentions } from "./reference-text.ts"

/** A text on an issue, with its author. */
export interface WrittenText extends Owned {
  readonly issue: Pick<Issue, "id" | "is_pull">
  readonly author: User
  /** Markdown. */
  readonly text: string
}

/**
 * Records the users that a text mentions and returns them: those who may read the issue, except the author and users who have blocked the
 * author. Teams count only if they belong to the repository's owner and have access to it.
 */
export async function recordMentions(tx: Transaction, { issue, repository, owner, author, text }: WrittenText): Promise<readonly User[]> {
  const { people, teams } = readMentions(text)
  if (people.length + teams.length === 0) return []
  const unit = unitOf(issue)
  const named = new Map<number, User>()
  if (people.length > 0) for (const user of await findPeopleNamed(tx, { names: people })) named.set(user.id, user)
  const own = owner.kind === "organization" ? teams.filter(({ organization }) => organization === owner.lower_name) : []
  if (own.length > 0) {
    const found = await findTeamPeople(tx, {
      organizationId: owner.id,
      repositoryId: repository.id,
      teams: own.map(({ team }) => team),
      unit,
    })
    for (const user of found) named.set(user.id, user)
  }
  named.delete(author.id)
  const readers = await readersAmong(tx, { repository, owner }, unit, [...named.values()])
  const blockers = await blockersAmong(
    tx,
    author,
    readers.map(({ id }) => id),
  )
  const told = readers.filter(({ id }) => !blockers.has(id))
  for (const slice of slicesOf(told))
    await insertMentions(
      tx,
      slice.map(({ id }) => ({ issue_id: issue.id, user_id: id })),
    )
  return told
}
