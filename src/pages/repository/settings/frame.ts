import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Content } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import type { Shown } from "../../../core/page.ts"
import { repositoryPath } from "../../../web/address.ts"
import { besideParts, type Parts } from "../../../web/parts.ts"
import { repositoryPage } from "../frame.ts"

/** What all settings of a repository have: the list of their parts, each a page of the feature that it is about. */

const PARTS = {
  general: { text: t("General"), icon: "gear", path: "" },
  collaborators: { text: t("Collaborators"), icon: "people", path: "/collaboration" },
  newcomers: { text: t("Newcomers"), icon: "person-add", path: "/newcomers" },
  branches: { text: t("Branches"), icon: "git-branch", path: "/branches" },
  tags: { text: t("Tags"), icon: "tag", path: "/tags" },
  webhooks: { text: t("Webhooks"), icon: "webhook", path: "/hooks" },
  keys: { text: t("Deploy keys"), icon: "key", path: "/keys" },
  deeds: { text: t("Changes by tokens"), icon: "log", path: "/token-deeds" },
  mirrors: { text: t("Mirrors"), icon: "mirror", path: "/mirrors" },
  runners: { text: t("Runners"), icon: "server", path: "/actions/runners" },
  secrets: { text: t("Secrets"), icon: "lock", path: "/actions/secrets" },
  variables: { text: t("Variables"), icon: "list-unordered", path: "/actions/variables" },
} as const satisfies Parts

export type RepositorySettings = keyof typeof PARTS

interface Settings extends Omit<Shown, "kind" | "body"> {
  readonly part: RepositorySettings
  readonly body: Content
}

/** A page of a repository's settings; `body` begins with its `h1`. */
export function settingsPage(call: OnRepository & Pick<Request, "db" | "actor">, { part, body, ...more }: Settings): Promise<Shown> {
  return repositoryPage(call, {
    tab: "settings",
    unlisted: true,
    ...more,
    body: besideParts(PARTS, { label: t("Settings"), at: `${repositoryPath(call)}/settings`, current: part, body }),
  })
}
