import type { Owned } from "../../../access/permission.ts"
import { localTime, NEVER, rfc3339 } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import type { Tag as GitTag } from "../../../git/index.ts"
import { archiveUrls, repositoryApiUrl } from "../repositories/urls.ts"
import type { Verification } from "../signatures/records.ts"
import type { NamedTag } from "./facts.ts"
import type { AnnotatedTag, Tag } from "./records.ts"

export function presentTag(services: Services, on: Owned, row: NamedTag): Tag {
  const api = repositoryApiUrl(services.site, on.owner.name, on.repository.name)
  return {
    name: row.name,
    message: row.message,
    id: row.object_id,
    commit: { url: `${api}/git/commits/${row.target_id}`, sha: row.target_id, created: rfc3339(row.tagged_at) },
    ...archiveUrls(services, on, row.name),
  }
}

export function presentAnnotatedTag(
  { site }: Services,
  { owner, repository }: Owned,
  tag: GitTag,
  verification: Verification,
): AnnotatedTag {
  const git = `${repositoryApiUrl(site, owner.name, repository.name)}/git`
  const { tagger } = tag
  return {
    tag: tag.name,
    sha: tag.id,
    url: `${git}/tags/${tag.id}`,
    message: tag.message,
    tagger: { name: tagger?.name ?? "", email: tagger?.email ?? "", date: tagger ? localTime(tagger.when, tagger.offset) : NEVER },
    object: { type: tag.type, url: `${git}/${tag.type}s/${tag.object}`, sha: tag.object },
    verification,
  }
}
