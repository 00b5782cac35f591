import { type Actor, jobOf } from "./actor.ts"
import { memberOf } from "./check.ts"
import { refuse } from "./errors.ts"

/*
 * What the token of a job may change. Policies let people do some things who may only read, such as writing an issue or a review; the `permissions` of a workflow
 * mean what they say, so that a job needs `write` for these too.
 */

/** The unit that an operation changes, by what its policy asks of people: the part of `needs` before the colon. */
const CHANGED_UNITS: Readonly<Record<string, string>> = {
  issues: "repo.issues",
  pullRequests: "repo.pulls",
  pullRequest: "repo.pulls",
  review: "repo.pulls",
}

/** Subjects that are of issues or of pull requests, as their issue is. */
const OF_AN_ISSUE: ReadonlySet<string> = new Set(["issue", "comment"])

/** The mode of `write`; modes are in order. */
const WRITE = 2

/**
 * Refuses `forbidden` the token of a job that changes another repository, or a part of its own that its permissions only let it read; and where a user who sees a
 * repository changes something of their own, such as what they watch. `needs` is that of the operation's access rule.
 */
export function requireOfJob(actor: Actor, needs: string, found: object): void {
  const job = jobOf(actor)
  if (!job || !("repository" in found)) return
  if (memberOf(found.repository, "id") !== job.repositoryId)
    throw refuse.forbidden("the token of a job can only change things of its repository")
  if (needs === "reach") throw refuse.forbidden("this needs an account, and the token of a job has none")
  const subject = needs.split(":", 1)[0] ?? ""
  const unit = OF_AN_ISSUE.has(subject) && "issue" in found ? unitOf(found.issue) : CHANGED_UNITS[subject]
  if (unit !== undefined && (job.units[unit] ?? 0) < WRITE)
    throw refuse.forbidden(`the permissions of this job don't let it change ${unit === "repo.pulls" ? "pull requests" : "issues"}`)
}

const unitOf = (issue: unknown): string => (memberOf(issue, "is_pull") === 1 ? "repo.pulls" : "repo.issues")
