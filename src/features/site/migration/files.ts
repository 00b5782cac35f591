import { Refusal } from "../../../core/errors.ts"
import { discardFile, storeFile } from "../../code/attachments/files.ts"
import { requireName } from "../../code/attachments/names.ts"
import { findAttachmentsOfReleases, insertAttachment } from "../../code/attachments/store.ts"
import { lockRelease } from "../../code/releases/store.ts"
import type { Bringing } from "./bringing.ts"
import { openFile } from "./origin-files.ts"
import type { Release, ReleaseFile } from "./origins/model.ts"
import { findReleasesOfTags } from "./writers/store.ts"

/**
 * Downloads the files of imported releases. Files that were imported before are not downloaded again; files that the server doesn't have, that this
 * site doesn't accept, or whose size differs are skipped and counted. Throws RemoteRefused, RemoteTrouble.
 */
export async function importReleaseFiles(
  bringing: Bringing,
  records: readonly Release[],
  signal: AbortSignal,
): Promise<{ readonly done: number; readonly missing: number }> {
  const { services, repository } = bringing
  const db = services.database.read
  const tags = records.filter(({ files }) => files.length > 0).map(({ tag }) => tag)
  if (tags.length === 0) return { done: 0, missing: 0 }
  const rows = await findReleasesOfTags(db, repository.id, tags)
  const here = await findAttachmentsOfReleases(db, { releaseIds: rows.map(({ id }) => id) })
  let [done, missing] = [0, 0]
  for (const { tag, files } of records) {
    const release = rows.find(({ tag_name }) => tag_name === tag)
    const has = ({ name, size }: ReleaseFile) =>
      here.some((file) => file.release_id === release?.id && file.name === name && (size === undefined || file.size === size))
    for (const file of files) {
      signal.throwIfAborted()
      if (release && (has(file) || (await importFile(bringing, release.id, file, signal)))) done++
      else missing++
    }
  }
  return { done, missing }
}

/** Whether a file was imported. */
async function importFile(
  { services, repository, imported, origin }: Bringing,
  releaseId: number,
  wanted: ReleaseFile,
  signal: AbortSignal,
): Promise<boolean> {
  const { config, database } = services
  const { assetTypes, maxAssetBytes } = config.releases
  if ((wanted.size ?? 0) > maxAssetBytes || !URL.canParse(wanted.address)) return false
  const content = await openFile(services, origin, wanted.address, signal)
  if (!content) return false
  try {
    const name = requireName(assetTypes, "name", wanted.name)
    const file = await storeFile(services, content, wanted.size ?? maxAssetBytes)
    try {
      // A sign-in page is not the file.
      if (wanted.size !== undefined && file.size !== wanted.size) throw new Refusal("invalid", "another size")
      await database.write(async (tx) => {
        await lockRelease(tx, releaseId)
        await insertAttachment(tx, {
          uuid: file.uuid,
          repositoryId: repository.id,
          issueId: null,
          commentId: 0,
          releaseId,
          uploaderId: imported.doer_id,
          name,
          size: file.size,
          now: wanted.createdAt,
        })
      })
      return true
    } catch (error) {
      await discardFile(services, file)
      throw error
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Refusal) return false
    throw error
  } finally {
    content.destroy()
  }
}
