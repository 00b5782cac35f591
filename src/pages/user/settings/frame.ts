import type { Content } from "../../../core/html.ts"
import type { Shown } from "../../../core/page.ts"
import { besideParts, type Parts } from "../../../web/parts.ts"

/** What all settings of a person have: the list of their parts, each a page of the feature that it is about. */

export const SETTINGS_PATH = "/user/settings"

const PARTS = {
  profile: { text: "Profile", icon: "person", path: "" },
  account: { text: "Account", icon: "gear", path: "/account" },
  security: { text: "Security", icon: "shield", path: "/security" },
  ssh: { text: "SSH keys", icon: "key", path: "/keys" },
  gpg: { text: "GPG keys", icon: "verified", path: "/keys/gpg" },
  tokens: { text: "Access tokens", icon: "lock", path: "/applications" },
  grants: { text: "Authorized applications", icon: "check-circle", path: "/applications/grants" },
  applications: { text: "OAuth2 applications", icon: "code-square", path: "/applications/oauth2" },
  notifications: { text: "Notifications", icon: "bell", path: "/notifications" },
  appearance: { text: "Appearance", icon: "eye", path: "/appearance" },
  replies: { text: "Saved replies", icon: "reply", path: "/replies" },
  organizations: { text: "Organizations", icon: "organization", path: "/organization" },
  repositories: { text: "Repositories", icon: "repo", path: "/repos" },
  webhooks: { text: "Webhooks", icon: "webhook", path: "/hooks" },
  runners: { text: "Runners", icon: "server", path: "/actions/runners" },
  secrets: { text: "Secrets", icon: "lock", path: "/actions/secrets" },
  variables: { text: "Variables", icon: "list-unordered", path: "/actions/variables" },
  blocked: { text: "Blocked users", icon: "circle-slash", path: "/blocked_users" },
} as const satisfies Parts

export type PersonalSettings = keyof typeof PARTS

interface Settings extends Omit<Shown, "kind" | "body"> {
  readonly part: PersonalSettings
  readonly body: Content
}

/** A page of one's own settings; `body` begins with its `h1`. */
export function personalSettings({ part, body, ...more }: Settings): Shown {
  return {
    kind: "shown",
    unlisted: true,
    ...more,
    body: besideParts(PARTS, { label: "Settings", at: SETTINGS_PATH, current: part, body }),
  }
}
