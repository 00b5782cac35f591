import type { Selectable } from "kysely"
import { type Actor, isSiteAdministrator, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import type { Flag } from "../../core/database/tables/index.ts"
import type { IssuesTable } from "../../core/database/tables/issues.ts"
import { Renamed, refuse } from "../../core/errors.ts"
import { t } from "../../core/language/message.ts"
import { type Access, pathNumber, type Request } from "../../core/operation.ts"
import { Mode, type Unit } from "../modes.ts"
import { unitEnabled, unitMode } from "../permission.ts"
import { findIssueByNumber, findMovedIssue } from "../store.ts"
import { findKnown } from "./people.ts"
import { findReachable, locateFromPath, type OnRepository, refuseArchived, requireUnit } from "./repositories.ts"
import { asMe, type Me } from "./site.ts"

/** An issue or a pull request. */
export type Issue = Selectable<IssuesTable>

/** A repository and one of its issues. */
export interface OnIssue extends OnRepository {
  readonly issue: Issue
}

type Kind = Pick<Issue, "is_pull">

/** The unit of a repository that an issue or pull request belongs to. */
export const unitOf = ({ is_pull }: Kind): Unit => (is_pull === 1 ? "repo.pulls" : "repo.issues")

/** Whether the caller may read issues, or pull requests. A disabled unit can't be read. */
export const readsKind = ({ permission, repository }: OnRepository, kind: Kind): boolean =>
  unitMode(permission, repository, unitOf(kind)) >= Mode.read

/** Whether the caller may write to issues, or to pull requests. */
export const writesKind = ({ permission, repository }: OnRepository, kind: Kind): boolean =>
  unitMode(permission, repository, unitOf(kind)) >= Mode.write

export interface ReadableKinds {
  readonly issues: boolean
  readonly pulls: boolean
}

const kindOf = (isPull: Flag): Kind => ({ is_pull: isPull })

/** Which of the two kinds the caller may read. */
export const readableKinds = (found: OnRepository): ReadableKinds => ({
  issues: readsKind(found, kindOf(0)),
  pulls: readsKind(found, kindOf(1)),
})

/** Refuses as missing a repository that has, for this caller, neither issues nor pull requests. One without code has no pull requests. */
function requireIssues(found: OnRepository): OnRepository {
  const { issues, pulls } = readableKinds(found)
  const { is_mirror, is_empty } = found.repository
  if (issues || (pulls && is_mirror === 0 && is_empty === 0)) return found
  throw refuse.notFound()
}

/** The issue of that number; one that is missing, or of a kind that the caller may not read, is refused as `notFound`. */
export async function locateIssue(db: Handle, found: OnRepository, number: number): Promise<Issue> {
  return admitIssue(found, await findNumbered(db, found, number))
}

const findNumbered = async (db: Handle, { repository }: OnRepository, number: number): Promise<Issue | undefined> =>
  number === 0 ? undefined : findIssueByNumber.first(db, { repositoryId: repository.id, number })

/** Where the issue is that had this number before it was transferred; undefined where there is none, and for callers who may not read it there. */
export async function findMoved(db: Handle, actor: Actor, { repository }: OnRepository, number: number): Promise<OnIssue | undefined> {
  const issue = await findMovedIssue.first(db, { repositoryId: repository.id, number })
  const found = issue && (await findReachable(db, actor, issue.repository_id))
  return found && readsKind(found, issue) ? { ...found, issue } : undefined
}

/** The issue, if it exists, belongs to the repository and is of a kind that the caller may read; otherwise refuses `notFound`. */
export function admitIssue(found: OnRepository, issue: Issue | undefined): Issue {
  if (issue === undefined || issue.repository_id !== found.repository.id || !readsKind(found, issue)) throw refuse.notFound()
  return issue
}

/** Refuses `forbidden` unless the caller may write to issues of this kind. */
export function requireWriting(found: OnRepository, kind: Kind): void {
  if (!writesKind(found, kind)) throw refuse.forbidden("write permission is required")
}

const locate = async (request: Request): Promise<OnRepository> => requireIssues(await locateFromPath(request))

/** Adds the issue of the path's {index}, see `locateIssue`. The number of one that was transferred redirects to where it is. */
export async function withIssue({ db, actor, path }: Request, found: OnRepository): Promise<OnIssue> {
  const number = pathNumber(path.index)
  const issue = await findNumbered(db, found, number)
  const moved = issue || number === 0 ? undefined : await findMoved(db, actor, found, number)
  if (moved) throw new Renamed(307, { owner: moved.owner.name, repo: moved.repository.name, index: String(moved.issue.number) })
  return { ...found, issue: admitIssue(found, issue) }
}

/** A repository with issues or pull requests that the caller may read; all others are missing. */
export const onIssues: Access<OnRepository> = {
  rule: { subject: "repository", needs: "issuesOrPulls:read", signIn: "optional" },
  open: locate,
}

/** Like `onIssues`, for those who have signed in. */
export const onIssuesSignedIn: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "issuesOrPulls:read", signIn: "required" },
  open: async (request) => {
    const found = await locate(request)
    return { ...asMe(request.actor), ...found }
  },
}

