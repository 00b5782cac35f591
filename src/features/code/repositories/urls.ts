import type { Site } from "../../../core/site.ts"

/** Addresses of a repository, by the names of its owner and its own. Names hold no character that an address must escape. */

export const repositoryHtmlUrl = (site: Site, owner: string, name: string): string => `${site.rootUrl}/${owner}/${name}`

export const repositoryApiUrl = (site: Site, owner: string, name: string): string => `${site.rootUrl}/api/v1/repos/${owner}/${name}`

/** The port that needs no naming. */
const SSH_PORT = 22

/** What addresses for SSH begin with. Only the longer form can name a port. */
export const sshRoot = ({ host, sshPort = SSH_PORT }: Site): string =>
  sshPort === SSH_PORT ? `git@${host}:` : `ssh://git@${host}:${sshPort}/`

export const repositorySshUrl = (site: Site, owner: string, name: string): string => `${sshRoot(site)}${owner}/${name}.git`
