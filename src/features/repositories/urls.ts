import type { Owned } from "../../access/permission.ts"
import type { Site } from "../../core/site.ts"

/** Addresses of a repository. Names hold no character that an address must escape. */

export const repositoryHtmlUrl = (site: Site, { owner, repository }: Owned): string => `${site.rootUrl}/${owner.name}/${repository.name}`

export const repositoryApiUrl = (site: Site, { owner, repository }: Owned): string =>
  `${site.rootUrl}/api/v1/repos/${owner.name}/${repository.name}`
