import type { Content } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Shown } from "../../../core/page.ts"
import { besideParts, type Parts } from "../../../web/parts.ts"

/** What all settings of a person have: the list of their parts, each a page of the feature that it is about. */

export const SETTINGS_PATH = "/user/settings"

const PARTS = {
  profile: { text: t("Profile"), icon: "person", path: "" },
  account: { text: t("Account"), icon: "gear", path: "/account" },
  security: { text: t("Security"), icon: "shield", path: "/security" },
  ssh: { text: t("SSH keys"), icon: "key", path: "/keys" },
  gpg: { text: t("GPG keys"), icon: "verified", path: "/keys/gpg" },
  tokens: { text: t("Access tokens"), icon: "lock", path: "/applications" },
  grants: { text: t("Authorized applications"), icon: "check-circle", path: "/applications/grants" },
  applications: { text: t("OAuth2 applications"), icon: "code-square", path: "/applications/oauth2" },
  notifications: { text: t("Notifications"), icon: "bell", path: "/notifications" },
  appearance: { text: t("Appearance"), icon: "eye", path: "/appearance" },
  replies: { text: t("Saved replies"), icon: "reply", path: "/replies" },
  organizations: { text: t("Organizations"), icon: "organization", path: "/organization" },
  repositories: { text: t("Repositories"), icon: "repo", path: "/repos" },
  webhooks: { text: t("Webhooks"), icon: "webhook", path: "/hooks" },
  runners: { text: t("Runners"), icon: "server", path: "/actions/runners" },
  secrets: { text: t("Secrets"), icon: "lock", path: "/actions/secrets" },
  variables: { text: t("Variables"), icon: "list-unordered", path: "/actions/variables" },
  blocked: { text: t("Blocked users"), icon: "circle-slash", path: "/blocked_users" },
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
    body: besideParts(PARTS, { label: t("Settings"), at: SETTINGS_PATH, current: part, body }),
  }
}
