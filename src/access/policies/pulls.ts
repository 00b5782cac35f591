import type { Selectable } from "kysely"
import type { Handle } from "../../core/database/database.ts"
import type { PullsTable } from "../../core/database/tables/pulls.ts"
import { refuse } from "../../core/errors.ts"
import { type Access, pathNumber, type Request } from "../../core/operation.ts"
import { findIssueByNumber, findPullByIssue } from "../store.ts"
import { type Issue, type OnIssue, readsKind, requireWriting } from "./issues.ts"
import { locateFromPath, type OnRepository, refuseArchived, requireUnit } from "./repositories.ts"
import { asMe, type Me } from "./site.ts"

/** Policies for pull requests: all need read access to pull requests and to the code. */

/** The columns of a pull request besides those of its issue. */
export type Pull = Selectable<PullsTable>

/** A repository and one of its pull requests. */
export interface OnPull extends OnIssue {
  readonly pull: Pull
}

const PULLS = { is_pull: 1 } as const

/**
 * Refuses `notFound` where there are no pull requests for this caller (the unit is disabled or not readable for them, there is no code yet,
 * or the repository is a mirror), `forbidden` if they may be read but the code may not.
 */
function requirePulls(found: OnRepository): OnRepository {
  if (!readsKind(found, PULLS) || found.repository.is_mirror === 1) throw refuse.notFound()
  requireUnit(found, "repo.code", "read")
  return found
}

const locate = async (request: Request): Promise<OnRepository> => requirePulls(await locateFromPath(request))

/** There is nothing to merge in an empty repository. */
async function locateWithCode(request: Request): Promise<OnRepository> {
  const found = await locate(request)
  if (found.repository.is_empty === 1) throw refuse.notFound()
  return found
}

async function locateToChange(request: Request): Promise<OnRepository & Me> {
  const found = await locateWithCode(request)
  const me = asMe(request.actor)
  refuseArchived(request, found)
  return { ...me, ...found }
}

/** The pull request of that number; an issue's number is refused as `notFound` like an unused one. */
export async function locatePull(db: Handle, { id }: OnRepository["repository"], number: number): Promise<{ issue: Issue; pull: Pull }> {
  const issue = number === 0 ? undefined : await findIssueByNumber.first(db, { repositoryId: id, number })
  const pull = issue?.is_pull === 1 ? await findPullByIssue.first(db, { issueId: issue.id }) : undefined
  if (!issue || !pull) throw refuse.notFound()
  return { issue, pull }
}

/** Adds the pull request of the path's {index}. */
const withPull = async <Found extends OnRepository>({ db, path }: Request, found: Found): Promise<Found & OnPull> => ({
  ...found,
  ...(await locatePull(db, found.repository, pathNumber(path["index"]))),
})

/** A repository whose pull requests and code the caller may read. */
export const onPulls: Access<OnRepository> = {
  rule: { subject: "repository", needs: "pullRequests:read", signIn: "optional" },
  open: locate,
}

/** Like `onPulls`, for those who have signed in. The repository is looked up first, so that the 401 reveals nothing. */
export const onPullsSignedIn: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "pullRequests:read", signIn: "required" },
  open: async (request) => {
    const found = await locateWithCode(request)
    return { ...asMe(request.actor), ...found }
  },
}

/** The pull request of the path's {index}, for callers who may read it and the code. */
export const onPull: Access<OnPull> = {
  rule: { subject: "repository", needs: "pullRequest:read", signIn: "optional" },
  open: async (request) => withPull(request, await locate(request)),
}

/** Like `onPull`, for those who have signed in. */
export const onPullSignedIn: Access<OnPull & Me> = {
  rule: { subject: "repository", needs: "pullRequest:read", signIn: "required" },
  open: async (request) => withPull(request, await onPullsSignedIn.open(request)),
}

/** Like `onPullSignedIn`, for operations that only write: an archived repository is refused before the pull request is looked up. */
export const onPullToChange: Access<OnPull & Me> = {
  rule: { subject: "repository", needs: "pullRequest:read", signIn: "required" },
  open: async (request) => withPull(request, await locateToChange(request)),
}

/** The pull request of the path's {index}, to be edited by its author or callers who may write to pull requests. */
export const onPullAsAuthor: Access<OnPull & Me> = {
  rule: { subject: "repository", needs: "pullRequest:author", signIn: "required" },
  open: async (request) => {
    const found = await withPull(request, await locateToChange(request))
    if (found.issue.author_id !== found.me.id) requireWriting(found, PULLS)
    return found
  },
}
