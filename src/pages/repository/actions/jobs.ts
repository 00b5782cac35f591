import { refuse } from "../../../core/errors.ts"
import { attribute, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, numberIn, type Page, page, type Shown, sentEvents, sentFile } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { hasLog, logDownload } from "../../../features/actions/runs/logs.ts"
import { isDone } from "../../../features/actions/runs/status.ts"
import { findJob, findJobsOfAttempt, findRunnerNames, type Job, type Run } from "../../../features/actions/runs/store.ts"
import { findShownTask, findSteps, type ShownTask } from "../../../features/actions/runs/tasks-store.ts"
import { repositoryPath } from "../../../web/address.ts"
import { buttonForm, notice, sideNav } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { lookOf, stateBadge } from "../../parts/run-state.ts"
import { repositoryPage } from "../frame.ts"
import { lengthOf } from "./list-view.ts"
import { jobEvents } from "./live.ts"
import { findLines, linesOf, readLines } from "./log-parts.ts"
import { drawPart, layOutLog, logTools, matchList, wantedOf } from "./log-view.ts"
import { runPath, type ShownRun, workflowFile } from "./run-view.ts"
import { mayWrite, type OnActions, reads, reloadLink, requireRun, rerunForm } from "./runs.ts"
import { type Waiting, waitingOf } from "./waiting.ts"

/** Jobs of runs, and their logs, also while they are written. */

async function requireJob({ db, repository }: OnActions, run: Run, id: number): Promise<Job> {
  const job = await findJob.first(db, { repositoryId: repository.id, id })
  if (job?.run_id !== run.id) throw refuse.notFound()
  return job
}

const LOG_QUERY = {
  step: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  from: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  q: Type.Optional(Type.String({ maxLength: 200 })),
  times: Type.Optional(Type.Boolean()),
} as const

const MATCHES_SHOWN = 200

const doneAs = ({ id, original_id }: Job): number => original_id || id

async function logOf(
  call: OnActions,
  job: Job,
  task: ShownTask | undefined,
  asked: Parameters<typeof layOutLog>[3],
  { url, waiting }: { readonly url: string; readonly waiting: Waiting },
): Promise<Html> {
  const { services, db, repository } = call
  if (!task)
    return job.error === ""
      ? html`
        <p class="muted">
          ${isDone(job.state) ? t("No runner has picked up this job.") : t("The log is shown once a runner has picked up this job.")}
        </p>
        <p>
          ${waiting(job)}
        </p>
      `
      : notice("bad", html`<span class="break">${job.error}</span>`)
  if (task.log_expired === 1) return html`<p class="muted">The log of this job has expired.</p>`
  const steps = await findSteps(db, { jobIds: [doneAs(job)] })
  const parts = layOutLog(task, steps, isDone(job.state), asked)
  const source = { storage: repository.storage, task }
  if (asked.q) return matchList(parts, await findLines(services, source, asked.q, MATCHES_SHOWN), asked.q, url)
  const lines = await readLines(services, source, wantedOf(parts))
  return html`
    <div class="log">
      ${parts.map((part) => drawPart(part, lines, { url, now: services.now(), withTimes: asked.times === true }))}
    </div>
  `
}

