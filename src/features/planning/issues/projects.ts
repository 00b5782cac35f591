import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRows } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { deleteCards, findProjectIds, insertCard } from "../projects/card-store.ts"
import { defaultColumn } from "../projects/columns.ts"
import { type Column, type Project, readableAmong } from "../projects/store.ts"
import { touchIssue } from "./touch.ts"

export interface IssueProjects extends Me {
  readonly issue: Pick<Issue, "id" | "repository_id">
  /** The issue's repository as it is now, locked. */
  readonly repository: Repository
  readonly projectIds: readonly number[]
  readonly now: Seconds
}

/**
 * Adds an issue to these projects, at the end of their default columns, and removes it from all others that the caller may read. Closed
 * projects are allowed, because the issue is changed and not the board. The issue's row must be locked already.
 * Refuses `badRequest` a project that is missing, belongs neither to the repository nor to its owner, may not be read by the caller, or is
 * of a kind that the repository is set not to use.
 */
export async function setIssueProjects(tx: Transaction, { issue, repository, actor, me, projectIds, now }: IssueProjects): Promise<void> {
  const present = new Set((await findProjectIds(tx, { issueId: issue.id })).map((row) => row.project_id))
  const concerned = new Set([...present, ...projectIds])
  if (concerned.size === 0) return
  const projects = await lockRows(tx, "projects", [...concerned])
  const readable = await readableAmong(tx, actor, projects)
  const known = new Map(projects.filter(({ id }) => readable.has(id)).map((project) => [project.id, project]))
  const wanted = [...new Set(projectIds)].map((id) => {
    const project = known.get(id)
    if (project && (present.has(id) || isUsedBy(project, repository))) return project
    throw refuse.badRequest(`project ${id} not found`)
  })
  const left = [...present].filter((id) => known.has(id) && !projectIds.includes(id))
  await leaveProjects(tx, left, issue, me, now)
  for (const project of wanted) if (!present.has(project.id)) await enterColumn(tx, await defaultColumn(tx, project, now), issue, me, now)
}

/** Whether issues of the repository may be put into the project: its own or its owner's, as its settings say. */
const isUsedBy = (project: Project, repository: Repository): boolean =>
  project.repository_id === null
    ? project.owner_id === repository.owner_id && repository.projects_mode !== "repo"
    : project.repository_id === repository.id && repository.projects_mode !== "owner"

/** Adds an issue to a project, at the end of this column. It must not be in the project yet, and the project must be locked. */
export async function enterColumn(tx: Transaction, { id, project_id }: Column, issue: IssueRow, me: User, now: Seconds): Promise<void> {
  await insertCard(tx, { issueId: issue.id, columnId: id })
  await publishChange(tx, "issue.projectAdded", [project_id], issue, me, now)
}

/** Removes an issue from projects that it is in. */
export async function leaveProjects(
  tx: Transaction,
  projectIds: readonly number[],
  issue: IssueRow,
  me: User,
  now: Seconds,
): Promise<void> {
  if (projectIds.length === 0) return
  await deleteCards(tx, { issueId: issue.id, projectIds })
  await publishChange(tx, "issue.projectRemoved", projectIds, issue, me, now)
}

type IssueRow = Pick<Issue, "id" | "repository_id">

async function publishChange(
  tx: Transaction,
  kind: "issue.projectAdded" | "issue.projectRemoved",
  projectIds: readonly number[],
  issue: IssueRow,
  actor: User,
  now: Seconds,
): Promise<void> {
  for (const projectId of projectIds) publish(tx, { kind, issue, actor, projectId, at: now })
  await touchIssue(tx, issue.id, now)
}

/** Removes the issues of a repository from the projects of its previous owner after a transfer. */
export async function leaveOwnersProjects(tx: Transaction, repositoryId: number, ownerId: number): Promise<void> {
  await tx
    .deleteFrom("project_cards")
    .where("project_id", "in", tx.selectFrom("projects").select("id").where("owner_id", "=", ownerId))
    .where("repository_id", "=", repositoryId)
    .execute()
}
