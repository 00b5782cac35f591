import type { Task } from "../../../core/jobs/jobs.ts"
import { deleteOldAuthorizations, deleteOldTokens } from "./store.ts"

const BATCH = 500

/** Removes tokens that have ended, and authorizations that have no other. */
export const forgetOAuth2Tokens: Task = {
  name: "forget_oauth2_tokens",
  cron: "50 * * * *",
  run: async ({ database, now }) => {
    for (const remove of [deleteOldTokens, deleteOldAuthorizations])
      while ((await database.write((tx) => remove.changes(tx, { now: now(), limit: BATCH }))) === BATCH);
    return undefined
  },
}
