import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** The tags of a repository as git has them, with what a list shows of each. */
export interface TagsTable {
  id: Generated<number>
  repository_id: number
  name: string
  /** What the reference names: a tag object, or for a light tag the commit itself. */
  object_id: string
  /** What the tag leads to in the end, through tags on tags. */
  target_id: string
  /** The tag's message, or for a light tag the commit's; a very long one is cut. */
  message: string
  /** When it was tagged, or for a light tag when the commit was made; 0 for what is neither. */
  tagged_at: Seconds
  /** The place among the tags and releases of its repository, in the order in which they came. */
  sequence: number
}

/** What is published under a tag's name. The tag of a draft need not be there. */
export interface ReleasesTable {
  id: Generated<number>
  repository_id: number
  tag_name: string
  /** What the tag was to be made at, in the words of whoever made the release. */
  target_commitish: string
  title: string
  note: string
  is_draft: Flag
  is_prerelease: Flag
  /** Whose release it is; the account may be gone. */
  publisher_id: number
  created_at: Seconds
  /** That of its tag where this was there first; else a place of its own. */
  sequence: number
}

/** What the default branch of a repository is made of: the bytes of each programming language. */
export interface RepositoryLanguagesTable {
  repository_id: number
  /** The tree that was counted; "" while nothing was. */
  tree_id: string
  /** A JSON object of language → bytes. */
  bytes: string
}

export interface ReleaseTables {
  tags: TagsTable
  releases: ReleasesTable
  repository_languages: RepositoryLanguagesTable
}
