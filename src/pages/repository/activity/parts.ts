import type { OnRepository } from "../../../access/policies/repositories.ts"
import { type Html, html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import type { Contributions, Contributor } from "../../../features/code/activity/contributions.ts"
import { avatarUrl } from "../../../features/people/users/present.ts"
import { repositoryPath } from "../../../web/address.ts"
import { choices, notice, personWithAvatar } from "../../../web/components.ts"

/** What pages of a repository's activity share. */

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

export const contributorPerson = ({ site }: Pick<Services, "site">, { user, name }: Pick<Contributor, "user" | "name">): Html =>
  user
    ? personWithAvatar({ login: user.name, avatar_url: avatarUrl(site, user) })
    : html`<span class="strong"><bdi>${name || "Unknown"}</bdi></span>`

/** What is wrong with the numbers, if anything. */
export function countingNotice({ isBeingComputed, isWhole }: Contributions): Html | undefined {
  if (isBeingComputed) return notice("info", "The newest commits are still being counted. Reload the page in a minute to see them.")
  return isWhole ? undefined : notice("info", "The history is long: only its newest commits are counted.")
}
