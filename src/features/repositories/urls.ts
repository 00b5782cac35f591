import type { Site } from "../../core/site.ts"

/** Addresses of a repository, by the names of its owner and its own. Names hold no character that an address must escape. */

export const repositoryHtmlUrl = (site: Site, owner: string, name: string): string => `${site.rootUrl}/${owner}/${name}`

export const repositoryApiUrl = (site: Site, owner: string, name: string): string => `${site.rootUrl}/api/v1/repos/${owner}/${name}`

export const repositorySshUrl = (site: Site, owner: string, name: string): string => `git@${site.host}:${owner}/${name}.git`
