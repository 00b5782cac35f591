import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import type { Milestone } from "../../features/planning/milestones/store.ts"
import { icon } from "../../web/icon.ts"
import { dayOf, plural, time } from "../../web/time.ts"

/** How much of a milestone is done, in words and as a bar. */
export function milestoneProgress({ open_issues_count, closed_issues_count }: Milestone): Html {
  const all = open_issues_count + closed_issues_count
  return html`
    <progress value="${closed_issues_count}" max="${Math.max(1, all)}" aria-label="Progress"></progress>
    <span>
      ${
        all === 0
          ? t("No issues yet")
          : html`
            ${Math.floor((100 * closed_issues_count) / all)}% · ${plural(open_issues_count, "open", "open")} ·${" "}
            ${plural(closed_issues_count, "closed", "closed")}
          `
      }
    </span>
  `
}

/** When a milestone is due, or was closed. */
export function milestoneDue({ due_at, is_closed, closed_at }: Milestone, now: number): Html {
  if (is_closed === 1) return html`<span>${icon("check")} Closed ${time(closed_at, now)}</span>`
  if (due_at === 0) return html`<span>No due date</span>`
  return due_at < now
    ? html`<span class="closed">${icon("alert")} Overdue since ${dayOf(due_at)}</span>`
    : html`<span>${icon("calendar")} Due ${dayOf(due_at)}</span>`
}
