import type { Task } from "../../../core/jobs/jobs.ts"
import { deleteOldDeviceCodes } from "./device-store.ts"
import { deleteOldAuthorizations, deleteOldTokens } from "./store.ts"

const BATCH = 500

/** Removes tokens and codes of devices that have ended, and authorizations that have no token. */
export const forgetOAuth2Tokens: Task = {
  name: "forget_oauth2_tokens",
  cron: "50 * * * *",
  run: async ({ database, now }) => {
    for (const remove of [deleteOldTokens, deleteOldAuthorizations, deleteOldDeviceCodes])
      while ((await database.write((tx) => remove.changes(tx, { now: now(), limit: BATCH }))) === BATCH);
    return undefined
  },
}
