import type { Owned } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import { repositoryHtmlUrl } from "../repositories/urls.ts"

/** The archive URLs of a tag; empty if archives are switched off. */
export function archiveUrls({ config, site }: Pick<Services, "config" | "site">, { owner, repository }: Owned, tag: string) {
  if (!config.archives.enabled) return {}
  const base = `${repositoryHtmlUrl(site, owner.name, repository.name)}/archive/${encodeURIComponent(tag)}`
  return { zipball_url: `${base}.zip`, tarball_url: `${base}.tar.gz` }
}
