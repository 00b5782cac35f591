import type { Generated } from "kysely"
import type { ActionTables } from "./tables/actions.ts"
import type { AttentionTables } from "./tables/attention.ts"
import type { AuditTables } from "./tables/audit.ts"
import type { CodeSearchTables } from "./tables/code-search.ts"
import type { EventTables } from "./tables/events.ts"
import type { FormTables } from "./tables/forms.ts"
import type { GuessTables } from "./tables/guesses.ts"
import type { HistoryTables } from "./tables/history.ts"
import type { IssueTables } from "./tables/issues.ts"
import type { KeyTables } from "./tables/keys.ts"
import type { LfsTables } from "./tables/lfs.ts"
import type { MirrorTables } from "./tables/mirrors.ts"
import type { OAuth2Tables } from "./tables/oauth2.ts"
import type { PackageTables } from "./tables/packages.ts"
import type { ProjectTables } from "./tables/projects.ts"
import type { ProtectionTables } from "./tables/protections.ts"
import type { PullTables } from "./tables/pulls.ts"
import type { ReleaseTables } from "./tables/releases.ts"
import type { SignInTables } from "./tables/sign-in.ts"
import type { SigningTables } from "./tables/signing.ts"
import type { TextTables } from "./tables/texts.ts"
import type { Flag, Seconds } from "./tables/types.ts"
import type { WebhookTables } from "./tables/webhooks.ts"
import type { WikiTables } from "./tables/wikis.ts"

export { type Flag, flag, type Seconds } from "./tables/types.ts"

export type Visibility = "public" | "limited" | "private"

/** People and organisations share one name space, and so one table. */
export interface UsersTable {
  id: Generated<number>
  /** "nobody" is the one account that has repositories which are being deleted; it is made when it is first needed. */
  kind: "person" | "organization" | "nobody"
  name: string
  lower_name: string
  full_name: Generated<string>
  /** The primary address of a person, the contact address of an organisation ("" for none). */
  email: Generated<string>
  description: Generated<string>
  location: Generated<string>
  website: Generated<string>
  language: Generated<string>
  theme: Generated<string>
  diff_view_style: Generated<string>
  visibility: Generated<Visibility>
  /** The digest of an uploaded picture; "" shows the generated one. */
  avatar: Generated<string>
  created_at: Seconds
  updated_at: Seconds
  last_login_at: Generated<Seconds>
  /** scrypt in PHC form; "" disables sign-in by password. */
  password_hash: Generated<string>
  /** Incremented with every change of password, tokens, second factor or state; cached sign-ins of an older version are void. */
  credentials_version: Generated<number>
  login_name: Generated<string>
  source_id: Generated<number>
  is_admin: Generated<Flag>
  is_active: Generated<Flag>
  is_restricted: Generated<Flag>
  prohibit_login: Generated<Flag>
  must_change_password: Generated<Flag>
  hide_email: Generated<Flag>
  hide_activity: Generated<Flag>
  allow_create_organization: Generated<Flag>
  /** How many repositories may be owned; -1 for the site's setting. */
  max_repositories: Generated<number>
  repo_admin_change_team_access: Generated<Flag>
  followers_count: Generated<number>
  following_count: Generated<number>
  stars_count: Generated<number>
  repositories_count: Generated<number>
}

export interface UserRedirectsTable {
  lower_name: string
  user_id: number
}

export interface EmailsTable {
  id: Generated<number>
  user_id: number
  email: string
  lower_email: string
  is_activated: Flag
  is_primary: Flag
  created_at: Seconds
}

/** When a person was last sent a mail about their account, to limit how often that happens. */
export interface AccountMailsTable {
  user_id: number
  about: "welcome" | "activation" | "confirmation" | "recovery" | "guessing" | "registered" | "teamInvitation"
  lower_address: string
  sent_at: Seconds
}

export interface AccessTokensTable {
  id: Generated<number>
  user_id: number
  name: string
  /** SHA-256 of the token, hex: 160 random bits need no slow hash. */
  digest: string
  last_eight: string
  /** Comma separated, normalised (see access/scopes.ts). */
  scopes: string
  created_at: Seconds
  last_used_at: Seconds
}

export interface TwoFactorsTable {
  user_id: number
  /** The TOTP secret, sealed with the site's key. */
  sealed_secret: string
  /** The time step of the last accepted code: a code works once. */
  last_step: number
  created_at: Seconds
}

export interface FollowsTable {
  follower_id: number
  followed_id: number
  created_at: Seconds
}

