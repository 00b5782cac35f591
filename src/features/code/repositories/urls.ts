import type { Owned } from "../../../access/permission.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"

/** URLs of a repository, by the names of its owner and its own. Names contain no character that needs escaping. */

export const repositoryHtmlUrl = (site: Site, owner: string, name: string): string => `${site.rootUrl}/${owner}/${name}`

export const repositoryApiUrl = (site: Site, owner: string, name: string): string => `${site.rootUrl}/api/v1/repos/${owner}/${name}`

/** The default port, which URLs omit. */
const SSH_PORT = 22

/** The prefix of SSH URLs. Only the longer form can include a port. */
export const sshRoot = ({ host, sshPort = SSH_PORT }: Site): string =>
  sshPort === SSH_PORT ? `git@${host}:` : `ssh://git@${host}:${sshPort}/`

export const repositorySshUrl = (site: Site, owner: string, name: string): string => `${sshRoot(site)}${owner}/${name}.git`

/** The URL of a repository's large files, without a trailing slash. */
export const lfsUrl = (site: Site, owner: string, name: string): string => `${repositoryHtmlUrl(site, owner, name)}.git/info/lfs`

/** The archive URLs of a tag; empty if archives are switched off. */
export function archiveUrls({ config, site }: Pick<Services, "config" | "site">, { owner, repository }: Owned, tag: string) {
  if (!config.archives.enabled) return {}
  const base = `${repositoryHtmlUrl(site, owner.name, repository.name)}/archive/${encodeURIComponent(tag)}`
  return { zipball_url: `${base}.zip`, tarball_url: `${base}.tar.gz` }
}
