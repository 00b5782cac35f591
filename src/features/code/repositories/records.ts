import { PLAIN_NAME } from "../../../core/names.ts"
import { dateTime, fileContent, int64, oneOf, record, recordNamed } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { ACCESS_MODES, Team } from "../../people/teams/records.ts"
import { User } from "../../people/users/records.ts"

/** Repository names: letters, digits, hyphens, underscores and dots. Reserved names and suffixes are checked in names.ts. */
export const REPOSITORY_NAME_LENGTH = 100

export const OBJECT_FORMATS = ["sha1", "sha256"] as const
export const MERGE_STYLES = ["merge", "rebase", "rebase-merge", "squash", "fast-forward-only"] as const
export const UPDATE_STYLES = ["merge", "rebase"] as const
export const TRUST_MODELS = ["default", "collaborator", "committer", "collaboratorcommitter"] as const
/** Which projects a repository's issues may be added to: its own, its owner's, or both. */
export const PROJECTS_MODES = ["repo", "owner", "all"] as const

// --- parts of a repository --------------------------------------------------------------------------------------------------------

/** What the caller may do with the repository. */
export const Permission = record("Permission", { admin: Type.Boolean(), push: Type.Boolean(), pull: Type.Boolean() })
export type Permission = Static<typeof Permission>

export const InternalTracker = record("InternalTracker", {
  enable_time_tracker: Type.Boolean(),
  allow_only_contributors_to_track_time: Type.Boolean(),
  enable_issue_dependencies: Type.Boolean(),
})
export type InternalTracker = Static<typeof InternalTracker>

export const ExternalTracker = record("ExternalTracker", {
  external_tracker_url: Type.String({ description: "address of the tracker" }),
  external_tracker_format: Type.String({ description: "address of one issue, with {user}, {repo} and {index} where those belong" }),
  external_tracker_style: Type.String({ description: "what issue numbers look like: numeric, alphanumeric or regexp" }),
  external_tracker_regexp_pattern: Type.String({ description: "what finds an issue number, for the style regexp" }),
})
export type ExternalTracker = Static<typeof ExternalTracker>

export const ExternalWiki = record("ExternalWiki", { external_wiki_url: Type.String({ description: "address of the wiki" }) })
export type ExternalWiki = Static<typeof ExternalWiki>

/** A transfer that waits for the new owner's consent. */
export const RepoTransfer = record("RepoTransfer", { doer: User, recipient: User, teams: Type.Array(Team) })
export type RepoTransfer = Static<typeof RepoTransfer>

// --- the repository ---------------------------------------------------------------------------------------------------------------

