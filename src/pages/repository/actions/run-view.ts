import type { User } from "../../../core/actor.ts"
import { attribute, type Content, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { isExpired } from "../../../features/actions/artifacts/artifacts.ts"
import type { Artifact } from "../../../features/actions/artifacts/store.ts"
import { neededBy } from "../../../features/actions/runs/needs.ts"
import { isDone } from "../../../features/actions/runs/status.ts"
import type { Attempt, Job, Run } from "../../../features/actions/runs/store.ts"
import { buttonForm, choices, notice, person } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { bytes, plural, time } from "../../../web/time.ts"
import { stateBadge, stateIcon } from "../../parts/run-state.ts"
import { lengthOf, refOf } from "./list-view.ts"
import type { Waiting } from "./waiting.ts"

/** A run: its state, jobs and what they have left. */

export interface ShownRun {
  /** The path of the repository. */
  readonly at: string
  readonly run: Run
  readonly now: number
  /** What is said of a job that waits. */
  readonly waiting: Waiting
}

export const runPath = ({ at, run }: Pick<ShownRun, "at" | "run">): string => `${at}/actions/runs/${run.id}`

/** The file of the workflow as it was for the run. */
export const workflowFile = ({ at, run }: Pick<ShownRun, "at" | "run">): string =>
  `${at}/src/commit/${run.commit_id}/${escapePath(`${run.workflow_folder}/${run.workflow}`)}`

export interface ShownAttempt {
  readonly attempt: Attempt
  readonly actor: User
}

/** The heading of a run, with what the reader may do with it. */
export function runHeader(shown: ShownRun, { attempt, actor }: ShownAttempt, isLast: boolean, mayWrite: boolean): Html {
  const { at, run, now } = shown
  return html`
    <div class="bar run-head">
      <h1 dir="auto">${run.title || run.workflow} <span class="muted">#${run.number}</span></h1>
      <span data-state="run">${stateBadge(attempt.state)}</span>
      ${isLast && mayWrite && html`<span class="bar end">${runForms(shown)}</span>`}
    </div>
    <p class="meta">
      <span><bdi>${run.workflow_name || run.workflow}</bdi></span>
      <span>${run.event} by ${person(actor)} ${time(attempt.created_at, now)}</span>${refOf(at, run.ref)}
      <a href="${at}/commit/${run.commit_id}">${icon("git-commit")} <code>${run.commit_id.slice(0, 10)}</code></a>
      ${run.workflow_folder !== "" && html`<a href="${workflowFile(shown)}">${icon("file-code")} Workflow file</a>`}
      ${attempt.started_at > 0 && html`<span>${icon("stopwatch")} ${lengthOf(attempt, now)}</span>`}
    </p>
  `
}

function runForms(shown: ShownRun): Content {
  const { run } = shown
  const here = runPath(shown)
  if (isDone(run.state))
    return [
      (run.state === "failure" || run.state === "cancelled") &&
        run.error === "" &&
        buttonForm(`${here}/rerun-failed`, html`${icon("redo")} Re-run failed jobs`),
      buttonForm(`${here}/rerun`, html`${icon("sync")} Re-run all jobs`),
    ]
  return [
    run.needs_approval === 1 && buttonForm(`${here}/approve`, html`${icon("check")} Approve`, {}, "small primary"),
    buttonForm(`${here}/cancel`, html`${icon("stop")} Cancel`, {}, "small danger"),
  ]
}

/** The attempts of a run, where there are several. */
export const attemptChoices = (shown: ShownRun, attempts: readonly number[], current: number): Content =>
  attempts.length > 1 &&
  choices(
    t("Attempts"),
    attempts.map((number) => ({
      href: number === shown.run.attempt ? runPath(shown) : `${runPath(shown)}/attempts/${number}`,
      text: t("Attempt {number}", { number }),
      current: number === current,
    })),
  )

/** What kept the run from starting, with the line of the file where that is known. */
export function mistake(shown: ShownRun): Content {
  const { run } = shown
  if (run.error === "") return undefined
  const line = /\bline (\d+)/.exec(run.error)?.[1]
  const file = `${run.workflow_folder}/${run.workflow}`
  return notice(
    "bad",
    html`
      <p>
        <strong>The workflow could not be run.</strong>${" "}
        <a href="${workflowFile(shown)}${line && `#L${line}`}"><code>${file}</code></a>
      </p>
      <p class="break">${run.error}</p>
    `,
  )
}

export const approvalNotice = ({ run }: ShownRun, mayWrite: boolean): Content =>
  run.needs_approval === 1 &&
  !isDone(run.state) &&
  notice(
    "warn",
    html`
      This run is from a fork. Someone with write access has to approve it.${
        mayWrite && t(" Review the changes first: its jobs run their code.")
      }
    `,
  )

/** Jobs in the order in which they can start: each column needs something of those before it. */
export function jobsGraph(shown: ShownRun, jobs: readonly Job[]): Html {
  if (jobs.length === 0) return html`<p class="muted">This run has no jobs.</p>`
  const depths = depthsOf(jobs)
  const top = jobs.filter(({ parent_id }) => !jobs.some(({ id }) => id === parent_id))
  const columns = Map.groupBy(top, ({ id }) => depths.get(id) ?? 0)
  const ofParent = Map.groupBy(jobs, ({ parent_id }) => parent_id)
  return html`
    <ol class="stages" aria-label="Jobs in their order">
      ${[...columns]
        .toSorted(([one], [other]) => one - other)
        .map(
          ([, column]) => html`
            <li>
              <ul class="rows">${column.map((job) => jobRow(shown, jobs, job, ofParent.get(job.id) ?? []))}</ul>
            </li>
          `,
        )}
    </ol>
  `
}

function jobRow(shown: ShownRun, jobs: readonly Job[], job: Job, called: readonly Job[]): Html {
  const needs = [...new Set(neededBy(jobs, job).map(({ key }) => key))]
  return html`
    <li>
      <span data-state="${job.id}">${stateIcon(job.state)}</span>
      <div class="main">
        <a class="strong" href="${runPath(shown)}/jobs/${job.id}"><bdi>${job.name}</bdi></a>
        ${needs.length > 0 && html`<span class="muted small">needs <bdi>${needs.join(", ")}</bdi></span>`}
        ${job.error !== "" && html`<span class="failure small break">${job.error}</span>`}${shown.waiting(job)}
        ${called.length > 0 && html`<ul class="plain called">${called.map((each) => jobRow(shown, jobs, each, []))}</ul>`}
      </div>
      ${job.started_at > 0 && html`<span class="muted small nowrap">${lengthOf(job, shown.now)}</span>`}
    </li>
  `
}

/** How many jobs must end one after the other before each. What is circular, which no workflow is, ends. */
function depthsOf(jobs: readonly Job[]): ReadonlyMap<number, number> {
  const depths = new Map<number, number>()
  const depthOf = (job: Job): number => {
    const known = depths.get(job.id)
    if (known !== undefined) return known
    depths.set(job.id, 0)
    const depth = Math.max(-1, ...neededBy(jobs, job).map(depthOf)) + 1
    depths.set(job.id, depth)
    return depth
  }
  for (const job of jobs) depthOf(job)
  return depths
}

export function artifactList(shown: ShownRun, artifacts: readonly Artifact[], total: number): Content {
  if (total === 0) return undefined
  return html`
    <section class="stack tight">
      <h2>${plural(total, "artifact")}</h2>
      <ul class="rows">
        ${artifacts.map((artifact) => {
          const isGone = artifact.file === "" || isExpired(artifact, shown.now)
          const attempt = artifact.attempt !== shown.run.attempt && `?attempt=${artifact.attempt}`
          return html`
            <li>
              ${icon(isGone ? "archive" : "package")}
              <div class="main">
                ${
                  isGone
                    ? html`<span class="muted"><bdi>${artifact.name}</bdi> (expired)</span>`
                    : html`
                      <a
                        class="strong"
                        href="${runPath(shown)}/artifacts/${encodeURIComponent(artifact.name)}${attempt}"
                        rel="nofollow"
                      >
                        <bdi>${artifact.name}</bdi>
                      </a>
                    `
                }
              </div>
              <span class="muted small">
                ${bytes(artifact.size)}${!isGone && html` · until ${time(artifact.expires_at, shown.now)}`}
              </span>
            </li>
          `
        })}
      </ul>
      ${total > artifacts.length && html`<p class="muted small">The newest ${artifacts.length} of them.</p>`}
    </section>
  `
}

export interface ShownSummary {
  readonly job: Job
  readonly texts: readonly Html[]
}

export const summaryList = (summaries: readonly ShownSummary[]): Content =>
  summaries.map(
    ({ job, texts: shown }) =>
      html`
        <section class="card" ${attribute("id", `summary-${job.id}`)}>
          <header class="head">
            <h2><bdi>${job.name}</bdi></h2>
          </header>
          <div class="inside stack">${shown}</div>
        </section>
      `,
  )
