import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { findTeamsByIds, usersById } from "../../code/repositories/store.ts"
import { findLatest, findRequests } from "./store.ts"

/** The reviewers of a pull request. */
export interface Requested {
  readonly reviewers: readonly User[]
  readonly teams: Awaited<ReturnType<typeof findTeamsByIds>>
}

/**
 * The reviewers of pull requests by the ids of their issues, in the order of their last review or request: clients expect those who have answered
 * among them. Teams are those with an open request. At most four queries, whatever the number of pull requests.
 */
export async function requestedOf(db: Handle, issueIds: readonly number[]): Promise<ReadonlyMap<number, Requested>> {
  if (issueIds.length === 0) return new Map()
  const latest = await findLatest(db, { issueIds })
  const people = await usersById(
    db,
    latest.map((row) => row.reviewer_id),
  )
  const toTeams = (await findRequests(db, { issueIds })).filter(({ reviewer_team_id }) => reviewer_team_id !== null)
  const teamIds = [...new Set(toTeams.flatMap(({ reviewer_team_id }) => reviewer_team_id ?? []))]
  const rows = teamIds.length === 0 ? [] : await findTeamsByIds(db, { ids: teamIds })
  const teams = new Map(rows.map((team) => [team.id, team]))
  const reviewersOf = Map.groupBy(latest, (row) => row.issue_id)
  const teamsOf = Map.groupBy(toTeams, (row) => row.issue_id)
  return new Map(
    [...new Set([...reviewersOf.keys(), ...teamsOf.keys()])].map((id) => [
      id,
      {
        reviewers: reviewersOf.get(id)?.flatMap(({ reviewer_id }) => people.get(reviewer_id) ?? []) ?? [],
        teams: teamsOf.get(id)?.flatMap(({ reviewer_team_id }) => teams.get(reviewer_team_id ?? 0) ?? []) ?? [],
      },
    ]),
  )
}
