import { refuse } from "../../../../core/errors.ts"

/** The events of webhooks, and their names. */

/** The events that can be switched on individually, in display order. */
export const SWITCHES = [
  "create",
  "delete",
  "fork",
  "push",
  "issues",
  "issue_assign",
  "issue_label",
  "issue_milestone",
  "issue_comment",
  "pull_request",
  "pull_request_assign",
  "pull_request_label",
  "pull_request_milestone",
  "pull_request_comment",
  "pull_request_review",
  "pull_request_sync",
  "pull_request_review_request",
  "wiki",
  "repository",
  "release",
  "package",
  "status",
  "workflow_run",
  "workflow_job",
] as const
export type Switch = (typeof SWITCHES)[number]

/** Each verdict of a review is an event of its own; one switch covers the three. */
export type ReviewEvent = "pull_request_review_approved" | "pull_request_review_rejected" | "pull_request_review_comment"
export type EventKind = Exclude<Switch, "pull_request_review"> | ReviewEvent

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

/** The switches that a client's words turn on; no words at all mean pushes. Refuses `invalid` a word that turns on none. */
export function switchesNamed(words: readonly string[]): readonly Switch[] {
  if (words.length === 0) return ["push"]
  const named = new Set<string>()
  for (const word of words) {
    const lower = word.toLowerCase()
    const switches = GROUPS[lower] ?? SWITCHES.filter((name) => name === lower)
    if (switches.length === 0) throw refuse.invalid("events", `there is no event ${word.slice(0, 100)}; there are ${SWITCHES.join(", ")}`)
    for (const name of switches) named.add(name)
  }
  return SWITCHES.filter((name) => named.has(name))
}

/** The switch that lets an event through. */
export const switchOf = (event: EventKind): Switch => {
  switch (event) {
    case "pull_request_review_approved":
    case "pull_request_review_rejected":
    case "pull_request_review_comment":
      return "pull_request_review"
    default:
      return event
  }
}

/** The name under which receivers know an event; several events share one. */
const PUBLIC_NAMES: Readonly<Record<string, string>> = {
  issue_assign: "issues",
  issue_label: "issues",
  issue_milestone: "issues",
  pull_request_comment: "issue_comment",
  pull_request_assign: "pull_request",
  pull_request_label: "pull_request",
  pull_request_milestone: "pull_request",
  pull_request_sync: "pull_request",
  pull_request_review_request: "pull_request",
  pull_request_review_approved: "pull_request_approved",
  pull_request_review_rejected: "pull_request_rejected",
  pull_request_review_comment: "pull_request_comment",
}
export const publicName = (event: string): string => PUBLIC_NAMES[event] ?? event