export interface BlocksTable {
  id: Generated<number>
  blocker_id: number
  blocked_id: number
  note: string
  created_at: Seconds
}

export interface BadgesTable {
  id: Generated<number>
  slug: string
  description: string
  image_url: string
}

export interface UserBadgesTable {
  user_id: number
  badge_id: number
}

export interface OrganizationMembersTable {
  organization_id: number
  user_id: number
  is_public: Flag
}

export interface TeamsTable {
  id: Generated<number>
  organization_id: number
  name: string
  lower_name: string
  description: string
  /** 4 for the owners, 3 for administrators; 0 for every other team, whose rights are its units (see access/modes.ts). */
  mode: number
  includes_all_repositories: Flag
  can_create_repositories: Flag
  visibility: Visibility
  created_at: Seconds
}

export interface TeamUnitsTable {
  team_id: number
  unit: string
  mode: number
}

export interface TeamMembersTable {
  team_id: number
  user_id: number
  organization_id: number
}

export interface TeamRepositoriesTable {
  team_id: number
  repository_id: number
  organization_id: number
}

export interface RepositoriesTable {
  id: Generated<number>
  owner_id: number
  name: string
  lower_name: string
  /** The path of the git repository below the repositories folder; it never changes, also when the repository is renamed. */
  storage: string
  description: Generated<string>
  website: Generated<string>
  default_branch: string
  object_format: "sha1" | "sha256"
  trust_model: Generated<"default" | "collaborator" | "committer" | "collaboratorcommitter">
  original_url: Generated<string>
  /** The digest of an uploaded picture; "" for none. */
  avatar: Generated<string>
  is_private: Generated<Flag>
  is_template: Generated<Flag>
  is_mirror: Generated<Flag>
  is_empty: Generated<Flag>
  is_archived: Generated<Flag>
  archived_at: Generated<Seconds>
  /** The repository that this one was forked from. */
  fork_of_id: Generated<number | null>
  /** The repository that this one was generated from. */
  template_id: Generated<number | null>
  created_at: Seconds
  updated_at: Seconds
  /** Bytes. */
  git_size: Generated<number>
  lfs_size: Generated<number>
  language: Generated<string>
  /** A JSON list of SPDX names. */
  licenses: Generated<string>
  /** A JSON list of topic names in order; topics and repository_topics are what is searched. */
  topics: Generated<string>
  has_code: Generated<Flag>
  has_issues: Generated<Flag>
  has_pull_requests: Generated<Flag>
  has_releases: Generated<Flag>
  has_wiki: Generated<Flag>
  has_projects: Generated<Flag>
  has_packages: Generated<Flag>
  has_actions: Generated<Flag>
  /** Workflows of the owner's other private repositories may call its own, and their jobs may read its code. */
  shares_workflows: Generated<Flag>
  projects_mode: Generated<"repo" | "owner" | "all">
  enable_time_tracker: Generated<Flag>
  allow_only_contributors_to_track_time: Generated<Flag>
  enable_issue_dependencies: Generated<Flag>
  /** With a URL the tracker is an external one. */
  external_tracker_url: Generated<string>
  external_tracker_format: Generated<string>
  external_tracker_style: Generated<string>
  external_tracker_regexp_pattern: Generated<string>
  /** With a URL the wiki is an external one. */
  external_wiki_url: Generated<string>
  ignore_whitespace_conflicts: Generated<Flag>
  allow_merge_commits: Generated<Flag>
  allow_rebase: Generated<Flag>
  allow_rebase_explicit: Generated<Flag>
  allow_squash_merge: Generated<Flag>
  allow_fast_forward_only_merge: Generated<Flag>
  allow_manual_merge: Generated<Flag>
  autodetect_manual_merge: Generated<Flag>
  allow_merge_update: Generated<Flag>
  allow_rebase_update: Generated<Flag>
  default_delete_branch_after_merge: Generated<Flag>
  default_allow_maintainer_edit: Generated<Flag>
  default_merge_style: Generated<string>
  default_update_style: Generated<string>
  stars_count: Generated<number>
  watchers_count: Generated<number>
  forks_count: Generated<number>
  branches_count: Generated<number>
  open_issues_count: Generated<number>
  open_pulls_count: Generated<number>
  releases_count: Generated<number>
}

export interface RepositoryRedirectsTable {
  owner_id: number
  lower_name: string
  repository_id: number
}

export interface RepositoryTransfersTable {
  repository_id: number
  doer_id: number
  recipient_id: number
  /** A JSON list of the recipient organisation's team ids. */
  team_ids: string
  created_at: Seconds
}

