import type { Generated } from "kysely"
import type { NewcomerColumns } from "./newcomers.ts"
import type { Flag, Seconds } from "./types.ts"

export type Visibility = "public" | "limited" | "private"

export interface UsersTable extends NewcomerColumns {
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
  /** Whether the person has an authenticator app or a passkey. */
  has_second_factor: Generated<Flag>
  /**
   * Of a person: whether an organisation that granted them something requires a second factor, or will, and they have none. It may be 1 for some minutes more than
   * that, but is 0 for all others in the end: their queries need not look at what organisations require.
   */
  lacks_required_factor: Generated<Flag>
  /**
   * Of an organisation: from when on its members need a second factor; 0 where they need none. Of a person: until when the operator lets them go
   * without one, whatever the site requires; 0 where nothing was said.
   */
  second_factor_due_at: Generated<Seconds>
  /** Of an organisation: members without a second factor reach nothing of it now. */
  requires_second_factor: Generated<Flag>
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
  /** The address of the client that used it then; "" where it was never used, or not since this is noted. */
  last_used_address: Generated<string>
  /** 0 for never. */
  expires_at: Generated<Seconds>
  /** How many of the mails that it will expire were sent, or are not to be. */
  expiry_told: Generated<number>
  /** Whether it is limited to the repositories and owners of the next two tables, also where these have no more rows of it. */
  is_limited: Generated<Flag>
  /** Whether it was made for one task, so that what it does is listed and marked. The next four count for these alone. */
  is_task: Generated<Flag>
  /** Patterns of the references that it may move, one on each line; "" for any. */
  branches: Generated<string>
  /** Ids of operations and names of toolsets, one on each line; "" for any. */
  operations: Generated<string>
  /** How many changes it may make in all, and how many of these are left; -1 where they are not counted. */
  writes: Generated<number>
  writes_left: Generated<number>
}

/** What a token for one task has changed, or tried to. It is kept when the token is deleted. */
export interface TokenDeedsTable {
  id: Generated<number>
  /** This, and what it has changed, may be gone: nothing has these ids again. */
  token_id: number
  token_name: string
  user_id: number
  /** 0 where it was about no repository, or no owner. */
  repository_id: number
  owner_id: number
  /** The id of an operation of the API, or git.push. */
  operation: string
  path: string
  /** Of HTTP; 0 while it is done, and where its process died meanwhile. */
  status: number
  created_at: Seconds
}

/** The commits that tokens for one task have made through the API. */
export interface TokenCommitsTable {
  repository_id: number
  commit_id: string
  token_name: string
}

export interface AccessTokenRepositoriesTable {
  token_id: number
  repository_id: number
}

/** Owners of whose repositories a token may use all, and whose projects, packages and settings. */
export interface AccessTokenOwnersTable {
  token_id: number
  owner_id: number
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

export interface PeopleTables {
  users: UsersTable
  user_redirects: UserRedirectsTable
  emails: EmailsTable
  account_mails: AccountMailsTable
  access_tokens: AccessTokensTable
  access_token_repositories: AccessTokenRepositoriesTable
  access_token_owners: AccessTokenOwnersTable
  token_deeds: TokenDeedsTable
  token_commits: TokenCommitsTable
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
}
