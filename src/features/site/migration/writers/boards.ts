import { flag } from "../../../../core/database/tables/index.ts"
import { cut } from "../../../code/mirrors/import-target.ts"
import { insertMissingCards } from "../../../planning/projects/card-store.ts"
import { findColumns, insertColumnRow, insertProject, updateProject } from "../../../planning/projects/store.ts"
import type { Board } from "../origins/model.ts"
import { findItems } from "./items-store.ts"
import { hostsOf, type Landing, remember } from "./landing.ts"
import { findLabels, isProject } from "./store.ts"

/** As many columns as a board here may have. */
const MOST_COLUMNS = 20

/** Writes boards with their columns, and puts on them what does not stand on them yet. Cards that were moved here stay where they are. */
export async function writeBoards(landing: Landing, records: readonly Board[]): Promise<void> {
  const { tx, repository, imported, services } = landing
  const now = services.now()
  const at = { repositoryId: repository.id, kind: "boards" } as const
  for (const board of records) {
    const known = (await findItems(tx, at, [board.key])).get(board.key)
    // It was deleted here.
    if (known && !(await isProject(tx, known.localId))) continue
    const made = { creator_id: imported.doer_id, created_at: board.createdAt, updated_at: now }
    const id =
      known?.localId ??
      (
        await insertProject(tx, {
          ...made,
          owner_id: null,
          repository_id: repository.id,
          title: cut(board.title, 255) || "board",
          description: landing.text(board.description),
          template_type: "none",
          card_type: "text_only",
        })
      ).id
    if (!known && board.isClosed) await updateProject(tx, id, { is_closed: 1, closed_at: now })
    const columns = await columnsOf(landing, id, board)
    const labels = new Map((await findLabels(tx, repository.id)).map(({ id, name }) => [name, id]))
    const hostOf = await hostsOf(landing, board.cards)
    for (const { key, label } of board.columns) {
      const columnId = columns.get(key)
      if (columnId === undefined) continue
      const issueIds = board.cards.flatMap(({ on, column }) => (column === key ? (hostOf(on) ?? []) : []))
      const labelId = label === undefined ? 0 : (labels.get(cut(label, 255)) ?? 0)
      if (issueIds.length > 0 || labelId !== 0)
        await insertMissingCards.changes(tx, { repositoryId: repository.id, columnId, issueIds, labelId })
    }
    await remember(landing, "boards", { key: board.key, updatedAt: now }, id)
  }
}

/** The columns of a board here, by their keys there; those that are missing are made. */
async function columnsOf({ tx, imported, services }: Landing, projectId: number, board: Board): Promise<ReadonlyMap<string, number>> {
  const now = services.now()
  const there = await findColumns(tx, { projectId })
  const byTitle = new Map(there.map(({ id, title }) => [title, id]))
  const columns = new Map<string, number>()
  for (const [index, { key, title, color }] of board.columns.slice(0, MOST_COLUMNS).entries()) {
    const named = cut(title, 255) || "column"
    const known = byTitle.get(named)
    const id =
      known ??
      (
        await insertColumnRow(tx, {
          project_id: projectId,
          creator_id: imported.doer_id,
          title: named,
          color: /^[0-9a-f]{6}$/i.test(color) ? `#${color}` : "",
          sorting: index,
          is_default: flag(index === 0 && there.length === 0),
          created_at: now,
          updated_at: now,
        })
      ).id
    byTitle.set(named, id)
    columns.set(key, id)
  }
  return columns
}
