import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { readWords } from "../../../core/language/stored.ts"
import { secondsOf } from "../../../core/record.ts"
import { numbersOf } from "../../../features/review/queue/numbers.ts"
import type { MergeQueue, MergeQueueEntry, MergeQueueTrial } from "../../../features/review/queue/records.ts"
import type { Trial } from "../../../features/review/queue/store.ts"
import { state } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { IconName } from "../../../web/icon-names.ts"
import { number, time } from "../../../web/time.ts"

/** The parts of the page of a merge queue. */

const LOOKS: Readonly<Record<MergeQueueTrial["state"], readonly [tone: string, icon: IconName, text: Text]>> = {
  building: ["waiting", "hourglass", t("Being built")],
  testing: ["running", "sync", t("Being tested")],
  passed: ["success", "check-circle-fill", t("Passed")],
  landed: ["merged", "git-merge", t("Landed")],
  failed: ["failure", "x-circle-fill", t("Failed|trial")],
  dropped: ["cancelled", "stop", t("Given up")],
}

const pulls = (at: string, numbers: readonly number[]): Content =>
  numbers.map((each, index) => html`${index > 0 && ", "}<a href="${at}/pulls/${each}">#${each}</a>`)

const commit = (at: string, id: string): Html => html`<a class="mono" href="${at}/commit/${id}">${id.slice(0, 10)}</a>`

/** What is tested now, and what it waits for. */
export function trialPart(at: string, { trial, waiting_for: lacking }: MergeQueue): Content {
  if (!trial) return undefined
  return html`
    <h2>Tested now</h2>
    <div class="card">
      <div class="inside stack tight">
        <p>${badge(trial)} ${pulls(at, trial.pull_requests)} as ${commit(at, trial.head_sha)}, on ${commit(at, trial.base_sha)}</p>
        ${
          lacking.length > 0 &&
          html`
            <p class="muted small">
              Waiting for required checks: ${lacking.map((glob) => html`<code><bdi>${glob}</bdi></code> `)}
            </p>
          `
        }
      </div>
    </div>
  `
}

const badge = (trial: Pick<Trial, "state">): Html => {
  const [tone, name, text] = LOOKS[trial.state]
  return state(tone, name, text, true)
}

export const entryRow = (at: string, entry: MergeQueueEntry, now: number): Html =>
  html`
    <li id="queued-${entry.number}">
      <span class="muted">${number(entry.position)}</span>
      <div class="main">
        <h2 class="title"><a href="${at}/pulls/${entry.number}" dir="auto">${entry.title}</a></h2>
        <div class="meta">
          <span>#${entry.number}</span>
          <span><bdi>${entry.user.login}</bdi> lined it up ${time(secondsOf(entry.queued_at) ?? 0, now)}</span>
          ${entry.priority !== 0 && html`<span>Priority ${entry.priority}</span>`}
        </div>
      </div>
      ${entry.is_tested && html`<span class="running">${icon("sync", t("Being tested"))}</span>`}
    </li>
  `

/** How the last trials ended, and why. */
export const recentPart = (at: string, trials: readonly Trial[], now: number): Content =>
  trials.length > 0 &&
  html`
    <h2>Recently</h2>
    <ul class="rows">
      ${trials.map(
        (trial) =>
          html`
            <li id="trial-${trial.id}">
              <div class="main">
                <p>${badge(trial)} ${pulls(at, numbersOf(trial))} as ${commit(at, trial.commit_id)}</p>
                <p class="meta">
                  ${trial.reason !== "" && html`<span dir="auto" class="break">${readWords(trial.reason)}</span>`}
                  <span>${time(trial.ended_at, now)}</span>
                </p>
              </div>
            </li>
          `,
      )}
    </ul>
  `
