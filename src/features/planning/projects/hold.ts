import { sql } from "kysely"
import { permissionOn, type Repository } from "../../../access/permission.ts"
import { type Issue, readsKind } from "../../../access/policies/issues.ts"
import type { ProjectHome } from "../../../access/policies/projects.ts"
import { findIssueById, findUserById } from "../../../access/store.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"
import { type AtColumn, type Column, findColumn, findColumnOf, findProject, findProjectHeld, held, type Project } from "./store.ts"

/**
 * What a change builds on is held until its transaction ends, always the repository before the issue before the project, so that two
 * changes never wait for each other in a circle. Whoever changes what is in a project holds the project: its columns and cards are written
 * by one at a time.
 */

/** The home's project. Refuses `notFound`. */
export async function requireProject(db: Handle, home: ProjectHome, id: number): Promise<Project> {
  const project = await findProject(db, home, id)
  if (!project) throw refuse.notFound()
  return project
}

/** The home's project, held. Refuses `notFound`. */
export async function holdProject(tx: Transaction, home: ProjectHome, id: number): Promise<Project> {
  const project = await findProjectHeld(tx, home, id)
  if (!project) throw refuse.notFound()
  return project
}

/** The home's project, held so that what is in it can be changed. Refuses `notFound`, and `forbidden` a closed one. */
export async function holdOpenProject(tx: Transaction, home: ProjectHome, id: number): Promise<Project> {
  const project = await holdProject(tx, home, id)
  if (project.is_closed === 1) throw refuse.forbidden("project is closed")
  return project
}

/** A column of the project. Refuses `notFound`. */
export async function requireColumn(db: Handle, project: Pick<Project, "id">, id: number): Promise<Column> {
  const column = await findColumn.first(db, { projectId: project.id, id })
  if (!column) throw refuse.notFound()
  return column
}

/** A column of one of the home's projects. Refuses `notFound`. */
export async function requireColumnOf(db: Handle, home: ProjectHome, at: AtColumn): Promise<Column> {
  const column = await findColumnOf(db, home, at)
  if (!column) throw refuse.notFound()
  return column
}

/** An issue and its repository, neither of which goes away or is handed over meanwhile. */
export interface HeldIssue {
  readonly issue: Issue
  readonly repository: Repository
}

const shareRepository = query("projects.shareRepository", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("repositories")
    .selectAll()
    .where("id", "=", p.id)
    .modifyEnd(portable({ sqlite: sql``, postgres: sql`for share` })),
)

const holdIssue = query("projects.holdIssue", (db, p: Params<{ id: number }>) =>
  db.selectFrom("issues").selectAll().where("id", "=", p.id).modifyEnd(held),
)

/**
 * The issue or pull request of that id, held; undefined where it is not for this home, or nothing that the caller may read. It refuses
 * nothing: what comes before it in the order of refusals is held after it.
 */
export async function holdIssueFor(tx: Transaction, home: ProjectHome, actor: Actor, id: number): Promise<HeldIssue | undefined> {
  const found = id === 0 ? undefined : await findIssueById.first(tx, { id })
  if (!found || (home.repository && home.repository.id !== found.repository_id)) return undefined
  const repository = await shareRepository.first(tx, { id: found.repository_id })
  const issue = repository && (await holdIssue.first(tx, { id }))
  const owner = issue && (await findUserById.first(tx, { id: repository.owner_id }))
  if (!owner) return undefined
  const owned = { repository, owner }
  return readsKind({ ...owned, permission: await permissionOn(tx, actor, owned) }, issue) ? { issue, repository } : undefined
}
