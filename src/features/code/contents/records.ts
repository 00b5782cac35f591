import { dateTime, fileContent, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { CommitMeta, CommitUser } from "../commits/records.ts"
import { PayloadCommitVerification } from "../signatures/records.ts"

/** Records of files and directories in the API. */

/** The largest file, in bytes, whose content is included in JSON. */
export const MAX_INLINE_BYTES = 10 * 1024 * 1024

// --- responses --------------------------------------------------------------------------------------------------------------------

export const FileLinksResponse = record("FileLinksResponse", {
  self: Type.String(),
  git: nullable(Type.String()),
  html: nullable(Type.String()),
})

export const CONTENT_TYPES = ["file", "dir", "symlink", "submodule"] as const

export const ContentsResponse = record("ContentsResponse", {
  name: Type.String(),
  path: Type.String(),
  sha: Type.String({ description: "id of the blob or tree, or of a submodule's commit" }),
  last_commit_sha: Type.Optional(Type.String({ description: "the last commit that changed it; left out where that is too far back" })),
  last_committer_date: Type.Optional(dateTime()),
  last_author_date: Type.Optional(dateTime()),
  last_commit_message: Type.Optional(Type.String()),
  type: oneOf(CONTENT_TYPES),
  size: int64({ description: "in bytes, 0 for what is no file" }),
  encoding: nullable(Type.String({ description: "base64 where there is content" })),
  content: nullable(Type.String({ description: "null in lists, for what is no file, and above 10 MiB" })),
  target: nullable(Type.String({ description: "where a symbolic link leads" })),
  url: Type.String(),
  html_url: nullable(Type.String()),
  git_url: nullable(Type.String()),
  download_url: nullable(Type.String()),
  submodule_git_url: nullable(Type.String({ description: "where a submodule comes from" })),
  _links: FileLinksResponse,
  lfs_oid: Type.Optional(Type.String({ description: "of a pointer to a large file: its SHA-256" })),
  lfs_size: Type.Optional(int64({ description: "of a pointer to a large file: its size in bytes" })),
})
export type ContentsResponse = Static<typeof ContentsResponse>

export const ContentsExtResponse = record("ContentsExtResponse", {
  file_contents: Type.Optional(ContentsResponse),
  dir_contents: Type.Optional(Type.Array(ContentsResponse)),
})
export type ContentsExtResponse = Static<typeof ContentsExtResponse>

export const FileCommitResponse = record("FileCommitResponse", {
  url: Type.String(),
  sha: Type.String(),
  created: dateTime({ description: "always year 1" }),
  html_url: Type.String(),
  author: CommitUser,
  committer: CommitUser,
  parents: Type.Array(CommitMeta),
  message: Type.String(),
  tree: CommitMeta,
})
export type FileCommitResponse = Static<typeof FileCommitResponse>

const committed = { commit: FileCommitResponse, verification: PayloadCommitVerification }

export const FileResponse = record("FileResponse", {
  content: nullable(ContentsResponse),
  ...committed,
})
export const FileDeleteResponse = record("FileDeleteResponse", { content: Type.Null({ description: "always null" }), ...committed })
export const FilesResponse = record("FilesResponse", {
  files: Type.Array(nullable(ContentsResponse), { description: "in the order of the request; null for what was deleted" }),
  ...committed,
})

export const GitEntry = record("GitEntry", {
  path: Type.String(),
  mode: Type.String({ description: "six octal digits" }),
  type: oneOf(["blob", "tree", "commit"]),
  size: int64({ description: "in bytes, 0 for what is no blob" }),
  sha: Type.String(),
  url: Type.String({ description: "empty for a submodule's commit" }),
})
export type GitEntry = Static<typeof GitEntry>

export const GitTreeResponse = record("GitTreeResponse", {
  sha: Type.String(),
  url: Type.String(),
  tree: Type.Array(GitEntry),
  truncated: Type.Boolean({ description: "there is more than this page" }),
  page: int64(),
  total_count: int64(),
})

export const GitBlobResponse = record("GitBlobResponse", {
  content: nullable(Type.String({ description: "null above 10 MiB" })),
  encoding: nullable(Type.String()),
  url: Type.String(),
  sha: Type.String(),
  size: int64(),
  lfs_oid: Type.Optional(Type.String()),
  lfs_size: Type.Optional(int64()),
})

// --- requests ---------------------------------------------------------------------------------------------------------------------

export const Identity = record("Identity", {
  name: Type.Optional(Type.String({ maxLength: 100 })),
  email: Type.Optional(Type.String({ maxLength: 254, pattern: "^$|^[^\\s<>@]+@[^\\s<>@]+$", description: "an e-mail address" })),
})
export type Identity = Static<typeof Identity>

export const CommitDateOptions = record("CommitDateOptions", {
  author: Type.Optional(dateTime()),
  committer: Type.Optional(dateTime()),
})
export type CommitDateOptions = Static<typeof CommitDateOptions>

const base64 = { description: "the file's bytes in base64, with padding" }

const commitFields = {
  message: Type.Optional(Type.String({ description: "says what was done where it is empty" })),
  branch: Type.Optional(Type.String({ maxLength: 255, description: "to start from; the default branch where it is not sent" })),
  new_branch: Type.Optional(Type.String({ maxLength: 255, description: "to make for the commit, instead of changing the first" })),
  force_push: Type.Optional(Type.Boolean({ description: "new_branch may exist already, and loses what it had" })),
  author: Type.Optional(Identity),
  committer: Type.Optional(Identity),
  dates: Type.Optional(CommitDateOptions),
  signoff: Type.Optional(Type.Boolean({ description: "end the message with the committer's Signed-off-by" })),
}

const _CommitFields = Type.Object(commitFields)
/** The fields of a commit apart from its files. */
export type CommitFields = Static<typeof _CommitFields>

const presentSha = Type.String({ minLength: 1, description: "id of the blob that is there now" })

export const CreateFileOptions = record("CreateFileOptions", { ...commitFields, content: fileContent(base64) })
export const UpdateFileOptions = record("UpdateFileOptions", {
  ...commitFields,
  content: fileContent(base64),
  sha: Type.Optional(Type.String({ description: "id of the blob that is there now; without it the file is created" })),
  from_path: Type.Optional(Type.String({ maxLength: 4096, description: "where the file was; it is moved" })),
})
export const DeleteFileOptions = record("DeleteFileOptions", { ...commitFields, sha: presentSha })

export const ApplyDiffPatchFileOptions = record("ApplyDiffPatchFileOptions", {
  ...commitFields,
  content: fileContent({ minLength: 1, description: "a unified diff, such as git diff or git format-patch writes it" }),
})

export const FILE_OPERATIONS = ["create", "update", "upload", "rename", "delete"] as const

export const ChangeFileOperation = record("ChangeFileOperation", {
  operation: oneOf(FILE_OPERATIONS),
  path: Type.String({ minLength: 1, maxLength: 4096 }),
  content: Type.Optional(fileContent(base64)),
  sha: Type.Optional(Type.String({ description: "id of the blob that is there now; compared only where it is sent" })),
  from_path: Type.Optional(Type.String({ maxLength: 4096, description: "where the file was; it is moved" })),
})
export type ChangeFileOperation = Static<typeof ChangeFileOperation>

export const ChangeFilesOptions = record("ChangeFilesOptions", {
  ...commitFields,
  files: Type.Array(ChangeFileOperation, { minItems: 1, maxItems: 1000 }),
})

export const GetFilesOptions = record("GetFilesOptions", {
  files: Type.Array(Type.String({ maxLength: 4096 }), { minItems: 1, maxItems: 1000 }),
})