const fields = {
  id: int64(),
  owner: User,
  name: Type.String(),
  full_name: Type.String({ description: "owner/name" }),
  description: Type.String(),
  empty: Type.Boolean({ description: "nothing has been pushed yet" }),
  private: Type.Boolean(),
  fork: Type.Boolean(),
  template: Type.Boolean({ description: "others may generate repositories from it" }),
  mirror: Type.Boolean({ description: "follows a repository elsewhere" }),
  size: int64({ description: "in KiB" }),
  language: Type.String({ description: "main programming language, empty where there is none" }),
  languages_url: Type.String({ format: "uri" }),
  html_url: Type.String({ format: "uri", description: "web page of the repository" }),
  url: Type.String({ format: "uri" }),
  link: Type.String({ description: "always empty" }),
  ssh_url: Type.String(),
  clone_url: Type.String({ format: "uri" }),
  original_url: Type.String({ description: "where it was migrated from, else empty" }),
  website: Type.String(),
  stars_count: int64(),
  forks_count: int64(),
  watchers_count: int64(),
  branch_count: int64(),
  open_issues_count: int64({ description: "without pull requests" }),
  open_pr_counter: int64(),
  release_counter: int64({ description: "without drafts and bare tags" }),
  default_branch: Type.String(),
  default_target_branch: Type.Optional(Type.String({ description: "where a fork's pull requests go unless told otherwise" })),
  archived: Type.Boolean(),
  created_at: dateTime(),
  updated_at: dateTime(),
  archived_at: dateTime({ description: "1970 where it never was" }),
  permissions: Type.Optional(Permission),
  has_code: Type.Boolean(),
  has_issues: Type.Boolean(),
  internal_tracker: Type.Optional(InternalTracker),
  external_tracker: Type.Optional(ExternalTracker),
  has_wiki: Type.Boolean(),
  external_wiki: Type.Optional(ExternalWiki),
  has_pull_requests: Type.Boolean(),
  has_projects: Type.Boolean(),
  projects_mode: Type.String({ description: "repo, owner or all" }),
  has_releases: Type.Boolean(),
  has_packages: Type.Boolean(),
  has_actions: Type.Boolean(),
  shares_workflows: Type.Optional(
    Type.Boolean({ description: "whether the owner’s other private repositories may use its workflows; left out where not" }),
  ),
  ignore_whitespace_conflicts: Type.Boolean(),
  allow_merge_commits: Type.Boolean(),
  allow_rebase: Type.Boolean(),
  allow_rebase_explicit: Type.Boolean({ description: "rebase, then a merge commit" }),
  allow_squash_merge: Type.Boolean(),
  allow_fast_forward_only_merge: Type.Boolean(),
  allow_merge_update: Type.Boolean({ description: "a pull request's branch may be brought up to date by merging" }),
  allow_rebase_update: Type.Boolean({ description: "a pull request's branch may be brought up to date by rebasing" }),
  allow_manual_merge: Type.Boolean({ description: "pull requests may be marked as merged by hand" }),
  autodetect_manual_merge: Type.Boolean(),
  default_delete_branch_after_merge: Type.Boolean(),
  default_merge_style: Type.String({ description: "merge, rebase, rebase-merge, squash or fast-forward-only" }),
  default_update_style: Type.String({ description: "merge or rebase" }),
  default_allow_maintainer_edit: Type.Boolean(),
  avatar_url: Type.String({ description: "empty where there is none" }),
  internal: Type.Boolean({ description: "public, but of a private owner" }),
  mirror_interval: Type.String({ description: "such as 8h0m0s; empty for what is no mirror" }),
  object_format_name: oneOf(OBJECT_FORMATS),
  mirror_updated: dateTime({ description: "year 1 where it never was" }),
  mirror_last_sync_at: dateTime({ description: "year 1 where it never was" }),
  repo_transfer: Type.Optional(RepoTransfer),
  topics: Type.Array(Type.String()),
  licenses: Type.Array(Type.String(), { description: "SPDX names" }),
}

const _WithoutParent = Type.Object(fields)
type WithoutParent = Static<typeof _WithoutParent>

/** A fork contains its parent, which may be a fork itself; hence an interface, which can be recursive. */
export interface Repository extends WithoutParent {
  parent?: Repository
}

export const Repository = record("Repository", { ...fields, parent: Type.Optional(recordNamed<Repository>("Repository")) })

/** The response of a repository search. */
export const SearchResults = record("SearchResults", { data: Type.Array(Repository), ok: Type.Boolean() })
export type SearchResults = Static<typeof SearchResults>

// --- around a repository ----------------------------------------------------------------------------------------------------------

export const RepoCollaboratorPermission = record("RepoCollaboratorPermission", {
  permission: oneOf(ACCESS_MODES),
  role_name: Type.String({ description: "the same as permission" }),
  user: User,
})
export type RepoCollaboratorPermission = Static<typeof RepoCollaboratorPermission>

export const WatchInfo = record("WatchInfo", {
  subscribed: Type.Boolean(),
  ignored: Type.Boolean(),
  reason: Type.Null({ description: "always null" }),
  created_at: dateTime({ description: "when the repository was created" }),
  url: Type.String({ format: "uri" }),
  repository_url: Type.String({ format: "uri" }),
})
export type WatchInfo = Static<typeof WatchInfo>

