import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { User } from "../../people/users/records.ts"
import { PayloadCommitVerification, PayloadUser } from "../signatures/records.ts"

export const CommitUser = record("CommitUser", {
  name: Type.String(),
  // Git histories contain addresses of any form.
  email: Type.String(),
  date: Type.String(),
})

export const CommitMeta = record("CommitMeta", { url: Type.String(), sha: Type.String(), created: dateTime() })

export const CommitStats = record("CommitStats", {
  total: int64({ description: "lines that were added or deleted" }),
  additions: int64(),
  deletions: int64(),
})

export const CommitAffectedFiles = record("CommitAffectedFiles", {
  filename: Type.String(),
  status: oneOf(["added", "removed", "modified"]),
})

export const RepoCommit = record("RepoCommit", {
  url: Type.String(),
  author: CommitUser,
  committer: CommitUser,
  message: Type.String(),
  tree: CommitMeta,
  verification: nullable(PayloadCommitVerification),
})

export const Commit = record("Commit", {
  url: Type.String(),
  sha: Type.String(),
  created: dateTime(),
  html_url: Type.String(),
  commit: RepoCommit,
  author: nullable(User),
  committer: nullable(User),
  parents: Type.Array(CommitMeta),
  files: nullable(Type.Array(CommitAffectedFiles, { description: "null where they are not wished for" })),
  stats: nullable(CommitStats),
  made_with: Type.Optional(
    Type.String({
      description: "the name of the access token for one task that made it here; where a single commit was asked for, of such commits only",
    }),
  ),
})
export type Commit = Static<typeof Commit>

const paths = () => nullable(Type.Array(Type.String(), { description: "only in what is sent to webhooks, null otherwise" }))

export const PayloadCommit = record("PayloadCommit", {
  id: Type.String(),
  message: Type.String(),
  url: Type.String(),
  author: PayloadUser,
  committer: PayloadUser,
  verification: nullable(PayloadCommitVerification),
  timestamp: dateTime(),
  added: paths(),
  removed: paths(),
  modified: paths(),
})
export type PayloadCommit = Static<typeof PayloadCommit>

export const Compare = record("Compare", { total_commits: int64(), commits: Type.Array(Commit) })

export const Note = record("Note", { message: Type.String(), commit: Commit })
