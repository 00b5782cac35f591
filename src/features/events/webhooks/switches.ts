import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { AUDIT, SWITCHES, type Switch, type WebhookEvent } from "../../actions/external/names.ts"

/** The switches of webhooks. */

/** Words that turn on several switches, or only the one they name. */
const GROUPS: Readonly<Record<string, readonly Switch[]>> = {
  issues: SWITCHES.filter((name) => name.startsWith("issue")),
  issues_only: ["issues"],
  pull_request: SWITCHES.filter((name) => name.startsWith("pull_request")),
  pull_request_only: ["pull_request"],
  pull_request_review_approved: ["pull_request_review"],
  pull_request_review_rejected: ["pull_request_review"],
  pull_request_review_comment: ["pull_request_review"],
}

/** The switches that a client's words turn on, those of an account's own webhook among them; no words at all mean pushes. Refuses `invalid` a word that turns on none. */
export function switchesNamed(words: readonly string[], isOfAccount = false): readonly (Switch | typeof AUDIT)[] {
  const all = isOfAccount ? ([...SWITCHES, AUDIT] as const) : SWITCHES
  if (words.length === 0) return ["push"]
  const named = new Set<string>()
  for (const word of words) {
    const lower = word.toLowerCase()
    const switches = GROUPS[lower] ?? all.filter((name) => name === lower)
    if (switches.length === 0) throw refuse.invalid("events", t`there is no event ${word.slice(0, 100)}; there are ${all.join(", ")}`)
    for (const name of switches) named.add(name)
  }
  return all.filter((name) => named.has(name))
}

/** The switch that lets an event through. */
export const switchOf = (event: WebhookEvent): Switch | typeof AUDIT => {
  switch (event) {
    case "pull_request_review_approved":
    case "pull_request_review_rejected":
    case "pull_request_review_comment":
      return "pull_request_review"
    default:
      return event
  }
}
