import { hasRule, readKeep } from "../../../core/backup/keep.ts"
import { holdPlace } from "../../../core/backup/locks.ts"
import { openPlace } from "../../../core/backup/place.ts"
import { openBackups, type Snapshot } from "../../../core/backup/snapshots.ts"
import { bytesInWords } from "../../../core/blobs/move.ts"
import { type Config, sshHostKeyFile } from "../../../core/config.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { redact } from "../../../core/redact.ts"
import type { Services } from "../../../core/services.ts"
import { alertJob } from "./alert.ts"
import { backUp } from "./backup.ts"
import { prune } from "./prune.ts"
import { listAdministrators } from "./store.ts"

/** The task that takes backups as settings say. How the last one ended is told by the page of tasks, by the health of the server, and to administrators by mail where it was not well. */
export const scheduledBackup = ({ backup }: Pick<Config, "backup">): Task => ({
  name: "backup",
  ...(backup.schedule !== "" && { cron: backup.schedule }),
  async run(services, signal) {
    if (backup.to === "" || backup.passphrase === "") return "nothing to do: backup.to and backup.passphrase are not set"
    try {
      const { snapshot, removed } = await takeAndPrune(services, signal)
      const { id, repositories, files, added, faults } = snapshot
      if (faults.length > 0) throw new BackupFaulty(snapshot)
      return `${id}: ${repositories.count} repositories, ${files.count} files, ${bytesInWords(added)} added; ${removed} older ones removed`
    } catch (error) {
      if (!signal.aborted) await alert(services, redact(error instanceof Error ? error.message : String(error)))
      throw error
    }
  },
})

/** There is a backup, and something is not in it as it should be. */
class BackupFaulty extends Error {
  constructor({ id, faults }: Snapshot) {
    super(`${id} is taken, but ${faults.length} parts of it are not as they should be: ${faults.slice(0, 5).join("; ")}`)
    this.name = "BackupFaulty"
  }
}

async function takeAndPrune(services: Services, signal: AbortSignal): Promise<{ readonly snapshot: Snapshot; readonly removed: number }> {
  const { backup, storage, dataDir } = services.config
  const { accessKey, secretKey } = backup.accessKey === "" ? storage : backup
  const place = await openPlace(backup.to, { accessKey, secretKey }, { writes: true })
  try {
    const backups = await openBackups(place, backup.passphrase, { creates: true })
    const release = await holdPlace(place, { alone: false })
    const options = { rate: backup.maxRate, signal, sshKeyFile: sshHostKeyFile(dataDir) }
    const snapshot = await backUp(services, backups, options).finally(release)
    const rules = readKeep(backup.keep)
    // What is not whole takes the place of no other.
    const prunes = rules !== undefined && hasRule(rules) && snapshot.faults.length === 0
    return { snapshot, removed: prunes ? (await prune(backups, rules, backup.passphrase)).snapshots : 0 }
  } finally {
    await place.close()
  }
}

async function alert({ config, database, jobs }: Services, reason: string): Promise<void> {
  if (config.mail.host === "") return
  await database.write(async (tx) => {
    for (const { id } of await listAdministrators(tx)) await jobs.enqueue(tx, alertJob, { administratorId: id, reason })
  })
}
