import { type SqlBool, sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"

// Literal, because a partial index is only used for the exact condition that it was created with.
const isCaused = sql<SqlBool>`cause <> ''`

/** A run that was started for this event. */
export const findCaused = query("actions.findCaused", (db, p: Params<{ cause: string }>) =>
  db.selectFrom("action_runs").select("id").where("cause", "=", p.cause).where(isCaused).limit(1),
)