async function jobPage(call: OnActions, run: Run, job: Job, asked: Parameters<typeof layOutLog>[3], url: string): Promise<Shown> {
  const { services, db } = call
  const waiting = await waitingOf(call, [job])
  const shown: ShownRun = { at: repositoryPath(call), run, now: services.now(), waiting }
  const here = `${runPath(shown)}/jobs/${job.id}`
  const task = await findShownTask.first(db, { jobId: doneAs(job) })
  const jobs = await findJobsOfAttempt(db, { runId: run.id, attempt: job.attempt })
  const [runner] = job.runner_id === 0 ? [] : await findRunnerNames(db, { ids: [job.runner_id] })
  const isLive = job.attempt === run.attempt && !isDone(job.state) && !asked.q
  const isCallingOthers = jobs.some(({ parent_id }) => parent_id === job.id)
  const events = `${here}/events?task=${task?.id ?? 0}&from=${task ? linesOf(task) : 0}`
  return repositoryPage(call, {
    tab: "actions",
    title: `${job.name} · ${run.title || run.workflow} #${run.number}`,
    modules: isLive ? ["log"] : [],
    body: html`
      <p class="small">
        <a href="${job.attempt === run.attempt ? runPath(shown) : `${runPath(shown)}/attempts/${job.attempt}`}">
          ${icon("arrow-left")} <bdi>${run.title || run.workflow}</bdi> #${run.number}
        </a>
      </p>
      ${jobHead(call, run, job, here)}
      <p class="meta" data-fresh="meta">
        ${runner && html`<span>${icon("server")} <bdi>${runner.name}</bdi></span>`}
        ${job.started_at > 0 && html`<span>${icon("stopwatch")} ${lengthOf(job, shown.now)}</span>`}
        <a href="${workflowFile(shown)}">${icon("file-code")} Workflow file</a>
      </p>
      <div class="columns start">
        <aside data-fresh="jobs">
          ${sideNav(
            t("Jobs of this run"),
            jobs.map(({ id, name, state }) => ({
              href: `${runPath(shown)}/jobs/${id}`,
              text: name,
              icon: lookOf(state).icon,
              current: id === job.id,
            })),
          )}
        </aside>
        <div
          class="stack tight"
          ${isLive && html`data-live="${events}" data-run="${runPath(shown)}/events" ${attribute("data-times", asked.times === true)}`}
        >
          ${
            isCallingOthers
              ? html`<p class="muted">This job calls a workflow; its jobs have the logs.</p>`
              : html`
                ${task && logTools(url, here, asked, hasLog(task))}
                ${isLive && reloadLink(here)}${await logOf(call, job, task, asked, { url, waiting })}
              `
          }
        </div>
      </div>
    `,
  })
}

const jobHead = (call: OnActions, run: Run, job: Job, here: string): Html =>
  html`
    <div class="bar run-head" data-fresh="head">
      <h1><bdi>${job.name}</bdi></h1>
      <span data-state="job">${stateBadge(job.state)}</span>
      ${
        isDone(run.state) &&
        job.attempt === run.attempt &&
        mayWrite(call) &&
        html`<span class="end">${buttonForm(`${here}/rerun`, html`${icon("redo")} Re-run`)}</span>`
      }
    </div>
  `

export const jobPages: readonly Page[] = [
  page({
    id: "actions.job",
    address: "GET /{owner}/{repo}/actions/runs/{run}/jobs/{job_id}",
    access: reads,
    query: LOG_QUERY,
    answer: async (call) => {
      const run = await requireRun(call, numberIn(call.path, "run"))
      return jobPage(call, run, await requireJob(call, run, numberIn(call.path, "job_id")), call.query, call.reader.url)
    },
  }),

  page({
    id: "actions.log",
    address: "GET /{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/logs",
    access: reads,
    changesWithTime: true,
    answer: async (call) => {
      const run = await requireRun(call, numberIn(call.path, "run"))
      return sentFile(await logDownload(call.services, call.repository, await requireJob(call, run, numberIn(call.path, "job_id"))))
    },
  }),

  // The address of other forges.
  page({
    id: "actions.logOfJob",
    address: "GET /{owner}/{repo}/actions/jobs/{job_id}/logs",
    access: reads,
    answer: async (call) => {
      const job = await findJob.first(call.db, { repositoryId: call.repository.id, id: numberIn(call.path, "job_id") })
      if (!job) throw refuse.notFound()
      return moved(`${repositoryPath(call)}/actions/runs/${job.run_id}/jobs/${job.id}/logs`, { status: 302 })
    },
  }),

  page({
    id: "actions.jobEvents",
    address: "GET /{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/events",
    access: reads,
    query: {
      task: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
      from: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
    },
    changesWithTime: true,
    answer: async (call) => {
      const { services, db, query: asked } = call
      const run = await requireRun(call, numberIn(call.path, "run"))
      const job = await requireJob(call, run, numberIn(call.path, "job_id"))
      // A page may only follow the log of its own job; where it shows another one it is to be loaded again.
      const task = await findShownTask.first(db, { jobId: doneAs(job) })
      const taskId = task && task.id === asked.task ? task.id : 0
      return sentEvents((signal) => jobEvents(services, { runId: run.id, jobId: job.id, taskId, from: asked.from ?? 0 }, signal))
    },
  }),

  rerunForm(
    "actions.rerunJob",
    "POST /{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun",
    (path) => ({ of: "job", jobId: numberIn(path, "job_id") }),
    t("Job restarted."),
  ),
]
