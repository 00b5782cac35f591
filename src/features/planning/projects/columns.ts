import type { ProjectHome } from "../../../access/policies/projects.ts"
import type { User } from "../../../core/actor.ts"
import { differencesFrom } from "../../../core/database/changes.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { ownerIdsOf } from "../../../core/owner-scope.ts"
import { moveAllCards } from "./card-store.ts"
import { lockOpenProject, requireColumn } from "./lock.ts"
import { COLUMN_SORTING, type CreateProjectColumnOption, type EditProjectColumnOption } from "./records.ts"
import {
  type AtColumn,
  type Column,
  changeDefaultColumn,
  deleteColumnById,
  findColumns,
  insertColumnRow,
  type Project,
  updateColumn,
} from "./store.ts"

/**
 * The columns of a project. All of these refuse `notFound` a project that the owner or repository doesn't have, and `forbidden` a closed
 * one.
 */

const MOST_COLUMNS = 20

/** Creates a column after the others. Refuses as `invalid` a malformed colour, and more than 20 columns. */
export async function createColumn(
  tx: Transaction,
  home: ProjectHome,
  projectId: number,
  me: User,
  options: CreateProjectColumnOption,
  now: Seconds,
): Promise<Column> {
  const project = await lockOpenProject(tx, home, projectId)
  const color = requireColor(options.color ?? "")
  const columns = await findColumns(tx, { projectId: project.id })
  if (columns.length >= MOST_COLUMNS) throw refuse.invalid("project", t`has ${MOST_COLUMNS} columns already, which is the most`)
  const last = columns.at(-1)
  return insertColumn(tx, project, me, {
    title: options.title,
    color,
    // At the maximum the value is repeated; of equal ones the newer comes last.
    sorting: last ? Math.min(last.sorting + 1, COLUMN_SORTING.maximum) : 0,
    is_default: 0,
    creator_id: me.id,
    now,
  })
}

interface NewColumn extends Pick<Column, "title" | "color" | "sorting" | "is_default" | "creator_id"> {
  readonly now: Seconds
}

async function insertColumn(tx: Transaction, project: Project, actor: User, { now, ...column }: NewColumn): Promise<Column> {
  const made = await insertColumnRow(tx, { ...column, project_id: project.id, created_at: now, updated_at: now })
  publish(tx, { kind: "column.created", ...ownerIdsOf(project), ...columnIn(made), actor, at: now })
  return made
}

/** A column in events. */
const columnIn = ({ project_id, id }: Column) => ({ projectId: project_id, columnId: id })

/**
 * Changes the given members of a column. Other columns keep their `sorting`; of equal ones the older comes first.
 * Refuses `notFound`, and as `invalid` a malformed colour, and a `sorting` that is out of range.
 */
export async function editColumn(
  tx: Transaction,
  home: ProjectHome,
  { projectId, columnId }: AtColumn,
  me: User,
  { title, color, sorting }: EditProjectColumnOption,
  now: Seconds,
): Promise<Column> {
  const project = await lockOpenProject(tx, home, projectId)
  const column = await requireColumn(tx, project, columnId)
  const changes = differencesFrom(column, {
    title: title?.trim(),
    color: color === undefined ? undefined : requireColor(color),
    sorting: sorting === undefined ? undefined : requireSorting(sorting),
  })
  const changed = Object.keys(changes)
  if (changed.length === 0) return column
  publish(tx, { kind: "column.edited", ...ownerIdsOf(project), ...columnIn(column), changed, actor: me, at: now })
  return updateColumn(tx, column.id, { ...changes, updated_at: now })
}

function requireColor(color: string): string {
  if (/^(#[0-9a-f]{6})?$/i.test(color)) return color
  throw refuse.invalid("color", "must be “#” and six hex digits, such as #00aabb, or empty")
}

function requireSorting(sorting: number): number {
  const { minimum, maximum } = COLUMN_SORTING
  if (sorting < minimum || sorting > maximum) throw refuse.invalid("sorting", t`must be between ${minimum} and ${maximum}`)
  return sorting
}

/**
 * Deletes a column; its cards move to the end of the default column, in their order. Refuses `notFound`, and as `invalid` the default
 * column.
 */
export async function deleteColumn(tx: Transaction, home: ProjectHome, { projectId, columnId }: AtColumn, me: User): Promise<void> {
  const project = await lockOpenProject(tx, home, projectId)
  const column = await requireColumn(tx, project, columnId)
  if (column.is_default === 1) throw refuse.invalid("column_id", "cannot delete the default column")
  // A project without a default column has no cards: adding the first card creates the column.
  const target = (await findColumns(tx, { projectId: project.id })).find(({ is_default }) => is_default === 1)
  if (target) await moveAllCards(tx, { from: column.id, to: target.id })
  await deleteColumnById(tx, column.id)
  publish(tx, { kind: "column.deleted", ...ownerIdsOf(project), ...columnIn(column), actor: me })
}

/** Makes a column the default in place of the present one. Refuses `notFound`. */
export async function makeDefault(
  tx: Transaction,
  home: ProjectHome,
  { projectId, columnId }: AtColumn,
  me: User,
  now: Seconds,
): Promise<void> {
  const project = await lockOpenProject(tx, home, projectId)
  const column = await requireColumn(tx, project, columnId)
  if (column.is_default === 1) return
  await changeDefaultColumn(tx, { projectId: project.id, columnId: column.id, now })
  publish(tx, { kind: "column.madeDefault", ...ownerIdsOf(project), ...columnIn(column), actor: me, at: now })
}

/** Puts the columns in this order. Refuses as `invalid` a list that doesn't contain each column of the project exactly once. */
export async function orderColumns(
  tx: Transaction,
  home: ProjectHome,
  projectId: number,
  columnIds: readonly number[],
  me: User,
  now: Seconds,
): Promise<void> {
  const project = await lockOpenProject(tx, home, projectId)
  const columns = new Map((await findColumns(tx, { projectId: project.id })).map((column) => [column.id, column]))
  const isEach = columnIds.length === columns.size && new Set(columnIds).size === columns.size && columnIds.every((id) => columns.has(id))
  if (!isEach) throw refuse.invalid("column_ids", "must list every column of the project exactly once")
  const moved = columnIds.map((id, sorting) => ({ id, sorting })).filter(({ id, sorting }) => columns.get(id)?.sorting !== sorting)
  if (moved.length === 0) return
  for (const { id, sorting } of moved) await updateColumn(tx, id, { sorting, updated_at: now })
  const movedIds = moved.map(({ id }) => id)
  publish(tx, { kind: "column.moved", ...ownerIdsOf(project), projectId: project.id, columnIds: movedIds, actor: me, at: now })
}

/**
 * The column of a locked project that issues are added to unless another is named. Where none is the default the first becomes it; where
 * there is no column, one is created.
 */
export async function defaultColumn(tx: Transaction, project: Project, me: User, now: Seconds): Promise<Column> {
  const columns = await findColumns(tx, { projectId: project.id })
  const [first] = columns
  const column = columns.find(({ is_default }) => is_default === 1) ?? first
  if (!column)
    return insertColumn(tx, project, me, {
      title: "Uncategorized",
      color: "",
      sorting: 0,
      is_default: 1,
      creator_id: project.creator_id,
      now,
    })
  if (column.is_default === 0) {
    await updateColumn(tx, column.id, { is_default: 1, updated_at: now })
    publish(tx, { kind: "column.madeDefault", ...ownerIdsOf(project), ...columnIn(column), actor: me, at: now })
  }
  return column
}