export interface CollaborationsTable {
  repository_id: number
  user_id: number
  mode: number
  created_at: Seconds
}

export interface StarsTable {
  user_id: number
  repository_id: number
  created_at: Seconds
}

export interface WatchesTable {
  user_id: number
  repository_id: number
  /** "declined" is an explicit no after an automatic watch. */
  mode: "normal" | "automatic" | "declined"
  created_at: Seconds
}

export interface TopicsTable {
  id: Generated<number>
  name: string
  repositories_count: number
  created_at: Seconds
  updated_at: Seconds
}

export interface RepositoryTopicsTable {
  repository_id: number
  topic_id: number
}

export interface LabelsTable {
  id: Generated<number>
  /** Exactly one of repository_id and organization_id is set. */
  repository_id: number | null
  organization_id: number | null
  name: string
  description: string
  /** Six hex digits, lower case, without "#". */
  color: string
  exclusive: Flag
  is_archived: Flag
  created_at: Seconds
  updated_at: Seconds
}

/** Whose turn it is to move a branch, which others wait for until it ends. */
export interface BranchTurnsTable {
  repository_id: number
  branch: string
  /** Names the work that has the turn. */
  holder: string
  ends_at: Seconds
}

export interface BranchesTable {
  id: Generated<number>
  repository_id: number
  name: string
  commit_id: string
  /** Whether the row contains all of the commit that the API shows. A signed commit, or one with a very long message, must be read from git. */
  is_told: Generated<Flag>
  commit_message: string
  author_name: Generated<string>
  author_email: Generated<string>
  authored_at: Generated<Seconds>
  /** Minutes east of UTC. */
  author_offset: Generated<number>
  committer_name: Generated<string>
  committer_email: Generated<string>
  committed_at: Seconds
  pusher_id: number
  updated_at: Seconds
}

/** The feed: one row for each person or organisation whose feed shows an event. */
export interface ActivitiesTable {
  id: Generated<number>
  receiver_id: number
  actor_id: number
  op_type: string
  repository_id: number
  comment_id: number
  ref_name: string
  /** The unit that one must be able to read to see it; "" if access to the repository is enough. */
  unit: Generated<string>
  is_private: Flag
  is_hidden: Flag
  content: string
  created_at: Seconds
}

/** The outbox: work to be done outside the database (see core/jobs). */
export interface JobsTable {
  id: Generated<number>
  kind: string
  /** JSON. */
  payload: string
  state: "waiting" | "running" | "done" | "failed"
  attempts: number
  run_at: Seconds
  /** While running: when the worker's claim expires; afterwards it may be claimed again. */
  held_until: Seconds
  last_error: string
  created_at: Seconds
  finished_at: Seconds
}

/** The state of the clock, one row for each scheduled task. */
export interface ScheduleTable {
  name: string
  last_run_at: Seconds
  next_run_at: Seconds
  /** While it runs: when the machine's claim expires. */
  held_until: Seconds
  runs: number
  last_status: string
  last_message: string
}

export interface Tables
  extends IssueTables,
    ProtectionTables,
    ReleaseTables,
    PullTables,
    ProjectTables,
    KeyTables,
    WebhookTables,
    ActionTables,
    AttentionTables,
    AuditTables,
    MirrorTables,
    LfsTables,
    PackageTables,
    EventTables,
    FormTables,
    GuessTables,
    HistoryTables,
    WikiTables,
    OAuth2Tables,
    SignInTables,
    SigningTables,
    TextTables,
    CodeSearchTables {
  users: UsersTable
  user_redirects: UserRedirectsTable
  emails: EmailsTable
  account_mails: AccountMailsTable
  access_tokens: AccessTokensTable
  two_factors: TwoFactorsTable
  follows: FollowsTable
  blocks: BlocksTable
  badges: BadgesTable
  user_badges: UserBadgesTable
  organization_members: OrganizationMembersTable
  teams: TeamsTable
  team_units: TeamUnitsTable
  team_members: TeamMembersTable
  team_repositories: TeamRepositoriesTable
  repositories: RepositoriesTable
  repository_redirects: RepositoryRedirectsTable
  repository_transfers: RepositoryTransfersTable
  collaborations: CollaborationsTable
  stars: StarsTable
  watches: WatchesTable
  topics: TopicsTable
  repository_topics: RepositoryTopicsTable
  labels: LabelsTable
  branches: BranchesTable
  branch_turns: BranchTurnsTable
  activities: ActivitiesTable
  jobs: JobsTable
  schedule: ScheduleTable
}
