import { Mode } from "../../../access/modes.ts"
import { type Owned, readersAmong } from "../../../access/permission.ts"
import { type Issue, unitOf } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import { blockersAmong } from "../../people/blocks/rules.ts"
import { readMentions } from "./reference-text.ts"

/** Active accounts of people, who can be notified. */
const findPeopleNamed = query("references.findPeopleNamed", (db, p: Params<{ names: readonly string[] }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("lower_name", "in", p.names)
    .where("kind", "=", "person")
    .where("is_active", "=", 1)
    .where("prohibit_login", "=", 0)
    .orderBy("id"),
)

/** The members of those of an organisation's teams that have access to a repository's unit. */
const findTeamPeople = query(
  "references.findTeamPeople",
  (db, p: Params<{ organizationId: number; repositoryId: number; teams: readonly string[]; unit: string }>) =>
    db
      .selectFrom("teams")
      .innerJoin("team_members", "team_members.team_id", "teams.id")
      .innerJoin("users", "users.id", "team_members.user_id")
      .selectAll("users")
      .where("teams.organization_id", "=", p.organizationId)
      .where("teams.lower_name", "in", p.teams)
      .where("users.is_active", "=", 1)
      .where("users.prohibit_login", "=", 0)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("team_repositories")
            .select("team_repositories.team_id")
            .whereRef("team_repositories.team_id", "=", "teams.id")
            .where("team_repositories.repository_id", "=", p.repositoryId),
        ),
      )
      .where((eb) =>
        eb.or([
          eb("teams.mode", ">=", Mode.admin),
          eb.exists(
            eb
              .selectFrom("team_units")
              .select("team_units.team_id")
              .whereRef("team_units.team_id", "=", "teams.id")
              .where("team_units.unit", "=", p.unit)
              .where("team_units.mode", ">=", Mode.read),
          ),
        ]),
      )
      .orderBy("users.id"),
)

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
    await tx
      .insertInto("issue_mentions")
      .values(slice.map(({ id }) => ({ issue_id: issue.id, user_id: id })))
      .onConflict((conflict) => conflict.columns(["issue_id", "user_id"]).doNothing())
      .execute()
  return told
}
