import type { Content } from "../core/html.ts"
import { t } from "../core/language/message.ts"
import type { Shown } from "../core/page.ts"
import { besideParts, type Parts } from "./parts.ts"

/** What all pages of site administrators have: the list of their parts, each a page of the feature that it is about. */

export const ADMINISTRATION_PATH = "/-/admin"
export const ADMINISTRATION_PEOPLE = `${ADMINISTRATION_PATH}/users` as const

const PARTS = {
  overview: { text: t("Overview"), icon: "pulse", path: "" },
  people: { text: t("People"), icon: "people", path: "/users" },
  emails: { text: t("E-mail addresses"), icon: "mail", path: "/emails" },
  tokens: { text: t("Access tokens"), icon: "lock", path: "/tokens" },
  announcements: { text: t("Announcements"), icon: "megaphone", path: "/announcements" },
  organizations: { text: t("Organizations"), icon: "organization", path: "/orgs" },
  repositories: { text: t("Repositories"), icon: "repo", path: "/repos" },
  deleted: { text: t("Deleted"), icon: "trash", path: "/deleted" },
  imports: { text: t("People of imports"), icon: "repo-push", path: "/imports" },
  webhooks: { text: t("Webhooks"), icon: "webhook", path: "/hooks" },
  runners: { text: t("Runners"), icon: "server", path: "/actions/runners" },
  jobs: { text: t("Jobs and schedule"), icon: "clock", path: "/monitor/cron" },
  audit: { text: t("Audit log"), icon: "log", path: "/audit" },
  signIn: { text: t("Sign-in sources"), icon: "key", path: "/auths" },
  configuration: { text: t("Configuration"), icon: "gear", path: "/config" },
} as const satisfies Parts

export type AdministrationPart = keyof typeof PARTS

interface Administration extends Omit<Shown, "kind" | "body"> {
  readonly part: AdministrationPart
  readonly body: Content
}

/** A page of site administrators; `body` begins with its `h1`. */
export function administrationPage({ part, title, body, ...more }: Administration): Shown {
  return {
    kind: "shown",
    unlisted: true,
    ...more,
    title: `${title} · Administration`,
    body: besideParts(PARTS, { label: t("Administration"), at: ADMINISTRATION_PATH, current: part, body, isWide: true }),
  }
}
