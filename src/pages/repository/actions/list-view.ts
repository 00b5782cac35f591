import type { User } from "../../../core/actor.ts"
import { type Content, flagged, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { Run } from "../../../features/actions/runs/store.ts"
import { branchOf, tagOf } from "../../../git/index.ts"
import { withQuery } from "../../../web/address.ts"
import { empty, person, sideNav } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { duration, time } from "../../../web/time.ts"
import { stateIcon } from "../../parts/run-state.ts"

/** The list of runs, and what leads to parts of it. */

/** The words of the filter by status, each with how pages say it. */
export const STATUSES = {
  success: t("Succeeded"),
  failure: t("Failed"),
  in_progress: t("Running"),
  queued: t("Queued"),
  waiting: t("Waiting"),
  cancelled: t("Cancelled"),
  skipped: t("Skipped"),
} as const
export type StatusWord = keyof typeof STATUSES

export interface RunsFilter {
  readonly workflow?: string | undefined
  readonly status?: StatusWord | undefined
  readonly branch?: string | undefined
  readonly actor?: string | undefined
  readonly event?: string | undefined
}

/** What a run is about: a branch, a tag, or a pull request. */
export function refOf(at: string, ref: string): Html {
  const branch = branchOf(ref)
  if (branch !== undefined) return html`<a href="${at}/src/branch/${escapePath(branch)}">${icon("git-branch")} <bdi>${branch}</bdi></a>`
  const tag = tagOf(ref)
  if (tag !== undefined) return html`<a href="${at}/src/tag/${escapePath(tag)}">${icon("tag")} <bdi>${tag}</bdi></a>`
  const pull = /^refs\/pull\/(\d+)\//.exec(ref)?.[1]
  return pull === undefined ? html`<bdi>${ref}</bdi>` : html`<a href="${at}/pulls/${pull}">${icon("git-pull-request")} #${pull}</a>`
}

/** How long something took, or has been going on; nothing before it has begun. */
export const lengthOf = ({ started_at, stopped_at }: { readonly started_at: number; readonly stopped_at: number }, now: number): Content =>
  started_at > 0 && duration((stopped_at || now) - started_at)

export interface RunRow {
  readonly run: Run
  readonly actor: User
}

export const runRows = (at: string, rows: readonly RunRow[], now: number): Html =>
  html`<ul class="rows runs">${rows.map(({ run, actor }) => runRow(at, run, actor, now))}</ul>`

const runRow = (at: string, run: Run, actor: User, now: number): Html =>
  html`
    <li id="run-${run.id}" data-live>
      ${stateIcon(run.state)}
      <div class="main">
        <h2 class="title"><a href="${at}/actions/runs/${run.id}" dir="auto">${run.title || run.workflow}</a></h2>
        <p class="meta">
          <span><bdi>${run.workflow_name || run.workflow}</bdi> #${run.number}: ${run.event} by ${person(actor)}</span>
          ${refOf(at, run.ref)}<a href="${at}/commit/${run.commit_id}"><code>${run.commit_id.slice(0, 10)}</code></a>
        </p>
      </div>
      <span class="muted small nowrap">
        ${time(run.created_at, now)}${run.started_at > 0 && html` · ${lengthOf(run, now)}`}
      </span>
    </li>
  `

/** The workflows of the default branch, and that of the filter. */
export interface ListedWorkflow {
  readonly file: string
  readonly isDisabled: boolean
}

export function workflowNav(url: string, workflows: readonly ListedWorkflow[], current: string | undefined): Html {
  const to = (workflow: string | undefined) => withQuery(url, { workflow })
  return sideNav(t("Workflows"), [
    { href: to(undefined), text: t("All workflows"), icon: "workflow", current: current === undefined },
    ...workflows.map(({ file, isDisabled }) => ({
      href: to(file),
      text: isDisabled ? `${file} (disabled)` : file,
      icon: isDisabled ? ("circle-slash" as const) : ("play" as const),
      current: file === current,
    })),
  ])
}

export const runsFilter = (at: string, { workflow, status, branch, actor, event }: RunsFilter): Html => {
  const text = (name: string, label: Text, value: string | undefined) =>
    html`
      <label>
        <span class="hidden-text">${label}</span>
        <input
          name="${name}"
          value="${value ?? ""}"
          placeholder="${label}"
          maxlength="255"
          autocomplete="off"
          spellcheck="false"
        >
      </label>
    `
  return html`
    <form class="runs-filter" role="search" aria-label="Runs" action="${at}/actions">
      ${workflow !== undefined && html`<input type="hidden" name="workflow" value="${workflow}">`}
      <label>
        <span class="hidden-text">Status</span>
        <select name="status">
          <option value="">Any status</option>
          ${Object.entries(STATUSES).map(
            ([word, name]) => html`<option value="${word}" ${flagged("selected", word === status)}>${name}</option>`,
          )}
        </select>
      </label>
      ${text("branch", t("Branch"), branch)}${text("event", t("Event"), event)}${text("actor", t("Actor"), actor)}
      <button>${icon("filter")} Filter</button>
    </form>
  `
}

interface NoRuns {
  readonly hasWorkflows: boolean
  readonly isFiltered: boolean
  /** Whether the list is that of one workflow. */
  readonly isOne: boolean
}

/** Where there is no run: why, and what makes one. */
export function noRuns(at: string, { hasWorkflows, isFiltered, isOne }: NoRuns): Html {
  if (isFiltered)
    return empty(
      "workflow",
      t("No runs found"),
      t("Try another filter."),
      html`<a class="button" href="${at}/actions">${icon("workflow")} All runs</a>`,
    )
  if (isOne) return empty("workflow", t("This workflow has no runs yet"), t("It runs on the events in its “on”, such as the next push."))
  if (hasWorkflows)
    return empty("workflow", t("No workflow runs yet"), t("Workflows run on the events in their “on”, such as the next push."))
  return html`
    ${empty("workflow", t("No workflows yet"), t("A workflow is a file that defines what to run, and on which events."))}
    <section class="card">
      <div class="inside stack tight">
        <h2>Create a workflow</h2>
        <p>Commit this as <code>.gitea/workflows/check.yml</code>:</p>
        <div class="prose"><pre tabindex="0"><code>${FIRST_WORKFLOW}</code></pre></div>
        <h2>Register a runner</h2>
        <p>
          On the server, <code>hearth runner register-token</code> prints a token. On the machine that will run jobs:
        </p>
        <div class="prose"><pre class="wrapped" tabindex="0"><code>${FIRST_RUNNER}</code></pre></div>
      </div>
    </section>
  `
}

const FIRST_WORKFLOW = `on: push
jobs:
  check:
    runs-on: host
    steps:
      - run: echo "it works"`

const FIRST_RUNNER = `act_runner register --no-interactive --instance ADDRESS --token TOKEN --labels host:host
act_runner daemon`

export const workflowBadge = (at: string, workflow: string): Html =>
  html`
    <img src="${at}/actions/workflows/${encodeURIComponent(workflow)}/badge.svg" alt="State of ${workflow}" height="20">${" "}
    <code class="small">${at}/actions/workflows/${encodeURIComponent(workflow)}/badge.svg</code>
  `
