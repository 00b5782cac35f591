import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import type { RunningTask } from "../tokens/store.ts"
import type { Upload } from "../uploads/store.ts"
import { assemble, beginUpload, discardAssembled, endUpload, findUpload } from "../uploads/uploads.ts"
import { deleteArtifact, isExpired, requireArtifactName, requireRoom, writeArtifact } from "./artifacts.ts"
import type { Artifact } from "./store.ts"
import { findArtifactsOfJob, findNamedArtifact } from "./store.ts"

/** Artifacts as jobs see them: those of their attempt, and those that jobs uploaded in earlier attempts whose results this attempt reuses. */

/** The artifacts that a job may load, newest first; of those with one name the one of the newest attempt. */
export async function artifactsFor({ database, now }: Services, { run, job }: RunningTask): Promise<readonly Artifact[]> {
  const rows = await findArtifactsOfJob(database.read, { runId: run.id, attempt: job.attempt, now: now() })
  const byName = new Map<string, Artifact>()
  for (const row of rows) if (!byName.has(row.name)) byName.set(row.name, row)
  return [...byName.values()]
}

/** The artifact of a name that a job may load. Refuses `notFound`. */
export async function requireArtifact(services: Services, task: RunningTask, name: string): Promise<Artifact> {
  const found = (await artifactsFor(services, task)).find((artifact) => artifact.name === name)
  if (!found) throw refuse.notFound(`there is no artifact named ${name}`)
  return found
}

/**
 * Begins the upload of an artifact. Refuses `invalid` an unusable name, `conflict` one that the attempt has already, and `tooLarge` where run or
 * repository have no room for another one.
 */
export async function beginArtifact(
  services: Services,
  task: RunningTask,
  { name, mediaType, expiresAt }: { readonly name: string; readonly mediaType: string; readonly expiresAt: Seconds | undefined },
): Promise<Upload> {
  const { database, now } = services
  const { run, job, repository } = task
  requireArtifactName(name)
  if (expiresAt !== undefined && expiresAt <= now()) throw refuse.invalid("expires_at", "must be in the future")
  return database.write(async (tx) => {
    const there = await findNamedArtifact.first(tx, { runId: run.id, attempt: job.attempt, name })
    if (there && there.file !== "" && !isExpired(there, now()))
      throw refuse.conflict(`this run has an artifact named ${name} already; delete it first, or choose another name`)
    await requireRoom(tx, services, { repositoryId: repository.id, runId: run.id, except: 0, size: 0 })
    return beginUpload(tx, services, task, { kind: "artifact", name, media_type: mediaType, expires_at: expiresAt ?? 0 })
  })
}

export interface Ending {
  readonly name: string
  readonly size: number
  /** In hex, where the client says it. */
  readonly sha256: string | undefined
}

/**
 * Makes an artifact of its upload. A repetition gives the same artifact again. Refuses `notFound` without an upload, `invalid` another size or digest than
 * announced, after which the upload can go on, and the refusals of {@link storeArtifact}.
 */
export async function finishArtifact(services: Services, task: RunningTask, { name, size, sha256 }: Ending): Promise<Artifact> {
  const { database, config } = services
  const { run, job, repository } = task
  const isSame = (artifact: Artifact): boolean =>
    artifact.file !== "" && artifact.job_id === job.id && artifact.size === size && (sha256 === undefined || artifact.sha256 === sha256)
  const findStored = async (): Promise<Artifact | undefined> => {
    const stored = await findNamedArtifact.first(database.read, { runId: run.id, attempt: job.attempt, name })
    return stored && isSame(stored) ? stored : undefined
  }
  const upload = await findUpload(database.read, task, { kind: "artifact", name })
  if (!upload) {
    const stored = await findStored()
    if (!stored) throw refuse.notFound(`no upload of an artifact named ${name} has begun`)
    return stored
  }
  const open = { ...upload, storage: repository.storage }
  const artifact = {
    repository,
    runId: run.id,
    attempt: job.attempt,
    name,
    jobId: job.id,
    mediaType: upload.media_type,
    expiresAt: upload.expires_at || undefined,
    replaces: false,
  }
  try {
    const assembled = await assemble(services, open, { maxBytes: config.actions.maxArtifactBytes, expected: { size, sha256 } })
    const write = () =>
      database.write(async (tx) => {
        const row = await writeArtifact(tx, services, artifact, assembled.stored)
        await endUpload(tx, services, open, assembled)
        return row
      })
    return await writeRow(write, () => discardAssembled(services, assembled))
  } catch (error) {
    // Another call may have ended the same upload at the same time.
    const stored = await findStored()
    if (stored) return stored
    throw error
  }
}

/** Deletes an artifact that a job may load, and returns it. Refuses `notFound`. */
export async function deleteArtifactOf(services: Services, task: RunningTask, name: string): Promise<Artifact> {
  const artifact = await requireArtifact(services, task, name)
  await services.database.write((tx) => deleteArtifact(tx, services, task.repository, artifact.id, { id: task.run.actor_id }))
  return artifact
}
