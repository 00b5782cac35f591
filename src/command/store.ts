import type { Handle } from "../core/database/database.ts"

/** Two users, if there are so many. */
export const findTwoUsers = (db: Handle) => db.selectFrom("users").select("id").limit(2).execute()

export const findAnyRepository = (db: Handle) => db.selectFrom("repositories").select("id").limit(1).executeTakeFirst()
