import type { User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import type { Access } from "../../core/operation.ts"
import { Mode } from "../modes.ts"
import { type Repository, unitEnabled } from "../permission.ts"
import { findAssignment } from "../store.ts"
import { type Issue, type OnIssue, onIssueAsWriter, onIssueSignedIn, openForChange, readsKind, withIssue, writesKind } from "./issues.ts"
import { findKnown } from "./people.ts"
import { administered, locateFromPath, type OnRepository } from "./repositories.ts"
import { asMe, type Me } from "./site.ts"

/** Policies for time tracking. */

/** Whether time is tracked. It is a setting of the issues; without them the default applies: yes, by contributors only. */
const tracksTime = (repository: Repository): boolean => repository.enable_time_tracker === 1 || !unitEnabled(repository, "repo.issues")
const contributorsOnly = (repository: Repository): boolean =>
  repository.allow_only_contributors_to_track_time === 1 || !unitEnabled(repository, "repo.issues")

/** Whether a user may run a stopwatch on the issue: they need write access, and time must be tracked. */
export const mayTrackByStopwatch = (found: OnRepository, issue: Pick<Issue, "is_pull">): boolean =>
  tracksTime(found.repository) && writesKind(found, issue)

/** Whether the caller manages the issues of the repository, and so sees the times of all users. */
export const managesTimes = (found: OnRepository): boolean => found.permission.mode >= Mode.admin || writesKind(found, { is_pull: 0 })

/** Where the repository restricts it, only those who may write to the issue, wrote it or are assigned to it may book time. */
async function mayTrack(db: Handle, found: OnRepository, issue: Issue, user: User): Promise<boolean> {
  if (!contributorsOnly(found.repository) || writesKind(found, issue) || found.permission.mode >= Mode.admin) return true
  return issue.author_id === user.id || (await findAssignment.first(db, { issueId: issue.id, userId: user.id })) !== undefined
}

/** Whether a user may book time on an issue: if time is tracked and the repository allows it. */
export const mayBook = async (db: Handle, found: OnRepository, issue: Issue, user: User): Promise<boolean> =>
  tracksTime(found.repository) && (await mayTrack(db, found, issue, user))

/** The issue of the path's {index} whose times are requested. Without time tracking there is no such list. */
export const onIssueTimes: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:read", signIn: "required" },
  open: async (request) => {
    const found = await onIssueSignedIn.open(request)
    if (!tracksTime(found.repository)) throw refuse.notFound("time tracking is disabled")
    return found
  },
}

/** The issue of the path's {index}, for callers who may book time on it. */
export const onIssueAsTracker: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:contributor", signIn: "required" },
  open: async (request) => {
    const found = await openForChange(request)
    const located = await withIssue(request, found)
    if (!tracksTime(found.repository)) throw refuse.badRequest("time tracking is disabled")
    if (!(await mayTrack(request.db, located, located.issue, found.me)))
      throw refuse.forbidden("only contributors, the author and assignees may track time on this issue")
    return { ...found, ...located }
  },
}

/** The issue of the path's {index}, for callers who may run a stopwatch on it. */
export const onIssueStopwatch: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:write", signIn: "required" },
  open: async (request) => {
    const found = await onIssueAsWriter.open(request)
    if (!mayTrackByStopwatch(found, found.issue)) throw refuse.forbidden("time tracking is disabled")
    return found
  },
}

/** A repository whose times are requested, for callers who may read its issues; for all others it is missing. */
export const onRepositoryTimes: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "issues:read", signIn: "required" },
  open: async (request) => {
    const found = await locateFromPath(request)
    if (!readsKind(found, { is_pull: 0 })) throw refuse.notFound()
    const me = asMe(request.actor)
    if (!tracksTime(found.repository)) throw refuse.badRequest("time tracking is disabled")
    return { ...me, ...found }
  },
}

/** The times that the person of the path's {user} spent in a repository: for that person and administrators of the repository. */
export const onRepositoryTimesOfPerson: Access<OnRepository & Me & { readonly user: User }> = {
  rule: { subject: "repository", needs: "issues:selfOrAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await onRepositoryTimes.open(request)
    const user = await findKnown(request.db, request.actor, request.path["user"] ?? "", administered(found))
    if (!user) throw refuse.notFound("user: there is no such user")
    if (user.id !== found.me.id && found.permission.mode < Mode.admin)
      throw refuse.forbidden("query by user not allowed; not enough rights")
    return { ...found, user }
  },
}
