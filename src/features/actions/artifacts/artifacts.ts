import { timingSafeEqual } from "node:crypto"
import type { Readable } from "node:stream"
import type { Repository } from "../../../access/permission.ts"
import { isDeleted } from "../../../access/rules.ts"
import { findRepositoryById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import { type Download, storedDownload } from "../../../core/download.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { writeRow } from "../../../core/files.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, type Expected, openFile, removeFiles, type StoredFile, storeFile } from "../files/files.ts"
import {
  type Artifact,
  changeArtifact,
  findArtifact,
  findArtifactById,
  findArtifactUseOfRepository,
  findArtifactUseOfRun,
  findNamedArtifact,
  insertArtifact,
  removeArtifact,
} from "./store.ts"

/** Artifacts of runs: one zip file for each name in an attempt, as uploaded by the runner. */

const LONGEST_NAME = 255

/** Refuses `invalid` an artifact name that is not a valid file name on all systems. */
export function requireArtifactName(name: string): string {
  if (name === "." || name === "..") throw refuse.invalid("name", "must be the name of a file, and . and .. are folders")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (name === "" || name.length > LONGEST_NAME || /[\\/":<>|*?\u0000-\u001f]/.test(name))
    throw refuse.invalid("name", t`must have 1 to ${LONGEST_NAME} characters, none of them \\ / " : < > | * ? or a control character`)
  return name
}

export interface NewArtifact {
  readonly repository: Pick<Repository, "id" | "storage">
  readonly runId: number
  readonly attempt: number
  readonly name: string
  /** When it expires; limited to the maximum of the site. */
  readonly expiresAt?: Seconds | undefined
  readonly expected?: Expected
  /** The job that uploads it. */
  readonly jobId?: number
  /** Of a file that is no zip file. */
  readonly mediaType?: string
  /** Whether one of the same name in the attempt is replaced, which then keeps its id; else it is refused with `conflict`. Replaced by default. */
  readonly replaces?: boolean
}

/** The most artifacts of a run; clients list no more. */
const MOST_ARTIFACTS = 1000

/** Refuses `tooLarge` another artifact of `size` bytes where the run or the repository has no room for it; `except` is the one that it replaces, or 0. */
export async function requireRoom(
  db: Handle,
  { config }: Pick<Services, "config">,
  {
    repositoryId,
    runId,
    except,
    size,
  }: { readonly repositoryId: number; readonly runId: number; readonly except: number; readonly size: number },
): Promise<void> {
  const { maxArtifactBytesPerRun, maxArtifactBytesPerRepository } = config.actions
  const ofRun = await findArtifactUseOfRun.first(db, { runId, except })
  if (ofRun && ofRun.total >= MOST_ARTIFACTS) throw refuse.tooLarge(t`a run has at most ${MOST_ARTIFACTS} artifacts`)
  if (ofRun && ofRun.bytes + size > maxArtifactBytesPerRun)
    throw refuse.tooLarge(t`the artifacts of a run have at most ${maxArtifactBytesPerRun} bytes together`)
  const ofRepository = await findArtifactUseOfRepository.first(db, { repositoryId, except })
  if (ofRepository && ofRepository.bytes + size > maxArtifactBytesPerRepository)
    throw refuse.tooLarge(t`the artifacts of a repository have at most ${maxArtifactBytesPerRepository} bytes together; delete some`)
}

/**
 * Stores an artifact of an attempt of a run: first the bytes as they arrive, then the row. Refuses `invalid` an unusable name and bytes that differ from
 * the expected size or digest, `tooLarge` above the site's limits, `conflict` a name that is taken unless it is replaced, and `notFound` where the run is
 * gone.
 */
export async function storeArtifact(services: Services, artifact: NewArtifact, content: Readable): Promise<Artifact> {
  const { repository, expected = {} } = artifact
  requireArtifactName(artifact.name)
  const stored = await storeFile(
    services,
    { storage: repository.storage, maxBytes: services.config.actions.maxArtifactBytes, expected },
    content,
  )
  const write = () => services.database.write((tx) => writeArtifact(tx, services, artifact, stored))
  return writeRow(write, () => discardFile(services, stored))
}

/** Writes the row of an artifact whose file is stored, with the refusals of {@link storeArtifact}. */
export async function writeArtifact(
  tx: Transaction,
  services: Services,
  { repository, runId, attempt, name, expiresAt, jobId = 0, mediaType = "", replaces = true }: NewArtifact,
  stored: StoredFile,
): Promise<Artifact> {
  const { config, now } = services
  const run = await lockRow(tx, "action_runs", runId)
  if (run?.repository_id !== repository.id) throw refuse.notFound()
  const before = await findNamedArtifact.first(tx, { runId, attempt, name: requireArtifactName(name) })
  if (before && before.file !== "" && !replaces)
    throw refuse.conflict(t`this run has an artifact named ${name} already; delete it first, or choose another name`)
  await requireRoom(tx, services, { repositoryId: repository.id, runId, except: before?.id ?? 0, size: stored.size })
  if (before) await removeFiles(tx, services, [{ storage: repository.storage, file: before.file }])
  const latest = now() + config.actions.artifactSeconds
  const columns = {
    file: stored.file,
    size: stored.size,
    sha256: stored.sha256,
    is_expired: 0,
    job_id: jobId,
    media_type: mediaType,
    updated_at: now(),
    expires_at: Math.min(expiresAt ?? latest, latest),
  } as const
  const row = before
    ? await changeArtifact(tx, before.id, columns)
    : await insertArtifact(tx, { ...columns, run_id: runId, repository_id: repository.id, attempt, name, created_at: now() })
  publish(tx, { kind: "artifact.stored", repositoryId: repository.id, runId, artifact: row })
  return row
}

/** Deletes an artifact; its file is removed once the transaction is committed. Refuses `notFound`. */
export async function deleteArtifact(
  tx: Transaction,
  services: Pick<Services, "jobs">,
  repository: Pick<Repository, "id" | "storage">,
  id: number,
  actor: Pick<User, "id">,
): Promise<void> {
  const removed = await removeArtifact.first(tx, { repositoryId: repository.id, id })
  if (!removed) throw refuse.notFound()
  await removeFiles(tx, services, [{ storage: repository.storage, file: removed.file }])
  publish(tx, { kind: "artifact.deleted", repositoryId: repository.id, runId: removed.run_id, artifact: { id }, actor })
}

/** Whether it has expired, also before the clock has removed it. */
export const isExpired = ({ is_expired, expires_at }: Artifact, now: Seconds): boolean => is_expired === 1 || expires_at <= now

/** An artifact that can be downloaded. Refuses `notFound` an expired one as well as a missing one. */
export const requireContent = async (
  services: Services,
  which: { readonly repositoryId: number; readonly id: number },
): Promise<Artifact> => withContent(services, await findArtifact.first(services.database.read, which))

/** The file of an artifact of any repository. Refuses as `requireContent` does. */
export async function artifactById(services: Services, id: number): Promise<Download> {
  const artifact = withContent(services, await findArtifactById.first(services.database.read, { id }))
  const repository = await findRepositoryById.first(services.database.read, { id: artifact.repository_id })
  if (!repository || isDeleted(repository)) throw refuse.notFound()
  return artifactDownload(services, repository.storage, artifact)
}

function withContent({ now }: Services, artifact: Artifact | undefined): Artifact {
  if (!artifact || artifact.file === "" || isExpired(artifact, now())) throw refuse.notFound()
  return artifact
}

/** The download of an artifact's file. */
export const artifactDownload = (services: Services, storage: string, { id, name, file, size, sha256, media_type }: Artifact): Download => {
  // A file that is no zip file has its own name; its type is the one that its name stands for, not the one that its uploader declared.
  const headers = media_type === "" ? { ...fileHeadersOf(`${name}.zip`), type: "application/zip" } : fileHeadersOf(name)
  return storedDownload({
    tag: `"${sha256}"`,
    size,
    ...headers,
    open: async () => {
      const handle = await openFile(services, { storage, file })
      if (!handle) throw new Refusal("internal", t`the file of artifact ${id} is gone`)
      return handle
    },
  })
}

// --- links without authentication -----------------------------------------------------------------------------------------------------

/** Seconds for which a link is valid. */
const LINK_SECONDS = 3600

const signatureOf = ({ secrets }: Pick<Services, "secrets">, id: number, expires: number): string =>
  secrets.mac("artifact download", `${id} ${expires}`)

/** The query of a link to an artifact's file: its expiry time and a signature. It is a secret while it is valid. */
export function linkQuery(services: Pick<Services, "secrets" | "now">, { id }: Artifact): string {
  const expires = services.now() + LINK_SECONDS
  return new URLSearchParams({ sig: signatureOf(services, id, expires), expires: String(expires) }).toString()
}

/** Whether a link to an artifact has a valid signature and has not expired. */
export function linkHolds(services: Pick<Services, "secrets" | "now">, id: number, sig: string, expires: string): boolean {
  if (!/^\d{1,12}$/.test(expires)) return false
  const given = Buffer.from(sig)
  const right = Buffer.from(signatureOf(services, id, Number(expires)))
  return given.length === right.length && timingSafeEqual(given, right) && Number(expires) > services.now()
}
