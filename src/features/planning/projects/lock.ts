import type { ProjectHome } from "../../../access/policies/projects.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { type AtColumn, type Column, findColumn, findColumnOf, findProject, lockProjectOf, type Project } from "./store.ts"

/**
 * A change locks the rows that it depends on, in the order repository, issue, project, to avoid deadlocks. Changes of columns and cards
 * lock their project, so that one transaction at a time writes them.
 */

/** A project of this owner or repository. Refuses `notFound`. */
export async function requireProject(db: Handle, home: ProjectHome, id: number): Promise<Project> {
  const project = await findProject(db, home, id)
  if (!project) throw refuse.notFound()
  return project
}

/** The same, locked. Refuses `notFound`. */
export async function lockProject(tx: Transaction, home: ProjectHome, id: number): Promise<Project> {
  const project = await lockProjectOf(tx, home, id)
  if (!project) throw refuse.notFound()
  return project
}

/** The same, locked for a change of its columns or cards. Refuses `notFound`, and `forbidden` a closed one. */
export async function lockOpenProject(tx: Transaction, home: ProjectHome, id: number): Promise<Project> {
  const project = await lockProject(tx, home, id)
  if (project.is_closed === 1) throw refuse.forbidden("project is closed")
  return project
}

/** A column of the project. Refuses `notFound`. */
export async function requireColumn(db: Handle, project: Pick<Project, "id">, id: number): Promise<Column> {
  const column = await findColumn.first(db, { projectId: project.id, id })
  if (!column) throw refuse.notFound()
  return column
}

/** A column of a project of this owner or repository. Refuses `notFound`. */
export async function requireColumnOf(db: Handle, home: ProjectHome, at: AtColumn): Promise<Column> {
  const column = await findColumnOf(db, home, at)
  if (!column) throw refuse.notFound()
  return column
}
