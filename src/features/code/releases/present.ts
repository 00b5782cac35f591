import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
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

/** A release with its publisher and its files, as pages and records are made of it. */
export interface ReleaseView {
  readonly release: Release
  readonly publisher: User
  readonly files: readonly AttachmentRow[]
}

/** Releases in the order given: two queries, however many there are. The notes of several may be cut. */
export async function viewReleases(db: Handle, releases: readonly Release[]): Promise<readonly ReleaseView[]> {
  if (releases.length === 0) return []
  const files = Map.groupBy(await findAttachmentsOfReleases(db, { releaseIds: releases.map(({ id }) => id) }), (row) => row.release_id)
  const publishers = await usersById(
    db,
    releases.map(({ publisher_id }) => publisher_id),
  )
  return releases.map((release) => ({
    release: { ...release, note: inListOf(releases, release.note) },
    publisher: publishers.get(release.publisher_id) ?? standIn(release.publisher_id),
    files: files.get(release.id) ?? [],
  }))
}

export async function viewRelease(db: Handle, release: Release): Promise<ReleaseView> {
  const [view] = await viewReleases(db, [release])
  if (!view) throw new TypeError("one release gives one view")
  return view
}

/** The path of a release's file: it has the release's tag and its name. Drafts have no address of their own yet. */
export const assetPath = ({ owner, repository }: Owned, { is_draft, tag_name }: Release, { name, uuid }: AttachmentRow): string =>
  is_draft === 1
    ? `/attachments/${uuid}`
    : `/${owner.name}/${repository.name}/releases/download/${escapePath(tag_name)}/${encodeURIComponent(name)}`

export const presentAsset = ({ site }: Pick<Services, "site">, on: Owned, release: Release, row: AttachmentRow): Attachment =>
  presentAttachment(site, row, `${site.rootUrl}${assetPath(on, release, row)}`)

/** The page of a release, by that of its repository. */
export const releaseUrl = (repositoryPage: string, { tag_name }: Pick<Release, "tag_name">): string =>
  `${repositoryPage}/releases/tag/${escapePath(tag_name)}`

function record(services: Services, on: Owned, { release, publisher, files }: ReleaseView): ReleaseRecord {
  const { site } = services
  const api = `${repositoryApiUrl(site, on.owner.name, on.repository.name)}/releases`
  return {
    id: release.id,
    tag_name: release.tag_name,
    target_commitish: release.target_commitish,
    name: release.title,
    body: release.note,
    url: `${api}/${release.id}`,
    html_url: releaseUrl(repositoryHtmlUrl(site, on.owner.name, on.repository.name), release),
    ...archiveUrls(services, on, release.tag_name),
    upload_url: `${api}/${release.id}/assets`,
    draft: release.is_draft === 1,
    prerelease: release.is_prerelease === 1,
    created_at: rfc3339(release.created_at),
    published_at: rfc3339(release.created_at),
    author: presentUser(site, publisher),
    assets: files.map((row) => presentAsset(services, on, release, row)),
  }
}

export const presentReleases = async (db: Handle, services: Services, on: Owned, releases: readonly Release[]): Promise<ReleaseRecord[]> =>
  (await viewReleases(db, releases)).map((view) => record(services, on, view))

export const presentRelease = async (db: Handle, services: Services, on: Owned, release: Release): Promise<ReleaseRecord> =>
  record(services, on, await viewRelease(db, release))
