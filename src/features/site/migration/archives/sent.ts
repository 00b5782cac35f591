import { randomUUID } from "node:crypto"
import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import type { SignedIn } from "../../../../core/actor.ts"
import { writeBounded } from "../../../../core/blobs/bounded.ts"
import type { Handle } from "../../../../core/database/database.ts"
import { refuse } from "../../../../core/errors.ts"
import { t } from "../../../../core/language/message.ts"
import type { Services } from "../../../../core/services.ts"
import type { Upload } from "../../../../core/upload.ts"
import { requireCreatable } from "../../../code/lifecycle/establish.ts"
import { RemoteRefused } from "../../../code/mirrors/remote.ts"
import type { Import } from "../../../code/mirrors/store.ts"
import { requireRepositoryName } from "../../../code/repositories/names.ts"
import { archiveKind } from "../import-job.ts"
import { findUnfinishedArchive, insertImport } from "../imports-store.ts"
import { ownerOf, requireImports } from "../options.ts"
import { KINDS } from "../origins/model.ts"
import { requireBoth, requireRoom } from "../queue.ts"
import { importArchive } from "./import-archive.ts"

/** Archives that people send. Each waits among the uploads until its import has ended; what is left of one is swept as other uploads are, see `uploads/staged.ts`. */

const keyOf = (file: string): string => `uploads/archives/${file}`

export const forgetSent = ({ blobs }: Pick<Services, "blobs">, file: string): Promise<void> => blobs.remove(keyOf(file))

/** Who is sending an archive to this process. */
const sending = new Set<number>()

/**
 * Keeps an archive as it arrives, and puts its import into the queue; gives its id. Refuses `forbidden` where the site allows no imports or the owner is not the
 * caller's, `invalid` and `conflict` a name, `conflict` while another archive of the caller is being imported, and `tooLarge` at the first byte over the limit.
 */
export async function receiveArchive(
  services: Services,
  actor: SignedIn,
  { content }: Upload,
  { name, repo_owner }: { readonly name: string; readonly repo_owner: string },
): Promise<number> {
  const { blobs, config, database, jobs, now } = services
  const doer = actor.user
  requireImports(services)
  requireRepositoryName(name, "name")
  const owner = await ownerOf(services, actor, { repo_owner })
  await requireCreatable(database.read, services, { doer, owner, name })
  await requireOnlyOne(database.read, doer.id)
  if (sending.has(doer.id)) throw another()
  sending.add(doer.id)
  const file = randomUUID()
  const most = config.migrations.maxArchiveBytes
  try {
    await writeBounded(blobs, keyOf(file), content, most, () => refuse.tooLarge(t`the archive has more than ${most} bytes`))
    return await database.write(async (tx) => {
      await requireOnlyOne(tx, doer.id)
      await requireRoom(tx, doer.id, 1)
      const { id } = await insertImport(
        tx,
        {
          repository_id: 0,
          doer_id: doer.id,
          service: "archive",
          remote_url: "",
          remote_username: "",
          lfs: 0,
          lfs_endpoint: "",
          parts: JSON.stringify(KINDS),
          phase: "queued",
          owner_id: owner.id,
          name,
        },
        now(),
      )
      await jobs.enqueue(tx, archiveKind, { importId: id, file })
      return id
    })
  } catch (error) {
    await forgetSent(services, file)
    throw error
  } finally {
    sending.delete(doer.id)
  }
}

const another = () => refuse.conflict("another archive of yours is being imported; wait until it is done, or stop it")

async function requireOnlyOne(db: Handle, doerId: number): Promise<void> {
  if (await findUnfinishedArchive.first(db, { doerId })) throw another()
}

/** Brings what a sent archive has. Throws what `importArchive` throws, and {@link RemoteRefused} where the archive waited too long. */
export async function bringSent(services: Services, row: Import, file: string, signal: AbortSignal): Promise<void> {
  const { doer, owner } = await requireBoth(services, row)
  const blob = await services.blobs.open(keyOf(file))
  if (!blob) throw new RemoteRefused("the archive waited too long and is here no more; send it again")
  const folder = await mkdtemp(join(tmpdir(), "hearth-archive-"))
  try {
    const path = join(folder, "archive.tar.gz")
    await pipeline(blob.read(), createWriteStream(path, { mode: 0o600 }), { signal })
    await importArchive(services, { file: path, doer, owner, name: row.name, signal, sent: row })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
