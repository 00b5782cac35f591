import type { Owned } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { inListOf } from "../../../core/text/bytes.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { type AttachmentRow, presentAttachment } from "../attachments/present.ts"
import type { Attachment } from "../attachments/records.ts"
import { findAttachmentsOfReleases } from "../attachments/store.ts"
import { usersById } from "../repositories/store.ts"
import { archiveUrls, repositoryApiUrl, repositoryHtmlUrl } from "../repositories/urls.ts"
import type { Release as ReleaseRecord } from "./records.ts"
import type { Release } from "./store.ts"

/** A file of a release. Its address has the release's tag and its name; drafts have no address of their own yet. */
export function presentAsset({ site }: Pick<Services, "site">, on: Owned, release: Release, row: AttachmentRow): Attachment {
  if (release.is_draft === 1) return presentAttachment(site, row)
  const html = repositoryHtmlUrl(site, on.owner.name, on.repository.name)
  return presentAttachment(site, row, `${html}/releases/download/${escapePath(release.tag_name)}/${encodeURIComponent(row.name)}`)
}

/** Releases of one repository in the order given: two queries, however many there are. */
/** The page of a release, by that of its repository. */
export const releaseUrl = (repositoryPage: string, { tag_name }: Pick<Release, "tag_name">): string =>
  `${repositoryPage}/releases/tag/${escapePath(tag_name)}`

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
    body: inListOf(releases, release.note),
    url: `${api}/${release.id}`,
    html_url: releaseUrl(html, release),
    ...archiveUrls(services, on, release.tag_name),
    upload_url: `${api}/${release.id}/assets`,
    draft: release.is_draft === 1,
    prerelease: release.is_prerelease === 1,
    created_at: rfc3339(release.created_at),
    published_at: rfc3339(release.created_at),
    author: presentUser(site, publishers.get(release.publisher_id) ?? standIn(release.publisher_id)),
    assets: assets.get(release.id)?.map((row) => presentAsset(services, on, release, row)) ?? [],
  }))
}

export async function presentRelease(db: Handle, services: Services, on: Owned, release: Release): Promise<ReleaseRecord> {
  const [record] = await presentReleases(db, services, on, [release])
  if (!record) throw new TypeError("one release gives one record")
  return record
}
