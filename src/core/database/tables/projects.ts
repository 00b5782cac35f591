import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

export interface ProjectsTable {
  id: Generated<number>
  /** Exactly one of owner_id and repository_id is set. */
  owner_id: number | null
  repository_id: number | null
  creator_id: number
  title: string
  description: string
  template_type: "none" | "basic_kanban" | "bug_triage"
  card_type: "text_only" | "images_and_text"
  is_closed: Generated<Flag>
  /** When it was closed last; 0 while it is open. */
  closed_at: Generated<Seconds>
  created_at: Seconds
  updated_at: Seconds
}

/** Columns come by `sorting`, then by id. At most one of a project is the default, which takes what is put into the project as a whole. */
export interface ProjectColumnsTable {
  id: Generated<number>
  project_id: number
  creator_id: number
  title: string
  /** "#" and six hex digits; "" for none. */
  color: string
  sorting: number
  is_default: Flag
  created_at: Seconds
  updated_at: Seconds
}

/** An issue or pull request on a board: once in each project. */
export interface ProjectCardsTable {
  project_id: number
  issue_id: number
  column_id: number
  /** Cards of a column come by `sorting`; of those with the same one the newer issue comes first. */
  sorting: number
  /** The issue's own, as far as they decide who may see the card. */
  repository_id: number
  is_pull: Flag
  /** Kept by the database whenever the issue is closed or reopened. */
  is_closed: Flag
}

/** How many cards are alike in what decides who may see and count them, kept by the database (see migrations/totals.ts). */
export interface ProjectCardTotalsTable
  extends Pick<ProjectCardsTable, "project_id" | "column_id" | "repository_id" | "is_pull" | "is_closed"> {
  total: number
}

export interface ProjectTables {
  projects: ProjectsTable
  project_columns: ProjectColumnsTable
  project_cards: ProjectCardsTable
  project_card_totals: ProjectCardTotalsTable
}
