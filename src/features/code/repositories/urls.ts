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
