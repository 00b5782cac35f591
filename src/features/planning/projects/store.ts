import type { Insertable, Selectable, Updateable } from "kysely"
import type { ProjectHome } from "../../../access/policies/projects.ts"
import { readableProjects } from "../../../access/visibility.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { ProjectColumnsTable, ProjectsTable } from "../../../core/database/tables/projects.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

export type Project = Selectable<ProjectsTable>
export type Column = Selectable<ProjectColumnsTable>

// --- projects --------------------------------------------------------------------------------------------------------------------

/** Identifies a project of an owner, with repository 0, or of a repository, with owner 0. */
interface ProjectKey {
  readonly id: number
  readonly ownerId: number
  readonly repositoryId: number
}

const keyOf = ({ owner, repository }: ProjectHome, id: number): ProjectKey =>
  repository ? { id, ownerId: 0, repositoryId: repository.id } : { id, ownerId: owner.id, repositoryId: 0 }

const selectProject = (db: Handle, p: Params<ProjectKey>) =>
  db
    .selectFrom("projects")
    .selectAll()
    .where("id", "=", p.id)
    .where((eb) => eb.or([eb("owner_id", "=", p.ownerId), eb("repository_id", "=", p.repositoryId)]))

const findByKey = query("projects.find", (db, p: Params<ProjectKey>) => selectProject(db, p))
const lockByKey = query("projects.lock", (db, p: Params<ProjectKey>) => selectProject(db, p).modifyEnd(forNoKeyUpdate))

/** A project of this owner or repository. */
export const findProject = (db: Handle, home: ProjectHome, id: number): Promise<Project | undefined> => findByKey.first(db, keyOf(home, id))

/** The same, locked: no other transaction changes it, its columns or its cards until this one ends. */
export const lockProjectOf = (db: Handle, home: ProjectHome, id: number): Promise<Project | undefined> =>
  lockByKey.first(db, keyOf(home, id))

/** A page of the projects of this owner or repository in that state, newest first, and their total number. */
export async function findProjects(
  db: Handle,
  { owner, repository }: ProjectHome,
  state: "open" | "closed" | "all",
  page: Page,
): Promise<Found<Project>> {
  const projects = db
    .selectFrom("projects")
    .where(repository ? "repository_id" : "owner_id", "=", repository ? repository.id : owner.id)
    .$if(state !== "all", (found) => found.where("is_closed", "=", state === "closed" ? 1 : 0))
  const { total } = await projects.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await projects.selectAll().orderBy("id", "desc").limit(page.limit).offset(page.offset).execute()
  return { rows, total }
}

/** The ids of the projects that the caller may read. */
export async function readableAmong(db: Handle, actor: Actor, projects: readonly Pick<Project, "id">[]): Promise<ReadonlySet<number>> {
  const ids = projects.map(({ id }) => id)
  const rows = await db.selectFrom("projects").select("id").where(inList("projects.id", ids)).where(readableProjects(actor)).execute()
  return new Set(rows.map(({ id }) => id))
}

// --- columns ---------------------------------------------------------------------------------------------------------------------

/** The ids of a column and its project, as in paths. */
export interface AtColumn {
  readonly projectId: number
  readonly columnId: number
}

export const findColumn = query("projects.findColumn", (db, p: Params<{ projectId: number; id: number }>) =>
  db.selectFrom("project_columns").selectAll().where("id", "=", p.id).where("project_id", "=", p.projectId),
)

const findColumnByKey = query("projects.findColumnInPlace", (db, p: Params<ProjectKey & { readonly projectId: number }>) =>
  db
    .selectFrom("project_columns")
    .innerJoin("projects", "projects.id", "project_columns.project_id")
    .selectAll("project_columns")
    .where("project_columns.id", "=", p.id)
    .where("projects.id", "=", p.projectId)
    .where((eb) => eb.or([eb("projects.owner_id", "=", p.ownerId), eb("projects.repository_id", "=", p.repositoryId)])),
)

/** A column of a project of this owner or repository. */
export const findColumnOf = (db: Handle, home: ProjectHome, { projectId, columnId }: AtColumn): Promise<Column | undefined> =>
  findColumnByKey.first(db, { ...keyOf(home, columnId), projectId })

/** All columns of a project in their order; there are few. */
export const findColumns = query("projects.findColumns", (db, p: Params<{ projectId: number }>) =>
  db.selectFrom("project_columns").selectAll().where("project_id", "=", p.projectId).orderBy("sorting").orderBy("id"),
)

export const insertColumnRow = (tx: Transaction, row: Insertable<Tables["project_columns"]>) =>
  tx.insertInto("project_columns").values(row).returningAll().executeTakeFirstOrThrow()

export const updateColumn = (tx: Transaction, id: number, changes: Updateable<Tables["project_columns"]>) =>
  tx.updateTable("project_columns").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow()

export const deleteColumnById = (tx: Transaction, id: number) => tx.deleteFrom("project_columns").where("id", "=", id).execute()

export const insertProject = (tx: Transaction, row: Insertable<Tables["projects"]>) =>
  tx.insertInto("projects").values(row).returningAll().executeTakeFirstOrThrow()

export const insertColumns = (tx: Transaction, rows: readonly Insertable<Tables["project_columns"]>[]) =>
  tx.insertInto("project_columns").values(rows).execute()

export const updateProject = (tx: Transaction, id: number, changes: Updateable<Tables["projects"]>) =>
  tx.updateTable("projects").set(changes).where("id", "=", id).returningAll().executeTakeFirstOrThrow()

export const deleteProjectById = (tx: Transaction, id: number) => tx.deleteFrom("projects").where("id", "=", id).execute()

/** Two statements, because a unique index allows one default at a time, also within a statement. */
export async function changeDefaultColumn(
  tx: Transaction,
  { projectId, columnId, now }: AtColumn & { readonly now: number },
): Promise<void> {
  const columns = tx.updateTable("project_columns").where("project_id", "=", projectId)
  await columns.set({ is_default: 0, updated_at: now }).where("is_default", "=", 1).execute()
  await columns.set({ is_default: 1, updated_at: now }).where("id", "=", columnId).execute()
}
