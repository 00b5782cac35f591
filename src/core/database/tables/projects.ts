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

/** Ordered by `sorting`, then by id. At most one of a project is the default, where new cards go. */
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
  /** Copies of the issue's columns that decide who may see the card. */
  repository_id: number
  is_pull: Flag
  /** Updated by a trigger when the issue is closed or reopened. */
  is_closed: Flag
}

/** The number of cards with the same values of the columns that decide who may see them, kept by triggers (see migrations/totals.ts). */
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
