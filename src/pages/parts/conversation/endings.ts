import type { OnIssue } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { CloseReason } from "../../../core/database/tables/issues.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { viewWithHidden } from "../../../features/planning/dependencies/present.ts"
import { locateNamed } from "../../../features/planning/dependencies/rules.ts"
import { issueNamed } from "../../../features/planning/issues/named.ts"
import type { Ending } from "../../../features/planning/issues/state.ts"
import { findIssuesByIds } from "../../../features/planning/issues/store.ts"
import type { TimelineEntry } from "../../../features/planning/issues/timeline.ts"
import { icon } from "../../../web/icon.ts"
import type { Closing } from "./around.ts"
import type { ChosenEnding, ConversationCall } from "./call.ts"

/** Why an issue is closed: what is chosen beside the button, and what the timeline says of it. */

const REASONS: readonly (readonly [value: CloseReason, words: Text])[] = [
  ["", t("Completed")],
  ["not_planned", t("Not planned")],
  ["duplicate", t("Duplicate of …")],
]

/** The button that closes an issue, with the reasons. */
export const closeButton = ({ reason = "", duplicate = "" }: ChosenEnding): Html =>
  html`
    <span class="ending">
      <button name="action" value="close">${icon("issue-closed")}Close</button>
      <select name="reason" aria-label="Close as">
        ${REASONS.map(([value, words]) => html`<option value="${value}" ${flagged("selected", value === reason)}>${words}</option>`)}
      </select>
      <input
        name="duplicate"
        aria-label="Duplicate of"
        placeholder="#3"
        value="${duplicate}"
        maxlength="300"
        autocomplete="off"
        dir="auto"
      >
    </span>
  `

/** What was chosen, as it is stored. Refuses as `invalid` an unknown reason, and an issue that is missing, hidden or the closed one itself. */
export async function readEnding(db: Handle, actor: Actor, call: OnIssue, { reason = "", duplicate = "" }: ChosenEnding): Promise<Ending> {
  const [known] = REASONS.find(([value]) => value === reason) ?? []
  if (known === undefined) throw refuse.invalid("reason", "must be one of the options")
  if (known !== "duplicate") return { reason: known, duplicateOf: null }
  const named = issueNamed("duplicate", duplicate, { owner: call.owner.name, repo: call.repository.name })
  const { issue } = await locateNamed(db, actor, named).catch((error: unknown) => {
    throw error instanceof Refusal && error.kind === "notFound" ? refuse.invalid("duplicate", "issue not found") : error
  })
  if (issue.id === call.issue.id) throw refuse.invalid("duplicate", "must be another issue")
  return { reason: known, duplicateOf: issue.id }
}

/** Why the issue was closed, by the entries that say that it was; those that it repeats only where the reader may see them. Nothing is asked where there are none. */
export async function closingsOf(call: ConversationCall, rows: readonly TimelineEntry[]): Promise<ReadonlyMap<number, Closing>> {
  const { db, actor } = call
  const closings = rows.filter(({ close_reason }) => close_reason !== "")
  const ids = [...new Set(closings.flatMap(({ duplicate_of_id }) => duplicate_of_id ?? []))]
  const found = ids.length === 0 ? [] : await viewWithHidden(db, actor, await findIssuesByIds(db, { ids }))
  const shown = new Map(found.flatMap((view) => (view ? [[view.issue.id, view]] : [])))
  return new Map(
    closings.map(({ id, close_reason: reason, duplicate_of_id: other }) => [
      id,
      { reason, duplicateOf: other === null ? undefined : shown.get(other) },
    ]),
  )
}
