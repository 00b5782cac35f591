import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { writesProjectsIn, writesProjectsOf } from "../../../access/policies/projects.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRows } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { deleteCards, findProjectIds, insertCard } from "../projects/card-store.ts"
import { defaultColumn } from "../projects/columns.ts"
import { type Column, type Project, readableAmong } from "../projects/store.ts"
import { touchIssue } from "./touch-store.ts"

export interface IssueProjects extends OnRepository, Me {
  readonly issue: Pick<Issue, "id" | "repository_id">
  readonly projectIds: readonly number[]
  readonly now: Seconds
}

/**
 * Adds an issue to these projects, at the end of their default columns, and removes it from all others. Only projects that the caller may
 * write to are changed; others are passed over. Closed projects are allowed, because the issue is changed and not the board. The rows of
 * the issue and its repository must be locked already.
 * Refuses as `invalid` a project that is missing, belongs neither to the repository nor to its owner, may not be read by the caller, or is
 * of a kind that the repository is set not to use.
 */
export async function setIssueProjects(tx: Transaction, change: IssueProjects): Promise<void> {
  const { issue, repository, actor, me, projectIds, now } = change
  const present = new Set((await findProjectIds(tx, { issueId: issue.id })).map((row) => row.project_id))
  const concerned = new Set([...present, ...projectIds])
  if (concerned.size === 0) return
  const projects = await lockRows(tx, "projects", [...concerned])
  const readable = await readableAmong(tx, actor, projects)
  const known = new Map(projects.filter(({ id }) => readable.has(id)).map((project) => [project.id, project]))
  const wanted = [...new Set(projectIds)].map((id) => {
    const project = known.get(id)
    if (project && (present.has(id) || isUsedBy(project, repository))) return project
    throw refuse.invalid("projects", t`there is no project ${id} that the issue can be added to`)
  })
  const entered = wanted.filter(({ id }) => !present.has(id))
  const left = [...known.values()].filter(({ id }) => present.has(id) && !projectIds.includes(id))
  const writable = await writableAmong(tx, change, [...entered, ...left])
  const leaving = left.filter(({ id }) => writable.has(id))
  await leaveProjects(
    tx,
    leaving.map(({ id }) => id),
    issue,
    me,
    now,
  )
  for (const project of entered)
    if (writable.has(project.id)) await enterColumn(tx, await defaultColumn(tx, project, me, now), issue, me, now)
}

/** The ids of those projects, of the repository and its owner, that the caller may write to. */
async function writableAmong(db: Handle, on: IssueProjects, projects: readonly Project[]): Promise<ReadonlySet<number>> {
  const isOwners = ({ repository_id }: Project): boolean => repository_id === null
  const inRepository = writesProjectsIn(on)
  const ofOwner = projects.some(isOwners) && (await writesProjectsOf(db, on.actor, on.owner))
  return new Set(projects.filter((project) => (isOwners(project) ? ofOwner : inRepository)).map(({ id }) => id))
}

/** Whether issues of the repository may be put into the project: its own or its owner's, as its settings say. */
const isUsedBy = (project: Project, repository: Repository): boolean =>
  project.repository_id === null
    ? project.owner_id === repository.owner_id && repository.projects_mode !== "repo"
    : project.repository_id === repository.id && repository.projects_mode !== "owner"

/** Adds an issue to a project, at the end of this column. It must not be in the project yet, and the project must be locked. */
export async function enterColumn(tx: Transaction, { id, project_id }: Column, issue: IssueRow, me: User, now: Seconds): Promise<void> {
  await insertCard(tx, { issueId: issue.id, columnId: id })
  publish(tx, { kind: "issue.projectAdded", issue, actor: me, projectId: project_id, columnId: id, at: now })
  await touchIssue(tx, issue, now)
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
  for (const projectId of projectIds) publish(tx, { kind: "issue.projectRemoved", issue, actor: me, projectId, at: now })
  await touchIssue(tx, issue, now)
}

type IssueRow = Pick<Issue, "id" | "repository_id">
