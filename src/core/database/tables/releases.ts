import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** The tags of a repository in git, with what lists show of each. */
export interface TagsTable {
  id: Generated<number>
  repository_id: number
  name: string
  /** The object that the reference names: a tag object, or for a lightweight tag the commit. */
  object_id: string
  /** The object that the tag finally points to, through tags of tags. */
  target_id: string
  /** The tag's message, or for a lightweight tag the commit's; very long ones are cut. */
  message: string
  /** When it was tagged, or for a lightweight tag when the commit was made; 0 for tags of other objects. */
  tagged_at: Seconds
  /** The position among the tags and releases of its repository, in order of creation. */
  sequence: number
}

/** Releases, published under a tag's name. The tag of a draft need not exist. */
export interface ReleasesTable {
  id: Generated<number>
  repository_id: number
  tag_name: string
  /** The branch or commit that the tag is to be created at, as the author gave it. */
  target_commitish: string
  title: string
  note: string
  is_draft: Flag
  is_prerelease: Flag
  /** The author; the account may be deleted. */
  publisher_id: number
  created_at: Seconds
  /** That of its tag if the tag is older; otherwise its own. */
  sequence: number
}

/** The languages of a repository's default branch, in bytes. */
export interface RepositoryLanguagesTable {
  repository_id: number
  /** The tree that was counted; "" if none was yet. */
  tree_id: string
  /** A JSON object of language → bytes. */
  bytes: string
}

export interface ReleaseTables {
  tags: TagsTable
  releases: ReleasesTable
  repository_languages: RepositoryLanguagesTable
}
