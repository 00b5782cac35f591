import { mayTrackByStopwatch } from "../../../access/policies/tracking.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { findTimeSpent } from "../../../features/planning/issues/beside-store.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { duration, time } from "../../../web/time.ts"

import { opened, type Side, sideSection } from "./side-section.ts"

/** The time that an issue took. */

type Spent = Awaited<ReturnType<typeof findTimeSpent>>

export function timeSection(side: Side, spent: Spent): Content {
  const { call, choices } = side
  const { books, times, running, writes } = choices
  const isTimed = writes && mayTrackByStopwatch(call, call.issue)
  if (spent.length === 0 && call.issue.time_estimate === 0 && !books && !isTimed) return undefined
  const total = spent.reduce((sum, { seconds }) => sum + Number(seconds), 0)
  return sideSection(t("Time tracking"), (total > 0 || call.issue.time_estimate > 0) && spentView(spent, total, call.issue.time_estimate), {
    change: html`
        ${isTimed && timerButtons(side, running)}${books && timesView(side, times)}
      `,
  })
}

const spentView = (spent: Spent, total: number, estimate: number): Html =>
  html`
    <p>
      ${icon("stopwatch")} ${duration(total)}
      ${estimate > 0 && html` of ${duration(estimate)} estimated`}
    </p>
    ${
      spent.length > 1 &&
      html`
        <ul class="plain small">
          ${spent.map(
            ({ name, seconds }) => html`<li><bdi>${name ?? t("Ghost")}</bdi> <span class="muted">${duration(Number(seconds))}</span></li>`,
          )}
        </ul>
      `
    }
  `

const timerButtons = ({ call, forms }: Side, running: number | undefined): Html =>
  running === undefined
    ? formButton(forms.startTimer, call.path, html`${icon("stopwatch")}Start timer`)
    : html`
      <p class="small">Your timer has been running since ${time(running, call.services.now())}.</p>
      <div class="bar">
        ${formButton(forms.stopTimer, call.path, t("Stop"))}${formButton(forms.cancelTimer, call.path, t("Discard"))}
      </div>
    `

const timesView = ({ call, forms }: Side, times: Side["choices"]["times"]): Html =>
  opened(
    call,
    forms.addTime,
    t("Add time"),
    html`
      ${formView(forms.addTime, {
        path: call.path,
        draft: call.draft,
        submit: t("Add"),
        look: "small",
        fields: [{ kind: "line", name: "time", label: t("Time"), placeholder: "1h 30m", required: true }],
      })}
      ${
        times.length > 0 &&
        html`
          <h3>Your tracked time</h3>
          <ul class="plain small">
            ${times.map(
              ({ id, seconds, created_at }) =>
                html`
                  <li class="bar">
                    ${duration(seconds)} <span class="muted">${time(created_at, call.services.now())}</span>
                    ${formButton(
                      forms.deleteTime,
                      { ...call.path, id: String(id) },
                      icon("trash", t("Delete {time}", { time: duration(seconds) })),
                    )}
                  </li>
                `,
            )}
          </ul>
        `
      }
    `,
  )
