import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { readableProjects } from "../../../access/policies/projects.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { lockRows } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import type { Site } from "../../../core/site.ts"
import { enterColumn, leaveProjects } from "./cards.ts"
import { defaultColumn } from "./columns.ts"
import { presentProjects } from "./present.ts"
import type { Project as ProjectRecord } from "./records.ts"
import type { Project } from "./store.ts"

/** The projects of issues, seen from the issues. */

// --- setting ---------------------------------------------------------------------------------------------------------------------

const findProjectIds = query("projects.findIdsOfIssue", (db, p: Params<{ issueId: number }>) =>
  db.selectFrom("project_cards").select("project_id").where("issue_id", "=", p.issueId).orderBy("project_id"),
)

export interface IssueProjects extends Me {
  readonly issue: Pick<Issue, "id" | "repository_id">
  /** The issue's repository as it is now, locked. */
  readonly repository: Repository
  readonly projectIds: readonly number[]
  readonly now: Seconds
}

/**
 * Puts an issue into these projects, in each behind the last of the default column, and takes it out of all others that the caller may
 * read. A closed project takes it too: to plan an issue is not to change the board. The issue's row must be locked already.
 * Refuses `badRequest` a project that is missing, belongs neither to the repository nor to its owner, may not be read by the caller, or is of a
 * kind that the repository is set not to use.
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

/** The ids of those of the projects that the caller may read. */
async function readableAmong(db: Handle, actor: Actor, projects: readonly Pick<Project, "id">[]): Promise<ReadonlySet<number>> {
  const ids = projects.map(({ id }) => id)
  const rows = await db.selectFrom("projects").select("id").where(inList("projects.id", ids)).where(readableProjects(actor)).execute()
  return new Set(rows.map(({ id }) => id))
}

// --- presenting ------------------------------------------------------------------------------------------------------------------

const findProjectsOfIssues = query("projects.findOfIssues", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db
    .selectFrom("project_cards")
    .innerJoin("projects", "projects.id", "project_cards.project_id")
    .leftJoin("repositories", "repositories.id", "projects.repository_id")
    .innerJoin("users as owner", (join) =>
      join.on((eb) => eb("owner.id", "=", eb.fn.coalesce("projects.owner_id", "repositories.owner_id"))),
    )
    .selectAll("projects")
    .select(["project_cards.issue_id", "owner.name as owner_name", "owner.kind as owner_kind", "repositories.name as repository_name"])
    .where("project_cards.issue_id", "in", p.issueIds)
    .orderBy("projects.id"),
)

/**
 * The projects of these issues that the caller may read, by the issue's id: one query where there are none, otherwise a fixed number. Issues
 * without any are missing.
 */
export async function presentIssueProjects(
  db: Handle,
  site: Site,
  actor: Actor,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, ProjectRecord[]>> {
  const cards = await findProjectsOfIssues(db, { issueIds })
  if (cards.length === 0) return NONE
  const readable = await readableAmong(db, actor, cards)
  const placed = new Map(
    cards
      .filter(({ id }) => readable.has(id))
      .map(({ issue_id: _, owner_name, owner_kind, repository_name, ...project }) => {
        const repository = repository_name === null ? null : { name: repository_name }
        return [project.id, { project, at: { owner: { name: owner_name, kind: owner_kind }, repository } }]
      }),
  )
  const records = new Map((await presentProjects(db, site, actor, [...placed.values()])).map((record) => [record.id, record]))
  const shown = cards.flatMap(({ id, issue_id }) => {
    const record = records.get(id)
    return record ? [{ issue_id, record }] : []
  })
  return new Map([...Map.groupBy(shown, ({ issue_id }) => issue_id)].map(([id, of]) => [id, of.map(({ record }) => record)]))
}

const NONE: ReadonlyMap<number, ProjectRecord[]> = new Map()
