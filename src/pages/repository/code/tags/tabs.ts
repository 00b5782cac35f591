import { Mode } from "../../../../access/modes.ts"
import { unitMode } from "../../../../access/permission.ts"
import type { OnRepository } from "../../../../access/policies/repositories.ts"
import type { Html } from "../../../../core/html.ts"
import { t } from "../../../../core/language/message.ts"
import { repositoryPath } from "../../../../web/address.ts"
import { choices } from "../../../../web/components.ts"

/** The links between releases and tags. */
export const releaseTabs = (on: OnRepository, current: "releases" | "tags"): Html =>
  choices(t("Releases and tags"), [
    { href: `${repositoryPath(on)}/releases`, text: t("Releases"), icon: "rocket", current: current === "releases" },
    ...(unitMode(on.permission, on.repository, "repo.code") >= Mode.read
      ? [{ href: `${repositoryPath(on)}/tags`, text: t("Tags"), icon: "tag" as const, current: current === "tags" }]
      : []),
  ])
