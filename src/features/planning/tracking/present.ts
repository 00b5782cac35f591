import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { GHOST } from "../../people/users/present.ts"
import { presentIssues } from "../issues/present.ts"
import { findIssuesByIds } from "../issues/store.ts"
import type { StopWatch, TrackedTime } from "./records.ts"
import type { NamedTime, RunningStopwatch } from "./store.ts"
import { timeText } from "./time-text.ts"

/** Issues and repositories of the times that are loaded already. */
export interface KnownSubjects {
  readonly owned?: readonly Owned[]
  readonly issues?: readonly Issue[]
}

/**
 * Times with their issues as the caller sees them, in the order given. The list must only contain times of issues that the caller may read.
 * The number of queries doesn't grow with the list.
 */
export async function presentTimes(
  db: Handle,
  site: Site,
  actor: Actor,
  times: readonly NamedTime[],
  { owned, issues }: KnownSubjects = {},
): Promise<TrackedTime[]> {
  if (times.length === 0) return []
  const rows = issues ?? (await findIssuesByIds(db, { ids: [...new Set(times.map((time) => time.issue_id))] }))
  const records = new Map((await presentIssues(db, site, actor, rows, owned ? { owned } : {})).map((issue) => [issue.id, issue]))
  return times.flatMap((time) => {
    const issue = records.get(time.issue_id)
    if (!issue) return []
    return [
      {
        id: time.id,
        created: rfc3339(time.created_at),
        time: time.seconds,
        user_id: time.user_id,
        user_name: time.user_name ?? GHOST.name,
        issue_id: time.issue_id,
        issue,
      },
    ]
  })
}

/** A stopwatch with its time until `now`. */
export function presentStopwatch({ created_at, number, title, owner, repository }: RunningStopwatch, now: Seconds): StopWatch {
  const seconds = Math.max(0, now - created_at)
  return {
    created: rfc3339(created_at),
    seconds,
    duration: timeText(seconds),
    issue_index: number,
    issue_title: title,
    repo_owner_name: owner,
    repo_name: repository,
  }
}
