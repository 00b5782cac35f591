import { int64, nullable, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { CommitUser } from "../commits/records.ts"

export const WikiCommit = record("WikiCommit", {
  sha: Type.String(),
  author: CommitUser,
  // Clients know it under this spelling.
  commiter: CommitUser,
  message: Type.String(),
})
export type WikiCommit = Static<typeof WikiCommit>

export const WikiCommitList = record("WikiCommitList", {
  commits: Type.Array(WikiCommit, { description: "newest first, 50 to a page" }),
  count: int64({ description: "how many there are in all" }),
})

const metaData = {
  title: Type.String(),
  html_url: Type.String(),
  sub_url: Type.String({ description: "the page's name in addresses, with its escapes" }),
  last_commit: nullable(WikiCommit),
}

export const WikiPageMetaData = record("WikiPageMetaData", metaData)
export type WikiPageMetaData = Static<typeof WikiPageMetaData>

const base64 = (description: string) => Type.String({ description })

export const WikiPage = record("WikiPage", {
  ...metaData,
  content_base64: base64("empty for a page of more than 10 MiB"),
  commit_count: int64({ description: "how many commits changed the page under this name" }),
  sidebar: base64("the content of the page _Sidebar in base64; empty where there is none"),
  footer: base64("the content of the page _Footer in base64; empty where there is none"),
})
export type WikiPage = Static<typeof WikiPage>

/** The most bytes of a page that is written here; pushed ones may have more. */
export const MOST_BYTES = 1024 * 1024
const LONGEST_BASE64 = 4 * Math.ceil(MOST_BYTES / 3)

export const CreateWikiPageOptions = record("CreateWikiPageOptions", {
  title: Type.Optional(Type.String({ description: "a page keeps its title where it is not sent, or empty" })),
  content_base64: Type.Optional(
    Type.String({ maxLength: LONGEST_BASE64, description: "the whole content in base64, of 1 MiB at most; empty where it is not sent" }),
  ),
  message: Type.Optional(Type.String({ description: "the message of the commit; one is made where it is not sent" })),
  sha: Type.Optional(Type.String({ description: "id of the blob that a changed page is now; compared only where it is sent" })),
})
export type CreateWikiPageOptions = Static<typeof CreateWikiPageOptions>
