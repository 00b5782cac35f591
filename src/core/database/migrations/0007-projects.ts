import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"
import { keepTotals } from "./totals.ts"

/** Projects, their columns, and the cards in these. */
export const projects = { id: 7, name: "projects", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table(
    "projects",
    {
      id: "id",
      owner_id: "owned?",
      repository_id: "owned?",
      creator_id: "integer",
      title: "text",
      description: "text",
      template_type: ["text", "none"],
      card_type: ["text", "text_only"],
      is_closed: "flag",
      closed_at: "time",
      created_at: "time",
      updated_at: "time",
    },
    { owner_id: "users", repository_id: "repositories" },
  )
  await index("projects_owner", "projects", ["owner_id", "is_closed", "id"])
  await index("projects_repository", "projects", ["repository_id", "is_closed", "id"])

  await table(
    "project_columns",
    {
      id: "id",
      project_id: "reference",
      creator_id: "integer",
      title: "text",
      color: "text",
      sorting: "integer",
      is_default: "flag",
      created_at: "time",
      updated_at: "time",
    },
    { project_id: "projects" },
  )
  await index("project_columns_list", "project_columns", ["project_id", "sorting", "id"])
  await sql`create unique index project_columns_default on project_columns (project_id) where is_default = 1`.execute(db)

  await table(
    "project_cards",
    {
      project_id: "reference",
      issue_id: "reference",
      column_id: "reference",
      sorting: "integer",
      repository_id: "integer",
      is_pull: "flag",
      is_closed: "flag",
    },
    { project_id: "projects", issue_id: "issues", column_id: "project_columns" },
    ["project_id", "issue_id"],
  )
  await index("project_cards_issue", "project_cards", ["issue_id"])
  // The order of a column with the columns that decide who sees a card: a page is read from the index without sorting, and the last card is at its end.
  await sql`create index project_cards_order on project_cards (column_id, sorting, issue_id desc, repository_id, is_pull)`.execute(db)
  const totalKey = ["project_id", "column_id", "repository_id", "is_pull", "is_closed"]
  await table(
    "project_card_totals",
    { project_id: "reference", column_id: "reference", repository_id: "integer", is_pull: "flag", is_closed: "flag", total: "integer" },
    { project_id: "projects", column_id: "project_columns" },
    totalKey,
  )
  await index("project_card_totals_column", "project_card_totals", ["column_id"])
  await keepTotals(db, types, { table: "project_cards", totals: "project_card_totals", key: totalKey })
  for (const statement of types.kind === "sqlite" ? sqlite : postgres) await sql.raw(statement).execute(db)
}

/** A card is closed when its issue is: triggers keep it up to date. */
const sqlite = [
  `create trigger project_cards_follow after update of is_closed on issues when new.is_closed <> old.is_closed begin
    update project_cards set is_closed = new.is_closed where issue_id = new.id;
  end`,
]

const postgres = [
  `create function project_cards_follow() returns trigger language plpgsql as $$
  begin
    update project_cards set is_closed = new.is_closed where issue_id = new.id;
    return null;
  end $$`,
  `create trigger project_cards_follow after update of is_closed on issues for each row when (new.is_closed <> old.is_closed)
   execute function project_cards_follow()`,
]
