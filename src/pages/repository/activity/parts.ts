import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Contributions } from "../../../features/code/activity/contributions.ts"
import { repositoryPath } from "../../../web/address.ts"
import { choices, notice } from "../../../web/components.ts"

/** What pages of a repository's activity share. */

export const ACTIVITY_TABS = {
  "": t("Summary"),
  "/contributors": t("Contributors"),
  "/code-frequency": t("Code frequency"),
  "/recent-commits": t("Recent commits"),
} as const

/** The links between the pages of a repository's activity. */
export const activityTabs = (on: OnRepository, current: keyof typeof ACTIVITY_TABS): Html =>
  choices(
    t("Activity"),
    Object.entries(ACTIVITY_TABS).map(([path, text]) => ({
      href: `${repositoryPath(on)}/activity${path}`,
      text,
      current: path === current,
    })),
  )

/** What is wrong with the numbers, if anything. */
export function countingNotice({ isBeingComputed, isWhole }: Contributions): Html | undefined {
  if (isBeingComputed) return notice("info", t("The newest commits are still being counted. Reload the page in a minute to see them."))
  return isWhole ? undefined : notice("info", t("The history is long: only its newest commits are counted."))
}
