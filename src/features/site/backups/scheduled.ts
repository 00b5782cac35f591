import type { Config } from "../../../core/config.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { redact } from "../../../core/redact.ts"
import type { Services } from "../../../core/services.ts"
import { alertJob } from "./alert.ts"
import { listAdministrators } from "./store.ts"

/** The task that takes backups as settings say. How the last one ended is told by the page of tasks, by the health of the server, and to administrators by mail where it was not well. */
export const scheduledBackup = ({ backup }: Pick<Config, "backup">): Task => ({
  name: "backup",
  ...(backup.schedule !== "" && { cron: backup.schedule }),
  async run(services, signal) {
    if (backup.to === "" || backup.passphrase === "") return "nothing to do: backup.to and backup.passphrase are not set"
    try {
      return await (await import("./take-and-prune.ts")).takeAndPrune(services, signal)
    } catch (error) {
      if (!signal.aborted) await alert(services, redact(error instanceof Error ? error.message : String(error)))
      throw error
    }
  },
})

async function alert({ config, database, jobs }: Services, reason: string): Promise<void> {
  if (config.mail.host === "") return
  await database.write(async (tx) => {
    for (const { id } of await listAdministrators(tx)) await jobs.enqueue(tx, alertJob, { administratorId: id, reason })
  })
}
