import type { Task } from "../../../../core/jobs/jobs.ts"

/** Mails before access tokens expire, and the deletion of those that expired long ago. */
export const expireTokens: Task = {
  name: "expire_tokens",
  cron: "25 * * * *",
  run: async (services) => {
    const { expire } = await import("./expire.ts")
    await expire(services)
    return undefined
  },
}
