import { type SqlBool, sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"

const hasRepository = sql<SqlBool>`exists (select 1 from repositories where repositories.storage = stored_repositories.key)`
/** The key of a wiki ends with `-wiki`: see `wikiKey`. */
const hasWiki = sql<SqlBool>`exists (select 1 from repositories join wikis on wikis.repository_id = repositories.id where repositories.storage = substr(stored_repositories.key, 1, length(stored_repositories.key) - 5))`

/** Stored repositories from before a time that belong to no repository and no wiki. */
export const findOrphans = query("storedRepositories.findOrphans", (db, p: Params<{ before: Seconds }>) =>
  db
    .selectFrom("stored_repositories")
    .select("key")
    .where("created_at", "<", p.before)
    .where((eb) => eb.not(hasRepository))
    .where((eb) => eb.not(hasWiki))
    .orderBy("id"),
)
