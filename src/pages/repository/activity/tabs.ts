import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Html } from "../../../core/html.ts"
import { repositoryPath } from "../../../web/address.ts"
import { choices } from "../../../web/components.ts"

export const ACTIVITY_TABS = {
  "": "Summary",
  "/contributors": "Contributors",
  "/code-frequency": "Code frequency",
  "/recent-commits": "Recent commits",
} as const

/** The links between the pages of a repository's activity. */
export const activityTabs = (on: OnRepository, current: keyof typeof ACTIVITY_TABS): Html =>
  choices(
    "Activity",
    Object.entries(ACTIVITY_TABS).map(([path, text]) => ({
      href: `${repositoryPath(on)}/activity${path}`,
      text,
      current: path === current,
    })),
  )