export const TopicName = record("TopicName", { topics: Type.Array(Type.String()) })
export type TopicName = Static<typeof TopicName>

export const TopicResponse = record("TopicResponse", {
  id: int64(),
  topic_name: Type.String(),
  repo_count: int64({ description: "how many repositories bear it" }),
  created: dateTime(),
  updated: dateTime(),
})
export type TopicResponse = Static<typeof TopicResponse>

export const TopicListResponse = record("TopicListResponse", { topics: Type.Array(TopicResponse) })
export type TopicListResponse = Static<typeof TopicListResponse>

// --- requests ---------------------------------------------------------------------------------------------------------------------

const repositoryName = (description: string) =>
  Type.String({ minLength: 1, maxLength: REPOSITORY_NAME_LENGTH, pattern: PLAIN_NAME.pattern, description })
const describes = Type.Optional(Type.String({ maxLength: 2048 }))
const flag = (description?: string) => Type.Optional(Type.Boolean(description === undefined ? {} : { description }))

export const CreateRepoOption = record("CreateRepoOption", {
  name: repositoryName("unique among the owner's repositories, whatever the case"),
  description: describes,
  private: flag(),
  template: flag("others may generate repositories from it"),
  auto_init: flag("begin with a commit of a readme and what gitignores and license name"),
  gitignores: Type.Optional(Type.String({ description: "names of .gitignore templates, with commas between them" })),
  license: Type.Optional(Type.String({ maxLength: 100, description: "name of a licence template" })),
  readme: Type.Optional(Type.String({ maxLength: 255, description: "name of a readme template" })),
  issue_labels: Type.Optional(Type.String({ maxLength: 255, description: "name of a label set" })),
  default_branch: Type.Optional(Type.String({ maxLength: 100, description: "the site's default where it is not sent" })),
  object_format_name: Type.Optional(oneOf(["", ...OBJECT_FORMATS], { description: "empty is sha1" })),
  trust_model: Type.Optional(oneOf(["", ...TRUST_MODELS], { description: "whose signatures count; empty is default" })),
})
export type CreateRepoOption = Static<typeof CreateRepoOption>

/** Only members that are sent change. */
export const EditRepoOption = record("EditRepoOption", {
  name: Type.Optional(repositoryName("the new name; the old one leads there")),
  description: describes,
  website: Type.Optional(Type.String({ maxLength: 1024 })),
  private: flag(),
  template: flag(),
  archived: flag("an archived repository is read only"),
  default_branch: Type.Optional(Type.String({ maxLength: 100 })),
  has_code: flag(),
  has_issues: flag(),
  internal_tracker: Type.Optional(
    Type.Object(
      { enable_time_tracker: flag(), allow_only_contributors_to_track_time: flag(), enable_issue_dependencies: flag() },
      { description: "of the service's own issues, which are used again instead of an external tracker" },
    ),
  ),
  external_tracker: Type.Optional(
    Type.Object(
      {
        external_tracker_url: Type.Optional(Type.String({ maxLength: 2048, description: "http or https address" })),
        external_tracker_format: Type.Optional(
          Type.String({ maxLength: 2048, description: "address of one issue, with {user}, {repo} and {index}" }),
        ),
        external_tracker_style: Type.Optional(oneOf(["", "numeric", "alphanumeric", "regexp"], { description: "empty is numeric" })),
        external_tracker_regexp_pattern: Type.Optional(Type.String({ maxLength: 1024 })),
      },
      { description: "used instead of the service's own issues" },
    ),
  ),
  has_wiki: flag(),
  external_wiki: Type.Optional(
    Type.Object(
      { external_wiki_url: Type.Optional(Type.String({ maxLength: 2048, description: "http or https address; empty for the own wiki" })) },
      { description: "used instead of the service's own wiki" },
    ),
  ),
  has_pull_requests: flag(),
  has_projects: flag(),
  projects_mode: Type.Optional(oneOf(PROJECTS_MODES)),
  has_releases: flag(),
  has_packages: flag(),
  has_actions: flag(),
  shares_workflows: flag("workflows of the owner’s other private repositories may call its own, and their jobs may read its code"),
  ignore_whitespace_conflicts: flag(),
  allow_merge_commits: flag(),
  allow_rebase: flag(),
  allow_rebase_explicit: flag("rebase, then a merge commit"),
  allow_squash_merge: flag(),
  allow_fast_forward_only_merge: flag(),
  allow_merge_update: flag(),
  allow_rebase_update: flag(),
  allow_manual_merge: flag("pull requests may be marked as merged by hand"),
  autodetect_manual_merge: flag(),
  default_delete_branch_after_merge: flag(),
  default_merge_style: Type.Optional(oneOf(MERGE_STYLES)),
  default_update_style: Type.Optional(oneOf(UPDATE_STYLES)),
  default_allow_maintainer_edit: flag(),
  mirror_interval: Type.Optional(Type.String({ maxLength: 50, description: "a length of time such as 8h30m0s; 0 stops the mirror" })),
  mirror_username: Type.Optional(Type.String({ maxLength: 255 })),
  mirror_password: Type.Optional(Type.String({ maxLength: 1024 })),
  mirror_token: Type.Optional(Type.String({ maxLength: 1024, description: "wins over mirror_password" })),
  enable_prune: flag("drop what the remote has dropped when mirroring"),
})
export type EditRepoOption = Static<typeof EditRepoOption>

