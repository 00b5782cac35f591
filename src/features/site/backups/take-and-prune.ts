import { hasRule, readKeep } from "../../../core/backup/keep.ts"
import { holdPlace } from "../../../core/backup/locks.ts"
import { openPlace } from "../../../core/backup/place.ts"
import { openBackups, type Snapshot } from "../../../core/backup/snapshots.ts"
import { bytesInWords } from "../../../core/blobs/move.ts"
import { sshHostKeyFile } from "../../../core/config.ts"
import type { Services } from "../../../core/services.ts"
import { backUp } from "./backup.ts"
import { prune } from "./prune.ts"

/** Takes a backup where the settings say, removes those that their rules don't keep, and says what was done. */
export async function takeAndPrune(services: Services, signal: AbortSignal): Promise<string> {
  const { backup, storage, dataDir } = services.config
  const { accessKey, secretKey } = backup.accessKey === "" ? storage : backup
  const place = await openPlace(backup.to, { accessKey, secretKey }, { writes: true })
  try {
    const backups = await openBackups(place, backup.passphrase, { creates: true })
    const release = await holdPlace(place, { alone: false })
    const options = { rate: backup.maxRate, signal, sshKeyFile: sshHostKeyFile(dataDir) }
    const snapshot = await backUp(services, backups, options).finally(release)
    const { id, repositories, files, added, faults } = snapshot
    // What is not whole takes the place of no other.
    if (faults.length > 0) throw new BackupFaulty(snapshot)
    const rules = readKeep(backup.keep)
    const removed = rules !== undefined && hasRule(rules) ? (await prune(backups, rules, backup.passphrase)).snapshots : 0
    return `${id}: ${repositories.count} repositories, ${files.count} files, ${bytesInWords(added)} added; ${removed} older ones removed`
  } finally {
    await place.close()
  }
}

/** There is a backup, and something is not in it as it should be. */
class BackupFaulty extends Error {
  constructor({ id, faults }: Snapshot) {
    super(`${id} is taken, but ${faults.length} parts of it are not as they should be: ${faults.slice(0, 5).join("; ")}`)
    this.name = "BackupFaulty"
  }
}
