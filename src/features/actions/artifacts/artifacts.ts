import { timingSafeEqual } from "node:crypto"
import type { Readable } from "node:stream"
import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { fileHeadersOf } from "../../../core/disposition.ts"
import type { Download } from "../../../core/download.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import { discardFile, type Expected, openFile, removeFiles, storeFile } from "../files/files.ts"
import { type Artifact, findArtifact } from "./store.ts"

/** Artifacts of runs: one zip file for each name in an attempt, as uploaded by the runner. */

const LONGEST_NAME = 255

/** Refuses `invalid` an artifact name that is not a valid file name on all systems. */
export function requireArtifactName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (name === "" || name.length > LONGEST_NAME || /[\\/":<>|*?\u0000-\u001f]/.test(name))
    throw refuse.invalid("name", `must have 1 to ${LONGEST_NAME} characters, none of them \\ / " : < > | * ? or a control character`)
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
}

const findNamed = query("actions.findNamedArtifact", (db, p: Params<{ runId: number; attempt: number; name: string }>) =>
  db.selectFrom("action_artifacts").selectAll().where("run_id", "=", p.runId).where("attempt", "=", p.attempt).where("name", "=", p.name),
)

/**
 * Stores an artifact of an attempt of a run: first the bytes as they arrive, then the row. One with the same name in the attempt is
 * replaced and keeps its id. Refuses `invalid` an unusable name and bytes that differ from the expected size or digest, `tooLarge` above
 * the site's limit, and `notFound` where the run is gone.
 */
export async function storeArtifact(services: Services, artifact: NewArtifact, content: Readable): Promise<Artifact> {
  const { config, database, now } = services
  const { repository, runId, attempt, expected = {} } = artifact
  const name = requireArtifactName(artifact.name)
  const { maxArtifactBytes: maxBytes, artifactSeconds } = config.actions
  const stored = await storeFile(services, { storage: repository.storage, maxBytes, expected }, content)
  const write = () =>
    database.write(async (tx) => {
      const run = await lockRow(tx, "action_runs", runId)
      if (run?.repository_id !== repository.id) throw refuse.notFound()
      const before = await findNamed.first(tx, { runId, attempt, name })
      if (before) await removeFiles(tx, services, [{ storage: repository.storage, file: before.file }])
      const latest = now() + artifactSeconds
      const columns = {
        file: stored.file,
        size: stored.size,
        sha256: stored.sha256,
        is_expired: 0,
        updated_at: now(),
        expires_at: Math.min(artifact.expiresAt ?? latest, latest),
      } as const
      if (before)
        return tx.updateTable("action_artifacts").set(columns).where("id", "=", before.id).returningAll().executeTakeFirstOrThrow()
      return tx
        .insertInto("action_artifacts")
        .values({ ...columns, run_id: runId, repository_id: repository.id, attempt, name, created_at: now() })
        .returningAll()
        .executeTakeFirstOrThrow()
    })
  return writeRow(write, () => discardFile(services, stored))
}

const removeRow = query("actions.removeArtifact", (db, p: Params<{ repositoryId: number; id: number }>) =>
  db.deleteFrom("action_artifacts").where("id", "=", p.id).where("repository_id", "=", p.repositoryId).returning("file"),
)

/** Deletes an artifact; its file is removed once the transaction is committed. Refuses `notFound`. */
export async function deleteArtifact(
  tx: Transaction,
  services: Pick<Services, "jobs">,
  repository: Pick<Repository, "id" | "storage">,
  id: number,
): Promise<void> {
  const removed = await removeRow.first(tx, { repositoryId: repository.id, id })
  if (!removed) throw refuse.notFound()
  await removeFiles(tx, services, [{ storage: repository.storage, file: removed.file }])
}

/** Whether it has expired, also before the clock has removed it. */
export const isExpired = ({ is_expired, expires_at }: Artifact, now: Seconds): boolean => is_expired === 1 || expires_at <= now

/** An artifact that can be downloaded. Refuses `notFound` an expired one as well as a missing one. */
export const requireContent = async (
  services: Services,
  which: { readonly repositoryId: number; readonly id: number },
): Promise<Artifact> => withContent(services, await findArtifact.first(services.database.read, which))

/** The same, of any repository. */
export const requireContentById = async (services: Services, id: number): Promise<Artifact> =>
  withContent(services, await findById.first(services.database.read, { id }))

const findById = query("actions.findArtifactById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("action_artifacts").selectAll().where("id", "=", p.id),
)

function withContent({ now }: Services, artifact: Artifact | undefined): Artifact {
  if (!artifact || artifact.file === "" || isExpired(artifact, now())) throw refuse.notFound()
  return artifact
}

/** The download of an artifact's file. */
export const artifactDownload = (services: Services, storage: string, { id, name, file, size, sha256 }: Artifact): Download => ({
  tag: `"${sha256}"`,
  size,
  open: async () => {
    const handle = await openFile(services, { storage, file })
    if (!handle) throw new Refusal("internal", `the file of artifact ${id} is gone`)
    const { disposition } = fileHeadersOf(`${name}.zip`)
    return { type: "application/zip", disposition, content: handle.createReadStream() }
  },
})

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
