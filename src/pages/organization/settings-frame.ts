import type { User } from "../../core/actor.ts"
import { type Content, html } from "../../core/html.ts"
import { t, titled } from "../../core/language/message.ts"
import type { Shown } from "../../core/page.ts"
import { path } from "../../web/address.ts"
import { besideParts, type Parts } from "../../web/parts.ts"

/** What all settings of an organisation have: the list of their parts, each a page of the feature that it is about. */

const PARTS = {
  general: { text: t("General"), icon: "gear", path: "" },
  newcomers: { text: t("Newcomers"), icon: "person-add", path: "/newcomers" },
  labels: { text: t("Labels"), icon: "tag", path: "/labels" },
  webhooks: { text: t("Webhooks"), icon: "webhook", path: "/hooks" },
  runners: { text: t("Runners"), icon: "server", path: "/actions/runners" },
  secrets: { text: t("Secrets"), icon: "lock", path: "/actions/secrets" },
  variables: { text: t("Variables"), icon: "list-unordered", path: "/actions/variables" },
  deeds: { text: t("Changes by tokens"), icon: "log", path: "/token-deeds" },
  audit: { text: t("Audit log"), icon: "log", path: "/audit" },
  deleted: { text: t("Deleted"), icon: "trash", path: "/deleted" },
  blocked: { text: t("Blocked users"), icon: "no-entry", path: "/blocked_users" },
} as const satisfies Parts

export type OrganizationSettings = keyof typeof PARTS

interface Settings extends Omit<Shown, "kind" | "body"> {
  readonly part: OrganizationSettings
  readonly body: Content
}

/** A page of an organisation's settings; `body` begins with its `h1`. */
export function organizationSettings({ name }: Pick<User, "name">, { part, title, body, ...more }: Settings): Shown {
  return {
    kind: "shown",
    unlisted: true,
    ...more,
    title: titled(title, name),
    body: html`
      <p class="crumbs"><a href="${path(name)}"><bdi>${name}</bdi></a><span class="sep">/</span>Settings</p>
      ${besideParts(PARTS, { label: t("Settings"), at: path("org", name, "settings"), current: part, body })}
    `,
  }
}
