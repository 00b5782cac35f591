import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { removeFiles } from "../files/files.ts"
import { isDone } from "./status.ts"
import { findRun } from "./store.ts"

const findArtifactFiles = query("actions.findArtifactFilesOfRun", (db, p: Params<{ runId: number }>) =>
  db.selectFrom("action_artifacts").select("file").where("run_id", "=", p.runId),
)
const findLogFiles = query("actions.findLogFilesOfRun", (db, p: Params<{ runId: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .select("action_tasks.log_file as file")
    .where("action_jobs.run_id", "=", p.runId),
)
const removeRun = query("actions.removeRun", (db, p: Params<{ id: number }>) => db.deleteFrom("action_runs").where("id", "=", p.id))

/**
 * Deletes a run with all that belongs to it; files of artifacts and logs are removed once the transaction is committed. Refuses `notFound`,
 * and `badRequest` while it has not ended.
 */
export async function deleteRun(
  tx: Transaction,
  services: Pick<Services, "jobs">,
  { id: repositoryId, storage }: Pick<Repository, "id" | "storage">,
  id: number,
): Promise<void> {
  // Another attempt may be created concurrently.
  await lockRow(tx, "repositories", repositoryId)
  const run = await findRun.first(tx, { repositoryId, id })
  if (!run) throw refuse.notFound()
  if (!isDone(run.state)) throw refuse.badRequest("this workflow run is not done")
  const files = [...(await findArtifactFiles(tx, { runId: id })), ...(await findLogFiles(tx, { runId: id }))]
  await removeFiles(
    tx,
    services,
    files.map(({ file }) => ({ storage, file })),
  )
  await removeRun(tx, { id })
}
