import { type Actor, anonymous, isSiteAdministrator, type User } from "../../../core/actor.ts"
import { avatarPath } from "../../../core/avatar.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import { NEVER, rfc3339, type Shape } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import type { User as UserRecord } from "./records.ts"

/** The address that replaces a hidden one. */
export const noReplyAddress = (site: Site, user: User): string => `${user.id}+${user.lower_name}@${site.noReplyDomain}`

/** The URL of the avatar. */
export const avatarUrl = (site: Site, user: Pick<User, "id" | "avatar">): string => `${site.rootUrl}${avatarPath(user)}`

/**
 * A user or organisation as `viewer` may see it: the user and site administrators see the account's state and its real address.
 * Without a viewer, as the public sees it.
 */
export function presentUser(site: Site, user: User, viewer: Actor = anonymous): Readonly<Shape<typeof UserRecord>> {
  const privileged = viewer.kind === "user" && (viewer.user.id === user.id || isSiteAdministrator(viewer))
  return userRecord(site, user, privileged, privileged || (viewer.kind === "user" && user.hide_email === 0))
}

/**
 * A user or organisation inside another record, such as the owner of a repository: never with the account's state, not even for the
 * user themselves. `knowsAddress` says whether the caller may see an address that is not hidden.
 */
export const presentUserPlainly = (site: Site, user: User, knowsAddress: boolean): Readonly<Shape<typeof UserRecord>> =>
  userRecord(site, user, false, knowsAddress && user.hide_email === 0)

/** The placeholder for a deleted account, whose contributions remain. */
export const GHOST: User = {
  id: -1,
  kind: "person",
  name: "Ghost",
  lower_name: "ghost",
  full_name: "",
  email: "",
  description: "",
  location: "",
  website: "",
  language: "",
  theme: "",
  diff_view_style: "",
  visibility: "public",
  avatar: "",
  created_at: 0,
  updated_at: 0,
  last_login_at: 0,
  password_hash: "",
  credentials_version: 0,
  login_name: "",
  source_id: 0,
  is_admin: 0,
  has_second_factor: 0,
  lacks_required_factor: 0,
  second_factor_due_at: 0,
  requires_second_factor: 0,
  is_active: 0,
  is_restricted: 0,
  prohibit_login: 1,
  must_change_password: 0,
  hide_email: 1,
  hide_activity: 1,
  allow_create_organization: 0,
  max_repositories: 0,
  repo_admin_change_team_access: 0,
  newcomers: "",
  newcomer_days: -1,
  newcomers_per_day: -1,
  followers_count: 0,
  following_count: 0,
  stars_count: 0,
  repositories_count: 0,
}

/** The address of an account as `viewer` may see it; one that is hidden has its no-reply address. */
export const shownAddress = (site: Site, user: User, viewer: Actor): string => presentUser(site, user, viewer).email

/** The records of each row, by what they show: the database gives the same rows until something is committed. */
const madeOf = onFirstUseOf((_site: Site) => new WeakMap<User, Map<number, Readonly<Shape<typeof UserRecord>>>>())

function userRecord(site: Site, user: User, privileged: boolean, showsEmail: boolean): Readonly<Shape<typeof UserRecord>> {
  const ofSite = madeOf(site)
  const shown = Number(privileged) * 2 + Number(showsEmail)
  const known = ofSite.get(user)
  const last = known?.get(shown)
  if (last) return last
  const record = makeRecord(site, user, privileged, showsEmail)
  if (known) known.set(shown, record)
  else ofSite.set(user, new Map([[shown, record]]))
  return record
}

function makeRecord(site: Site, user: User, privileged: boolean, showsEmail: boolean): Readonly<Shape<typeof UserRecord>> {
  return {
    id: user.id,
    login: user.name,
    login_name: privileged ? user.login_name : "",
    source_id: privileged ? user.source_id : 0,
    full_name: user.full_name,
    // An organisation without an address has none; a user without one has their no-reply address.
    email: showsEmail && (user.email !== "" || user.kind === "organization") ? user.email : noReplyAddress(site, user),
    avatar_url: avatarUrl(site, user),
    html_url: `${site.rootUrl}/${user.name}`,
    language: privileged ? user.language : "",
    is_admin: privileged && user.is_admin === 1,
    last_login: privileged ? rfc3339(user.last_login_at) : NEVER,
    created: rfc3339(user.created_at),
    restricted: user.is_restricted === 1,
    active: privileged && user.is_active === 1,
    prohibit_login: privileged && user.prohibit_login === 1,
    location: user.location,
    website: user.website,
    description: user.description,
    visibility: user.visibility,
    followers_count: user.followers_count,
    following_count: user.following_count,
    starred_repos_count: user.stars_count,
    username: user.name,
  }
}

/** The user that workflows act as, under the name that clients know. It has no row, and nothing can sign in as it. */
export const ACTIONS_USER: User = {
  ...GHOST,
  id: -2,
  name: "gitea-actions",
  lower_name: "gitea-actions",
  full_name: "Gitea Actions",
  is_active: 1,
}

/** The user shown where an account is not found: the service itself, or the ghost of a deleted account. */
export const standIn = (id: number): User => (id === ACTIONS_USER.id ? ACTIONS_USER : GHOST)
