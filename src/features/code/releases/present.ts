import type { Owned } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { GHOST, presentUser } from "../../people/users/present.ts"
import { archiveUrls, escapeName } from "../archives/urls.ts"
import { presentAttachment } from "../attachments/present.ts"
import { findAttachmentsOfReleases } from "../attachments/store.ts"
import { usersById } from "../repositories/store.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../repositories/urls.ts"
import type { Release as ReleaseRecord } from "./records.ts"
import type { Release } from "./store.ts"

/** Releases of one repository in the order given: two queries, however many there are. */
export async function presentReleases(db: Handle, services: Services, on: Owned, releases: readonly Release[]): Promise<ReleaseRecord[]> {
  if (releases.length === 0) return []
  const { site } = services
  const files = await findAttachmentsOfReleases(db, { releaseIds: releases.map(({ id }) => id) })
  const assets = Map.groupBy(files, (row) => row.release_id)
  const publishers = await usersById(
    db,
    releases.map(({ publisher_id }) => publisher_id),
  )
  const html = repositoryHtmlUrl(site, on.owner.name, on.repository.name)
  const api = `${repositoryApiUrl(site, on.owner.name, on.repository.name)}/releases`
  return releases.map((release) => ({
    id: release.id,
    tag_name: release.tag_name,
    target_commitish: release.target_commitish,
    name: release.title,
    body: release.note,
    url: `${api}/${release.id}`,
    html_url: `${html}/releases/tag/${escapeName(release.tag_name)}`,
    ...archiveUrls(services, on, release.tag_name),
    upload_url: `${api}/${release.id}/assets`,
    draft: release.is_draft === 1,
    prerelease: release.is_prerelease === 1,
    created_at: rfc3339(release.created_at),
    published_at: rfc3339(release.created_at),
    author: presentUser(site, publishers.get(release.publisher_id) ?? GHOST),
    assets: assets.get(release.id)?.map((row) => presentAttachment(site, row)) ?? [],
  }))
}

export async function presentRelease(db: Handle, services: Services, on: Owned, release: Release): Promise<ReleaseRecord> {
  const [record] = await presentReleases(db, services, on, [release])
  if (!record) throw new TypeError("one release gives one record")
  return record
}
