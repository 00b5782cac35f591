import type { Site } from "../../../core/site.ts"
import { repositoryHtmlUrl } from "../repositories/urls.ts"

/** The URL of a repository's large files, without a trailing slash. */
export const lfsUrl = (site: Site, owner: string, name: string): string => `${repositoryHtmlUrl(site, owner, name)}.git/info/lfs`
