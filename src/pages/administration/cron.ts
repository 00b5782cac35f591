import { siteAdministrator } from "../../access/policies/site.ts"
import { form } from "../../core/forms/form.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { administrationOperations } from "../../features/site/administration/operations.ts"
import { findFailedJobs } from "../../features/site/administration/store.ts"
import { ADMINISTRATION_PATH, administrationPage } from "../../web/administration.ts"
import { empty, state, table } from "../../web/components.ts"
import { formButton } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { plural, time } from "../../web/time.ts"
import { adviceFor, jobName, subjectsOf } from "./job-words.ts"

/** What runs in the background. */

const TASK_STATES: Readonly<Record<string, Html>> = {
  running: state("running", "dot-fill", t("Running")),
  ok: state("success", "check", t("Done")),
  failed: state("error", "x", t("Failed")),
  interrupted: state("neutral", "stop", t("Interrupted")),
}

const JOBS_PATH = `${ADMINISTRATION_PATH}/monitor/cron` as const

const jobsPage: Page = page({
  id: "admin.jobs",
  address: `GET ${JOBS_PATH}`,
  access: siteAdministrator,
  changesWithTime: true,
  answer: async ({ services, db }) => {
    const now = services.now()
    const counts = await services.jobs.counts()
    const failed = await findFailedJobs(db)
    const subjectOf = await subjectsOf(db, failed)
    const tasks = await services.jobs.tasks.list()
    return administrationPage({
      part: "jobs",
      title: t("Jobs and schedule"),
      body: html`
        <h1>Jobs and schedule</h1>
        <h2 id="jobs">Jobs</h2>
        ${
          counts.length === 0
            ? empty(
                "check-circle",
                t("No jobs waiting"),
                t("Mails, webhook deliveries and other background work that is waiting or has failed is listed here."),
              )
            : table(t("Jobs"), [t("Kind"), t("State"), { number: t("Jobs") }], counts.map(countRow))
        }
        ${
          failed.length > 0 &&
          html`
            <h3>Last failure</h3>
            <ul class="rows card">${failed.map((each) => failedRow(each, subjectOf(each.payload), now))}</ul>
          `
        }
        <h2 id="schedule">Schedule</h2>
        <p class="muted">Times are in UTC. Tasks without a time run only on request.</p>
        <ul class="rows card">${tasks.map((task) => taskRow(task, now))}</ul>
      `,
    })
  },
})

const run = form({
  id: "admin.jobs.run",
  address: `POST ${JOBS_PATH}/{task}`,
  does: named(administrationOperations, "adminCronRun"),
  on: jobsPage,
  done: t("Task queued. The time of its last run shows when it has started."),
})

const countRow = (each: Awaited<ReturnType<Services["jobs"]["counts"]>>[number]): Html =>
  html`
    <tr>
      <th scope="row">${jobName(each.kind)} <code class="small muted">${each.kind}</code></th>
      <td>${each.state}</td>
      <td class="number">${each.count}</td>
    </tr>
  `

const failedRow = (each: Awaited<ReturnType<typeof findFailedJobs>>[number], subject: Content, now: number): Html =>
  html`
    <li>
      <span class="failure">${icon("x", t("Failed"))}</span>
      <div class="main">
        <h4 class="title">${jobName(each.kind)}${subject && html`: ${subject}`}</h4>
        <p class="break" dir="auto">${each.last_error.slice(0, 500)}</p>
        <p class="inline-links">${adviceFor(each.kind)}</p>
        <p class="meta">
          <span><code>${each.kind}</code> #${each.id}</span>
          <span>${plural(each.attempts, "attempt")}</span>
          <span>${time(each.finished_at, now)}</span>
        </p>
      </div>
    </li>
  `

const taskRow = (task: Awaited<ReturnType<Services["jobs"]["tasks"]["list"]>>[number], now: number): Html =>
  html`
    <li>
      ${icon("clock")}
      <div class="main">
        <h3 class="title"><code>${task.name}</code></h3>
        <p class="meta">
          <span>${task.cron === undefined ? t("on request") : html`<code>${task.cron}</code>`}</span>
          ${task.lastRunAt > 0 && html`<span>${TASK_STATES[task.lastStatus]} ${time(task.lastRunAt, now)}</span>`}
          ${task.nextRunAt > 0 && html`<span>next ${time(task.nextRunAt, now)}</span>`}
        </p>
        ${task.lastMessage !== "" && html`<p class="muted small break">${task.lastMessage}</p>`}
      </div>
      ${formButton(run, { task: task.name }, html`Run now<span class="hidden-text">: ${task.name}</span>`)}
    </li>
  `

export const jobPages: readonly Page[] = [jobsPage, run]
