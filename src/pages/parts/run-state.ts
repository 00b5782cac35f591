import type { ActionState } from "../../core/database/tables/actions.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { state } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"

/** States of runs, jobs and steps as pages show them. */

export interface StateLook {
  readonly tone: string
  readonly icon: IconName
  readonly text: Text
}

const LOOKS: Readonly<Record<ActionState, StateLook>> = {
  blocked: { tone: "waiting", icon: "hourglass", text: t("Waiting") },
  waiting: { tone: "waiting", icon: "clock", text: t("Queued") },
  running: { tone: "running", icon: "sync", text: t("Running") },
  cancelling: { tone: "running", icon: "stop", text: t("Being cancelled") },
  success: { tone: "success", icon: "check-circle-fill", text: t("Succeeded") },
  failure: { tone: "failure", icon: "x-circle-fill", text: t("Failed") },
  cancelled: { tone: "cancelled", icon: "stop", text: t("Cancelled") },
  skipped: { tone: "skipped", icon: "skip", text: t("Skipped") },
}

export const lookOf = (of: ActionState): StateLook => LOOKS[of]

/** The icon alone, for lists. */
export const stateIcon = (of: ActionState): Html =>
  html`<span class="state ${LOOKS[of].tone}">${icon(LOOKS[of].icon, LOOKS[of].text)}</span>`

export const stateBadge = (of: ActionState): Html => state(LOOKS[of].tone, LOOKS[of].icon, LOOKS[of].text, true)
