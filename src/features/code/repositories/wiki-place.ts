import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Git, Repository } from "../../../git/index.ts"

/** The key that a wiki is stored under, from that of its repository: so it follows it wherever that is renamed or transferred to. */
export const wikiKey = (storage: string): string => `${storage}-wiki`

/** Where a repository's wiki is stored, whether or not it is there. */
export const wikiAt = (git: Git, { storage, object_format }: Pick<RepositoryRow, "storage" | "object_format">): Repository =>
  git.at(wikiKey(storage), object_format)
