import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"

/** The values that existing clients send. Records are imported from those that `migration/origins` knows, from the others git alone. */
export const SERVICES = ["git", "github", "gitea", "gitlab", "gogs", "onedev", "gitbucket", "codebase", "codecommit"] as const

const wish = (description?: string) => Type.Optional(Type.Boolean(description === undefined ? {} : { description }))
const secret = (description?: string) => Type.Optional(Type.String({ maxLength: 1024, ...(description !== undefined && { description }) }))

export const MigrateRepoOptions = record("MigrateRepoOptions", {
  clone_addr: Type.String({ minLength: 1, maxLength: 2048, description: "the http or https address that git would clone" }),
  repo_name: Type.String({ minLength: 1, maxLength: 100 }),
  repo_owner: Type.Optional(Type.String({ description: "the caller where it is not sent" })),
  uid: Type.Optional(int64({ description: "the owner by id; repo_owner wins" })),
  service: Type.Optional(oneOf(["", ...SERVICES], { description: "what kind of server it is; git where it is empty or not sent" })),
  auth_username: Type.Optional(Type.String({ maxLength: 255 })),
  auth_password: secret(),
  auth_token: secret("wins over auth_password"),
  description: Type.Optional(Type.String({ maxLength: 2048 })),
  private: wish(),
  mirror: wish("goes on following the repository there"),
  mirror_interval: Type.Optional(Type.String({ maxLength: 50, description: "a length of time such as 8h30m0s; 0 stops the mirror" })),
  issues: wish("needs a service whose records can be brought: gitea, gogs, github or gitlab"),
  labels: wish("likewise"),
  milestones: wish("likewise"),
  pull_requests: wish("likewise"),
  releases: wish("likewise"),
  wiki: wish("bring the pages of the wiki too, where there is one; a mirror goes on doing so"),
  lfs: wish("bring large files (Git LFS) too; a mirror goes on doing so"),
  lfs_endpoint: Type.Optional(
    Type.String({ maxLength: 2048, description: "where the large files are; by default where Git LFS looks for them" }),
  ),
  people: Type.Optional(
    Type.String({
      maxLength: 262_144,
      description:
        "who people of the other server are here, a line each: `login or verified address there = login here`, or with a comma; only for administrators of the site",
    }),
  ),
  aws_access_key_id: secret(),
  aws_secret_access_key: secret(),
})
export type MigrateRepoOptions = Static<typeof MigrateRepoOptions>

const STATES = ["waiting", "running", "done", "failed"] as const

export const RepositoryImport = record("RepositoryImport", {
  id: int64(),
  repository: nullable(
    Type.String({
      description: "such as acme/rocket; null where it waits for its turn, was deleted, or the caller may not see it any more",
    }),
  ),
  state: oneOf(["queued", "running", "stopped", "done", "failed"]),
  service: Type.String(),
  clone_addr: Type.String({ description: "without credentials" }),
  error: Type.String({ description: "why it failed, or why a step is tried again; empty where all is well" }),
  waits_until: nullable(dateTime({ description: "when the other server grants requests again; null where it does not limit them now" })),
  steps: Type.Array(
    Type.Object({
      name: Type.String({ description: "git, wiki, large_files, or a kind of record, in the order in which they are brought" }),
      state: oneOf(STATES),
      done: int64({ description: "how many have come" }),
      total: nullable(int64({ description: "how many there are; null where the server does not say, or has not been asked yet" })),
      missing: int64({ description: "how many could not be brought" }),
    }),
  ),
  created_at: dateTime(),
  updated_at: dateTime({ description: "when it last got on" }),
})
export type RepositoryImport = Static<typeof RepositoryImport>

export const PushMirror = record("PushMirror", {
  repo_name: Type.String(),
  remote_name: Type.String({ description: "by which it is addressed" }),
  remote_address: Type.String({ description: "without credentials" }),
  created: dateTime(),
  last_update: nullable(dateTime({ description: "null where nothing was pushed yet" })),
  last_error: Type.String({ description: "why the last push failed; empty where it succeeded" }),
  interval: Type.String({ description: "such as 8h0m0s; 0s where it is pushed to only when asked" }),
  sync_on_commit: Type.Boolean(),
})
export type PushMirror = Static<typeof PushMirror>

export const CreatePushMirrorOption = record("CreatePushMirrorOption", {
  remote_address: Type.Optional(Type.String({ maxLength: 2048, description: "an http or https address" })),
  remote_username: Type.Optional(Type.String({ maxLength: 255 })),
  remote_password: secret("a password or token"),
  interval: Type.Optional(Type.String({ maxLength: 50, description: "a length of time such as 8h30m0s; 0 for no schedule" })),
  sync_on_commit: wish("push soon after every change"),
})
export type CreatePushMirrorOption = Static<typeof CreatePushMirrorOption>
