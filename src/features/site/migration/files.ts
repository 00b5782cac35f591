import { Refusal } from "../../../core/errors.ts"
import { discardFile, storeFile } from "../../code/attachments/files.ts"
import { requireName } from "../../code/attachments/names.ts"
import { findAttachmentsOfReleases, insertAttachment } from "../../code/attachments/store.ts"
import { openDownload } from "../../code/mirrors/downloads.ts"
import { type ImportTarget, parseTime } from "../../code/mirrors/import-target.ts"
import { authorizationOf, type RemoteAddress } from "../../code/mirrors/remote.ts"
import { lockRelease } from "../../code/releases/store.ts"
import type { RecordOf } from "./source.ts"
import { findReleasesOfTags } from "./store.ts"

type Release = RecordOf<"releases">
type Asset = NonNullable<Release["assets"]>[number]

/**
 * Downloads the files of imported releases. Files that were imported before are not downloaded again; files that the server doesn't have, that this
 * site doesn't accept, or whose size differs are skipped and counted. Throws RemoteRefused, RemoteTrouble.
 */
export async function importReleaseFiles(
  landing: ImportTarget,
  target: RemoteAddress,
  records: readonly Release[],
  signal: AbortSignal,
): Promise<{ readonly done: number; readonly missing: number }> {
  const { services, repository } = landing
  const db = services.database.read
  const tags = records.filter(({ assets }) => assets && assets.length > 0).map(({ tag_name }) => tag_name)
  if (tags.length === 0) return { done: 0, missing: 0 }
  const rows = await findReleasesOfTags(db, repository.id, tags)
  const here = await findAttachmentsOfReleases(db, { releaseIds: rows.map(({ id }) => id) })
  let [done, missing] = [0, 0]
  for (const { tag_name: tag, assets } of records) {
    const release = rows.find(({ tag_name }) => tag_name === tag)
    const has = ({ name, size }: Asset) => here.some((file) => file.release_id === release?.id && file.name === name && file.size === size)
    for (const asset of assets ?? []) {
      signal.throwIfAborted()
      if (release && (has(asset) || (await importFile(landing, target, release.id, asset, signal)))) done++
      else missing++
    }
  }
  return { done, missing }
}

/** Whether a file was imported. */
async function importFile(
  { services, repository, imported }: ImportTarget,
  target: RemoteAddress,
  releaseId: number,
  asset: Asset,
  signal: AbortSignal,
): Promise<boolean> {
  const { config, database, now } = services
  const { assetTypes, maxAssetBytes } = config.releases
  if (asset.size > maxAssetBytes || !URL.canParse(asset.browser_download_url)) return false
  const isSame = new URL(asset.browser_download_url).origin === new URL(target.url).origin
  const authorization = isSame ? authorizationOf(target) : undefined
  const content = await openDownload(services, asset.browser_download_url, authorization === undefined ? {} : { authorization }, signal)
  if (!content) return false
  try {
    const name = requireName(assetTypes, "name", asset.name)
    const file = await storeFile(services, content, asset.size)
    try {
      // A sign-in page is not the file.
      if (file.size !== asset.size) throw new Refusal("invalid", "another size")
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
          now: parseTime(asset.created_at, now()),
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
