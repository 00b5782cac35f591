import { permissionOn, type Repository } from "../../../access/permission.ts"
import { type Issue, readsKind } from "../../../access/policies/issues.ts"
import type { ProjectHome } from "../../../access/policies/projects.ts"
import type { Me } from "../../../access/policies/site.ts"
import { findIssueById, findUserById } from "../../../access/store.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { enterColumn, leaveProjects } from "../issues/projects.ts"
import { touchIssue } from "../issues/touch-store.ts"
import { type Card, findCard, moveCardTo, moveCardToEnd, shareRepository } from "../projects/card-store.ts"
import { defaultColumn } from "../projects/columns.ts"
import { lockOpenProject, requireColumn } from "../projects/lock.ts"
import type { MoveProjectIssueOption } from "../projects/records.ts"
import { type AtColumn, findColumn } from "../projects/store.ts"

/**
 * Issues and pull requests on a board. All of these refuse `notFound` a project that the owner or repository doesn't have, `forbidden` a
 * closed one, and `archived` an issue of an archived repository.
 */

/** The owner of the board, and the user who changes it. */
export interface BoardChange extends Me {
  readonly home: ProjectHome
}

export interface AtCard extends AtColumn {
  /** The id of the issue, not its number. */
  readonly issueId: number
}

/**
 * Adds an issue at the end of a column, or moves it there if it is in the project already.
 * Refuses `notFound` a column that the project doesn't have and an issue that the caller may not read, `forbidden` an issue of another
 * owner's repository, or of a repository that uses only its own projects.
 */
export async function addCard(tx: Transaction, { home, actor, me }: BoardChange, at: AtCard, now: Seconds): Promise<void> {
  const found = await lockIssueFor(tx, home, actor, at.issueId)
  const project = await lockOpenProject(tx, home, at.projectId)
  const column = await requireColumn(tx, project, at.columnId)
  if (!found) throw refuse.notFound()
  const { issue, repository } = requireUnarchived(found)
  const card = await findCard.first(tx, { projectId: project.id, issueId: issue.id })
  if (!home.repository) requireUsed(repository, home.owner, card)
  const from = card?.column_id ?? (await defaultColumn(tx, project, me, now)).id
  const target = { projectId: project.id, issueId: issue.id, columnId: column.id }
  if (card) await move(tx, card, target, issue, me, now)
  else await enterColumn(tx, column, issue, me, now)
  if (!card && from !== column.id) await publishColumn(tx, target, issue, me, now)
}

/** Refuses `forbidden` an issue of another owner, and a new card for an issue whose repository uses only its own projects. */
function requireUsed(repository: Repository, owner: User, card: Card | undefined): void {
  if (repository.owner_id !== owner.id) throw refuse.forbidden("the issue belongs to a repository of someone else")
  if (!card && repository.projects_mode === "repo") throw refuse.forbidden("the repository of the issue uses its own projects only")
}

/**
 * Moves an issue within its column or to another one: to `sorting`, or to the end. Only this one card is written.
 * Refuses as `invalid` a column that the project doesn't have, and an issue that is not in it or that the caller may not read.
 */
export async function moveCard(
  tx: Transaction,
  { home, actor, me }: BoardChange,
  { projectId, issueId }: Omit<AtCard, "columnId">,
  { column_id, sorting }: MoveProjectIssueOption,
  now: Seconds,
): Promise<void> {
  const found = await lockIssueFor(tx, home, actor, issueId)
  const project = await lockOpenProject(tx, home, projectId)
  const column = await findColumn.first(tx, { projectId: project.id, id: column_id })
  if (!column) throw refuse.invalid("column_id", "target column does not belong to this project")
  const card = found && (await findCard.first(tx, { projectId: project.id, issueId }))
  if (!card) throw refuse.invalid("issue_id", "all issues have to be added to a project first")
  requireUnarchived(found)
  const target = { projectId: project.id, issueId, columnId: column.id, ...(sorting !== undefined && { sorting }) }
  await move(tx, card, target, found.issue, me, now)
}

/** Removes an issue from the column and thereby from the project. Refuses `notFound` where it is not in that column. */
export async function removeCard(tx: Transaction, { home, actor, me }: BoardChange, at: AtCard, now: Seconds): Promise<void> {
  const found = await lockIssueFor(tx, home, actor, at.issueId)
  const project = await lockOpenProject(tx, home, at.projectId)
  const column = await requireColumn(tx, project, at.columnId)
  const card = found && (await findCard.first(tx, { projectId: project.id, issueId: at.issueId }))
  if (!found || card?.column_id !== column.id) throw refuse.notFound()
  requireUnarchived(found)
  await leaveProjects(tx, [project.id], found.issue, me, now)
}

/** Refuses `archived` an issue of an archived repository. */
function requireUnarchived(found: LockedIssue): LockedIssue {
  if (found.repository.is_archived === 1) throw refuse.archived()
  return found
}

interface Target {
  readonly projectId: number
  readonly issueId: number
  readonly columnId: number
  /** Its position; at the end if left out. */
  readonly sorting?: number
}

/** Moves a card, and publishes that it is in another column or at another position. */
async function move(tx: Transaction, card: Card, target: Target, issue: Issue, actor: User, now: Seconds): Promise<void> {
  const { projectId, columnId, sorting } = target
  if (sorting !== undefined) await moveCardTo(tx, { ...target, sorting })
  const reached = sorting ?? (await moveCardToEnd.first(tx, target))?.sorting
  if (card.column_id !== columnId) await publishColumn(tx, target, issue, actor, now)
  else if (card.sorting !== reached) publish(tx, { kind: "card.moved", issue, projectId, columnId, actor, at: now })
}

async function publishColumn(tx: Transaction, { projectId, columnId }: Target, issue: Issue, actor: User, now: Seconds): Promise<void> {
  publish(tx, { kind: "issue.projectColumnChanged", issue, actor, projectId, columnId, at: now })
  await touchIssue(tx, issue, now)
}

// --- locking ---------------------------------------------------------------------------------------------------------------------

/** An issue and its repository, both locked, so that neither is deleted or transferred meanwhile. */
interface LockedIssue {
  readonly issue: Issue
  readonly repository: Repository
}

/**
 * The issue or pull request of that id, locked; undefined where it doesn't exist, can't be on a board of this owner, or may not be read by
 * the caller. It doesn't refuse, because checks that come first in the order of refusals need rows that are locked later.
 */
async function lockIssueFor(tx: Transaction, home: ProjectHome, actor: Actor, id: number): Promise<LockedIssue | undefined> {
  const found = id === 0 ? undefined : await findIssueById.first(tx, { id })
  if (!found || (home.repository && home.repository.id !== found.repository_id)) return undefined
  const repository = await shareRepository.first(tx, { id: found.repository_id })
  const issue = repository && (await lockRow(tx, "issues", id))
  const owner = issue && (await findUserById.first(tx, { id: repository.owner_id }))
  if (!owner || issue.repository_id !== repository.id) return undefined
  const owned = { repository, owner }
  return readsKind({ ...owned, permission: await permissionOn(tx, actor, owned) }, issue) ? { issue, repository } : undefined
}
