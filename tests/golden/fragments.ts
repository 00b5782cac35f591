import type { RawBuilder, SqlBool } from "kysely"
import { listedUsers, readableRepositories, visibleOrganizations, visibleRepositories, visibleTeams } from "../../src/access/visibility.ts"
import type { Actor, User } from "../../src/core/actor.ts"
import { compilingHandle } from "../../src/core/database/session.ts"
import type { Texts } from "./readable.ts"

/** A condition that many lists contain: shown once, and by its name wherever it is used. */
export interface Fragment {
  readonly name: string
  readonly texts: Texts
}

/** What an ordinary person may see. */
export function visibilityFragments(user: User): readonly Fragment[] {
  const person: Actor = { kind: "user", user, credential: { kind: "password" }, basic: false }
  const text = (condition: RawBuilder<SqlBool>) => ({
    sqlite: condition.compile(compilingHandle("sqlite")).sql,
    postgres: condition.compile(compilingHandle("postgres")).sql,
  })
  return [
    { name: "visible_repositories", texts: text(visibleRepositories(person)) },
    { name: "readable_actions", texts: text(readableRepositories(person, "repo.actions")) },
    { name: "readable_pulls", texts: text(readableRepositories(person, "repo.pulls")) },
    { name: "visible_organizations", texts: text(visibleOrganizations(person)) },
    { name: "visible_teams", texts: text(visibleTeams(person)) },
    { name: "listed_users", texts: text(listedUsers(person)) },
  ]
}