/** The issue of the path's {index}, for callers who may read its kind. */
export const onIssue: Access<OnIssue> = {
  rule: { subject: "repository", needs: "issue:read", signIn: "optional" },
  open: async (request) => withIssue(request, await locate(request)),
}

/** Like `onIssue`, for those who have signed in. The repository is looked up first, the issue last. */
export const onIssueSignedIn: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:read", signIn: "required" },
  open: async (request) => {
    const found = await onIssuesSignedIn.open(request)
    return { ...found, ...(await withIssue(request, found)) }
  },
}

/** For operations that only write: an archived repository is refused first, for all signed-in callers. */
export async function openForChange(request: Request): Promise<OnRepository & Me> {
  const found = await onIssuesSignedIn.open(request)
  refuseArchived(request, found)
  return found
}

/** The issue of the path's {index}, to be changed by callers who may write to its kind. */
export const onIssueAsWriter: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:write", signIn: "required" },
  open: async (request) => {
    const found = await openForChange(request)
    const located = await withIssue(request, found)
    requireWriting(located, located.issue)
    return { ...found, ...located }
  },
}

/** The issue of the path's {index}, to be changed by its author or callers who may write to its kind. */
export const onIssueAsAuthor: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:author", signIn: "required" },
  open: async (request) => {
    const found = await openForChange(request)
    const located = await withIssue(request, found)
    if (located.issue.author_id !== found.me.id) requireWriting(located, located.issue)
    return { ...found, ...located }
  },
}

/** The issue of the path's {index}, for its author and for administrators of the repository. */
export const onIssueAsAuthorOrAdministrator: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:authorOrAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await openForChange(request)
    const located = await withIssue(request, found)
    if (located.issue.author_id !== found.me.id && found.permission.mode < Mode.admin)
      throw refuse.forbidden("only the author and administrators of the repo may do this")
    return { ...found, ...located }
  },
}

/** The issue of the path's {index}, to be changed by administrators of the repository. */
export const onIssueAsAdministrator: Access<OnIssue & Me> = {
  rule: { subject: "repository", needs: "issue:administrator", signIn: "required" },
  open: async (request) => {
    const found = await openForChange(request)
    if (found.permission.mode < Mode.admin) throw refuse.forbidden("user should be an administrator of the repo")
    return { ...found, ...(await withIssue(request, found)) }
  },
}

/**
 * Refuses as missing issues that are switched off or tracked elsewhere, for administrators of the repository too, who couldn't read them
 * either; and `forbidden` to callers who may not read them.
 */
function requireOwnIssues(found: OnRepository): void {
  if (!unitEnabled(found.repository, "repo.issues")) throw refuse.notFound()
  requireUnit(found, "repo.issues", "read")
}

/** A repository whose issues the caller may read; callers who may read only its pull requests are forbidden. */
export const onIssuesAsReader: Access<OnRepository> = {
  rule: { subject: "repository", needs: "issues:read", signIn: "optional" },
  open: async (request) => {
    const found = await locate(request)
    requireOwnIssues(found)
    return found
  },
}

/** A repository whose issues the signed-in caller may read, and so may create. */
export const onIssuesAsReporter: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "issues:read", signIn: "required" },
  open: async (request) => {
    const found = await openForChange(request)
    requireOwnIssues(found)
    return found
  },
}

/** The issue of the path's {index} and the person of its {user}, for that person and site administrators: subscriptions. */
export const onIssueSubscription: Access<OnIssue & Me & { readonly user: User }> = {
  rule: { subject: "repository", needs: "issue:self", signIn: "required" },
  open: async (request) => {
    const found = await onIssueSignedIn.open(request)
    const user = await findKnown(request.db, request.actor, request.path["user"] ?? "")
    if (user?.kind !== "person") throw refuse.notFound("user: there is no such user")
    if (user.id !== found.me.id && !isSiteAdministrator(found.actor))
      throw refuse.forbidden(t`${found.me.name} is not permitted to change subscriptions for ${user.name}`)
    return { ...found, user }
  },
}
