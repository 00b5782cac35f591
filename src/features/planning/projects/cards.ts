import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { ProjectHome } from "../../../access/policies/projects.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { touchIssue } from "../issues/touch.ts"
import { type Card, deleteCards, findCard, insertCard, moveCardTo, moveCardToEnd } from "./card-store.ts"
import { defaultColumn } from "./columns.ts"
import { type LockedIssue, lockIssueFor, lockOpenProject, requireColumn } from "./lock.ts"
import type { MoveProjectIssueOption } from "./records.ts"
import { type AtColumn, type Column, findColumn } from "./store.ts"

/**
 * Issues and pull requests on a board. All of these refuse `notFound` a project that the home has not, `forbidden` a closed one, and `archived`
 * an issue whose repository is.
 */

/** Whose board, and who changes it. */
export interface OnBoard extends Me {
  readonly home: ProjectHome
}

export interface AtCard extends AtColumn {
  /** The id of the issue, not its number. */
  readonly issueId: number
}

/**
 * Puts an issue behind the last of a column, whether it was in the project before or not.
 * Refuses `notFound` a column that the project has not and an issue that the caller may not read, `forbidden` one of somebody else's
 * repository, or of one that is set to use its own projects only.
 */
export async function addCard(tx: Transaction, { home, actor, me }: OnBoard, at: AtCard, now: Seconds): Promise<void> {
  const found = await lockIssueFor(tx, home, actor, at.issueId)
  const project = await lockOpenProject(tx, home, at.projectId)
  const column = await requireColumn(tx, project, at.columnId)
  if (!found) throw refuse.notFound()
  const { issue, repository } = requireUnarchived(found)
  const card = await findCard.first(tx, { projectId: project.id, issueId: issue.id })
  if (!home.repository) requireUsed(repository, home.owner, card)
  const from = card?.column_id ?? (await defaultColumn(tx, project, now)).id
  const target = { projectId: project.id, issueId: issue.id, columnId: column.id }
  if (card) await moveCardToEnd(tx, target)
  else await enterColumn(tx, column, issue, me, now)
  if (from !== column.id) await tell(tx, "issue.projectColumnChanged", [project.id], issue, me, now)
}

/** Refuses `forbidden` an issue that is not the owner's, or that would enter although its repository is set to use its own projects only. */
function requireUsed(repository: Repository, owner: User, card: Card | undefined): void {
  if (repository.owner_id !== owner.id) throw refuse.forbidden("the issue belongs to a repository of somebody else")
  if (!card && repository.projects_mode === "repo") throw refuse.forbidden("the repository of the issue uses its own projects only")
}

/**
 * Moves an issue to another place of its column or to another column: to `sorting`, or behind the last. To be moved elsewhere in its column
 * changes nothing but the one card.
 * Refuses as `invalid` a column that the project has not, and an issue that is not in it as far as the caller may know.
 */
export async function moveCard(
  tx: Transaction,
  { home, actor, me }: OnBoard,
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
  const target = { projectId: project.id, issueId, columnId: column.id }
  if (sorting === undefined) await moveCardToEnd(tx, target)
  else await moveCardTo(tx, { ...target, sorting })
  if (card.column_id !== column.id) await tell(tx, "issue.projectColumnChanged", [project.id], found.issue, me, now)
}

/** Takes an issue out of the column, and so out of the project. Refuses `notFound` where it is not in that column. */
export async function removeCard(tx: Transaction, { home, actor, me }: OnBoard, at: AtCard, now: Seconds): Promise<void> {
  const found = await lockIssueFor(tx, home, actor, at.issueId)
  const project = await lockOpenProject(tx, home, at.projectId)
  const column = await requireColumn(tx, project, at.columnId)
  const card = found && (await findCard.first(tx, { projectId: project.id, issueId: at.issueId }))
  if (!found || card?.column_id !== column.id) throw refuse.notFound()
  requireUnarchived(found)
  await leaveProjects(tx, [project.id], found.issue, me, now)
}

/** Refuses `archived` an issue of a repository that takes no changes. */
function requireUnarchived(found: LockedIssue): LockedIssue {
  if (found.repository.is_archived === 1) throw refuse.archived()
  return found
}

// --- entering and leaving --------------------------------------------------------------------------------------------------------

/** Puts an issue into the project of a column, behind the last there. It must not be in the project yet, which must be locked. */
export async function enterColumn(tx: Transaction, { id, project_id }: Column, issue: IssueRow, me: User, now: Seconds): Promise<void> {
  await insertCard(tx, { issueId: issue.id, columnId: id })
  await tell(tx, "issue.projectAdded", [project_id], issue, me, now)
}

/** Takes an issue out of projects that it is in. */
export async function leaveProjects(
  tx: Transaction,
  projectIds: readonly number[],
  issue: IssueRow,
  me: User,
  now: Seconds,
): Promise<void> {
  if (projectIds.length === 0) return
  await deleteCards(tx, { issueId: issue.id, projectIds })
  await tell(tx, "issue.projectRemoved", projectIds, issue, me, now)
}

type IssueRow = Pick<Issue, "id" | "repository_id">

async function tell(
  tx: Transaction,
  kind: "issue.projectAdded" | "issue.projectRemoved" | "issue.projectColumnChanged",
  projectIds: readonly number[],
  issue: IssueRow,
  actor: User,
  now: Seconds,
): Promise<void> {
  for (const projectId of projectIds) publish(tx, { kind, issue, actor, projectId, at: now })
  await touchIssue(tx, issue.id, now)
}

/** Takes the issues of a repository out of an owner's projects: they stay behind when the repository goes to another owner. */
export async function leaveOwnersProjects(tx: Transaction, repositoryId: number, ownerId: number): Promise<void> {
  await tx
    .deleteFrom("project_cards")
    .where("project_id", "in", tx.selectFrom("projects").select("id").where("owner_id", "=", ownerId))
    .where("repository_id", "=", repositoryId)
    .execute()
}