export const TransferRepoOption = record("TransferRepoOption", {
  // Existing clients expect 404 for a missing owner, which is the answer to an empty one too.
  new_owner: Type.Optional(Type.String({ documentedAs: "required", description: "name of a user or an organisation" })),
  team_ids: Type.Optional(Type.Array(int64(), { description: "teams of the new owner that get the repository" })),
})
export type TransferRepoOption = Static<typeof TransferRepoOption>

export const GenerateRepoOption = record("GenerateRepoOption", {
  owner: Type.String({ minLength: 1, description: "name of the new repository's owner" }),
  name: repositoryName("name of the new repository"),
  description: describes,
  default_branch: Type.Optional(Type.String({ maxLength: 100, description: "the template's where it is not sent" })),
  private: flag(),
  git_content: flag("the files of the template's default branch"),
  topics: flag(),
  git_hooks: flag(),
  webhooks: flag(),
  avatar: flag(),
  labels: flag(),
  protected_branch: flag(),
})
export type GenerateRepoOption = Static<typeof GenerateRepoOption>

export const CreateForkOption = record("CreateForkOption", {
  organization: Type.Optional(Type.String({ description: "the fork's owner; the caller where it is not sent" })),
  name: Type.Optional(repositoryName("name of the fork; the repository's own where it is not sent")),
})
export type CreateForkOption = Static<typeof CreateForkOption>

export const AddCollaboratorOption = record("AddCollaboratorOption", {
  permission: Type.Optional(oneOf(["read", "write", "admin"], { description: "write where it is not sent" })),
})
export type AddCollaboratorOption = Static<typeof AddCollaboratorOption>

export const RepoTopicOptions = record("RepoTopicOptions", {
  topics: Type.Array(Type.String(), { description: "replace all that were there" }),
})
export type RepoTopicOptions = Static<typeof RepoTopicOptions>

export const UpdateRepoAvatarOption = record("UpdateRepoAvatarOption", {
  image: fileContent({ minLength: 1, description: "the picture's bytes in base64" }),
})
export type UpdateRepoAvatarOption = Static<typeof UpdateRepoAvatarOption>

export const LabelTemplate = record("LabelTemplate", {
  name: Type.String(),
  color: Type.String({ description: "six hexadecimal digits" }),
  description: Type.String(),
  exclusive: Type.Boolean({ description: "an issue bears one of its scope at most" }),
})
export type LabelTemplate = Static<typeof LabelTemplate>
