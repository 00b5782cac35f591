import type { Site } from "../../../core/site.ts"
import { repositoryHtmlUrl } from "../repositories/urls.ts"

/** Where the large files of a repository are, without a slash at its end. */
export const lfsUrl = (site: Site, owner: string, name: string): string => `${repositoryHtmlUrl(site, owner, name)}.git/info/lfs`
