import { type Html, html } from "../../core/html.ts"
import type { Milestone } from "../../features/planning/milestones/records.ts"
import { icon } from "../../web/icon.ts"
import { dayOf, plural, timeOf } from "../../web/time.ts"

/** How much of a milestone is done, in words and as a bar. */
export function milestoneProgress({ open_issues, closed_issues }: Milestone): Html {
  const all = open_issues + closed_issues
  return html`
    <progress value="${closed_issues}" max="${Math.max(1, all)}" aria-label="Progress"></progress>
    <span>
      ${
        all === 0
          ? "Nothing in it yet"
          : html`
            ${Math.floor((100 * closed_issues) / all)} % · ${plural(open_issues, "open", "open")} ·${" "}
            ${plural(closed_issues, "closed", "closed")}
          `
      }
    </span>
  `
}

/** When a milestone is due, or was closed. */
export function milestoneDue({ due_on, state, closed_at }: Milestone, now: number): Html {
  if (state === "closed") return html`<span>${icon("check")} Closed ${timeOf(closed_at, now)}</span>`
  if (due_on === null) return html`<span>No due date</span>`
  const at = Date.parse(due_on) / 1000
  return at < now
    ? html`<span class="closed">${icon("alert")} Overdue since ${dayOf(at)}</span>`
    : html`<span>${icon("calendar")} Due ${dayOf(at)}</span>`
}
