import { Mode } from "../../../access/modes.ts"
import { unitModeOrAdmin } from "../../../access/permission.ts"
import { type OnRepository, onRepositoryUnit, onRepositoryUnitRead, requireUnarchived } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import type { Request } from "../../../core/operation.ts"
import { type Draft, moved, numberIn, type Page, page, type Shown, sentEvents, sentFile } from "../../../core/page.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { linkQuery, requireContent } from "../../../features/actions/artifacts/artifacts.ts"
import { findArtifacts } from "../../../features/actions/artifacts/store.ts"
import { findWorkflowFiles } from "../../../features/actions/definitions/files.ts"
import { disabledWorkflows } from "../../../features/actions/definitions/store.ts"
import { logDownload } from "../../../features/actions/runs/logs.ts"
import { type RerunSelection, rerun } from "../../../features/actions/runs/rerun.ts"
import { approveRun, cancelRun } from "../../../features/actions/runs/rules.ts"
import { isDone, statesNamed } from "../../../features/actions/runs/status.ts"
import {
  findAttempt,
  findAttempts,
  findJob,
  findJobsOfAttempt,
  findRun,
  findRunnerNames,
  findRuns,
  type Job,
  type Run,
} from "../../../features/actions/runs/store.ts"
import { readSummaries } from "../../../features/actions/runs/summaries.ts"
import { findShownTask, findSteps, type ShownTask } from "../../../features/actions/runs/tasks-store.ts"
import { findWorkflowAt } from "../../../features/actions/triggers/dispatch.ts"
import { findBranches } from "../../../features/code/branches/store.ts"
import { resolveRevision } from "../../../features/code/commits/revision.ts"
import { usersById } from "../../../features/code/repositories/store.ts"
import { listTags } from "../../../features/code/tags/store.ts"
import { presentUserPlainly, standIn } from "../../../features/people/users/present.ts"
import { branchRef } from "../../../git/index.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { buttonForm, notice, pager, sideNav } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import { problem } from "../../../web/problem.ts"
import { lookOf, stateBadge } from "../../parts/run-state.ts"
import { renderText } from "../../parts/texts.ts"
import { repositoryPage } from "../frame.ts"
import { byHand, disableForm, dispatchForm, enableForm, switchButton } from "./by-hand.ts"
import {
  type ListedWorkflow,
  lengthOf,
  noRuns,
  runRows,
  runsFilter,
  STATUSES,
  type StatusWord,
  workflowBadge,
  workflowNav,
} from "./list-view.ts"
import { jobEvents, runEvents } from "./live.ts"
import { findLines, linesOf, readLines } from "./log-parts.ts"
import { drawPart, foundLines, layOutLog, logTools, wantedOf } from "./log-view.ts"
import {
  approvalNotice,
  artifactList,
  attemptChoices,
  jobsGraph,
  mistake,
  type RunPlace,
  runHeader,
  runPath,
  type ShownSummary,
  summaryList,
  waitingFor,
  workflowFile,
} from "./run-view.ts"

/** Runs of workflows: their list, each with its jobs, and the logs of these, also while they are written. */

const reads = onRepositoryUnitRead("actions")
const writes = onRepositoryUnit("actions", "write")

type Call = OnRepository & Pick<Request, "services" | "db" | "actor">

const mayWrite = ({ actor, permission, repository }: Call): boolean =>
  actor.kind === "user" && repository.is_archived === 0 && unitModeOrAdmin(permission, repository, "repo.actions") >= Mode.write

const isStatus = (word: string): word is StatusWord => Object.hasOwn(STATUSES, word)
const STATUS_WORDS = Object.keys(STATUSES).filter(isStatus)

/** The files of the default branch that are workflows. */
async function workflowsOf({ services, db, repository: row }: Call): Promise<readonly ListedWorkflow[]> {
  const { git } = services
  const revision = await resolveRevision(git, row, undefined)
  if (!revision) return []
  const files = await findWorkflowFiles(git, git.at(row.storage, row.object_format), revision.commit.tree)
  const disabled = await disabledWorkflows(db, row.id)
  return files.map(({ name }) => ({ file: name, isDisabled: disabled.has(name) }))
}

async function peopleOf({ services, db }: Call, ids: readonly number[]) {
  const users = await usersById(db, ids)
  return (id: number) => presentUserPlainly(services.site, users.get(id) ?? standIn(id), false)
}

// --- runs ------------------------------------------------------------------------------------------------------------------------

async function requireRun({ db, repository }: Call, id: number): Promise<Run> {
  const run = await findRun.first(db, { repositoryId: repository.id, id })
  if (!run) throw refuse.notFound()
  return run
}

const ARTIFACTS_SHOWN = 100

async function runPage(call: Call, run: Run, number: number): Promise<Shown> {
  const { services, db, repository } = call
  const attempt = await findAttempt.first(db, { runId: run.id, number })
  if (!attempt) throw refuse.notFound()
  const place: RunPlace = { at: repositoryPath(call), run, now: services.now() }
  const isLast = number === run.attempt
  const jobs = await findJobsOfAttempt(db, { runId: run.id, attempt: number })
  const attempts = await findAttempts(db, { runId: run.id })
  const artifacts = await findArtifacts(
    db,
    { repositoryId: repository.id, runId: run.id, name: undefined },
    { number: 1, limit: ARTIFACTS_SHOWN, offset: 0 },
  )
  const isLive = isLast && !isDone(run.state)
  const personOf = await peopleOf(call, [attempt.actor_id])
  return repositoryPage(call, {
    tab: "actions",
    title: `${run.title || run.workflow} #${run.number}`,
    modules: isLive ? ["log"] : [],
    canonical: runPath(place),
    body: html`
      <div class="stack" ${isLive && html`data-live="${runPath(place)}/events" data-attempt="${number}"`}>
        ${runHeader(place, { attempt, actor: personOf(attempt.actor_id) }, isLast, mayWrite(call))}
        ${attemptChoices(
          place,
          attempts.map((each) => each.number),
          number,
        )}
        ${mistake(place)}${approvalNotice(place, mayWrite(call))}${isLive && reloadLink(runPath(place))}
        ${jobsGraph(place, jobs)}${artifactList(place, artifacts.rows, artifacts.total)}
        ${summaryList(await summariesOf(call, jobs))}
      </div>
    `,
  })
}

/** Where scripts don't run. */
const reloadLink = (href: string): Html => html`<p class="small muted" data-reload>This is going on: <a href="${href}">look again</a></p>`

async function summariesOf(call: Call, jobs: readonly Job[]): Promise<readonly ShownSummary[]> {
  const all = await readSummaries(call.db, jobs)
  const shown: ShownSummary[] = []
  for (const job of jobs) {
    const texts: Html[] = []
    for (const { content } of all.get(job.id) ?? []) texts.push(await renderText(call, content, { style: "comment" }))
    if (texts.length > 0) shown.push({ job, texts })
  }
  return shown
}

// --- jobs ------------------------------------------------------------------------------------------------------------------------

async function requireJob({ db, repository }: Call, run: Run, id: number): Promise<Job> {
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
  call: Call,
  job: Job,
  task: ShownTask | undefined,
  asked: Parameters<typeof layOutLog>[3],
  url: string,
): Promise<Html> {
  const { services, db, repository } = call
  if (!task)
    return job.error === ""
      ? html`
        <p class="muted">
          ${isDone(job.state) ? "No runner has worked on this job." : "There is no log before a runner has taken this job."}${" "}
          ${waitingFor(job)}
        </p>
      `
      : notice("bad", html`<span class="break">${job.error}</span>`)
  if (task.log_expired === 1) return html`<p class="muted">The log of this job is no longer kept.</p>`
  const steps = await findSteps(db, { jobIds: [doneAs(job)] })
  const parts = layOutLog(task, steps, isDone(job.state), asked)
  const place = { storage: repository.storage, task }
  if (asked.q) return foundLines(parts, await findLines(services, place, asked.q, MATCHES_SHOWN), asked.q, url)
  const lines = await readLines(services, place, wantedOf(parts))
  return html`
    <div class="log">
      ${parts.map((part) => drawPart(part, lines, { url, now: services.now(), withTimes: asked.times === true }))}
    </div>
  `
}

async function jobPage(call: Call, run: Run, job: Job, asked: Parameters<typeof layOutLog>[3], url: string): Promise<Shown> {
  const { services, db } = call
  const place: RunPlace = { at: repositoryPath(call), run, now: services.now() }
  const here = `${runPath(place)}/jobs/${job.id}`
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
    width: "wide",
    body: html`
      <p class="small">
        <a href="${job.attempt === run.attempt ? runPath(place) : `${runPath(place)}/attempts/${job.attempt}`}">
          ${icon("arrow-left")} <bdi>${run.title || run.workflow}</bdi> #${run.number}
        </a>
      </p>
      <div class="bar run-head">
        <h1><bdi>${job.name}</bdi></h1>
        <span data-state="job">${stateBadge(job.state)}</span>
        ${
          isDone(run.state) &&
          job.attempt === run.attempt &&
          mayWrite(call) &&
          html`<span class="end">${buttonForm(`${here}/rerun`, html`${icon("redo")} Run again`)}</span>`
        }
      </div>
      <p class="meta">
        ${runner && html`<span>${icon("server")} <bdi>${runner.name}</bdi></span>`}
        ${job.started_at > 0 && html`<span>${icon("stopwatch")} ${lengthOf(job, place.now)}</span>`}
        <a href="${workflowFile(place)}">${icon("file-code")} Workflow file</a>
      </p>
      <div class="columns start">
        <aside>
          ${sideNav(
            "Jobs of this run",
            jobs.map(({ id, name, state }) => ({
              href: `${runPath(place)}/jobs/${id}`,
              text: name,
              icon: lookOf(state).icon,
              current: id === job.id,
            })),
          )}
        </aside>
        <div class="stack tight" ${isLive && html`data-live="${events}" ${asked.times ? html`data-times` : ""}`}>
          ${
            isCallingOthers
              ? html`<p class="muted">This job calls a workflow; its jobs have the logs.</p>`
              : html`
                ${task && logTools(url, here, asked, task.log_file !== "" || task.log_end !== "")}
                ${isLive && reloadLink(here)}${await logOf(call, job, task, asked, url)}
              `
          }
        </div>
      </div>
    `,
  })
}

// --- forms -----------------------------------------------------------------------------------------------------------------------

type Change = Call & Me & { readonly path: Readonly<Record<string, string>> }

const changeForm = (
  id: string,
  address: `POST /{owner}/{repo}/actions/runs/{run}/${string}`,
  change: (call: Change, runId: number) => Promise<void>,
  flash: string,
): Page =>
  page({
    id,
    address,
    access: writes,
    answer: async (call) => {
      const runId = numberIn(call.path, "run")
      await change(call, runId)
      return moved(`${repositoryPath(call)}/actions/runs/${runId}`, { flash })
    },
  })

const rerunForm = (
  id: string,
  address: `POST /{owner}/{repo}/actions/runs/{run}/${string}`,
  selectionOf: (path: Readonly<Record<string, string>>) => RerunSelection,
  flash: string,
): Page =>
  changeForm(
    id,
    address,
    async (call, runId) => {
      const { services, me, repository } = call
      requireUnarchived(call)
      await services.database.write((tx) => rerun(tx, services, { repository, runId, actorId: me.id, selection: selectionOf(call.path) }))
    },
    flash,
  )

// --- the list of runs ------------------------------------------------------------------------------------------------------------

/** The most branches, and the most tags, that are offered. */
const MOST_OFFERED = 100

/** The form that runs a workflow by hand: where the default branch's file, or that of a branch that was asked for, can be. */
async function byHandOf(call: Call, workflow: string, asked: string | undefined, draft: Draft | undefined): Promise<Content> {
  const { services, db, repository, owner } = call
  const ref = asked || branchRef(repository.default_branch)
  const found = await findWorkflowAt(services, repository, ref, workflow)
  if (!asked && found?.workflow.events.has("workflow_dispatch") !== true) return undefined
  const first = { number: 1, limit: MOST_OFFERED, offset: 0 }
  const branches = await findBranches(db, repository.id, "", first)
  const tags = await listTags(db, repository.id, first)
  return byHand({
    path: { owner: owner.name, repo: repository.name, workflow_id: workflow },
    ref,
    isChosen: Boolean(asked),
    found,
    refs: [...branches.rows, ...tags.rows].map(({ name }) => name),
    draft,
  })
}

const runs: Page = page({
  id: "actions.runs",
  address: "GET /{owner}/{repo}/actions",
  access: reads,
  query: {
    workflow: Type.Optional(Type.String({ maxLength: 500 })),
    status: Type.Optional(oneOf(STATUS_WORDS)),
    branch: Type.Optional(Type.String({ maxLength: 255 })),
    actor: Type.Optional(Type.String({ maxLength: 255 })),
    event: Type.Optional(Type.String({ maxLength: 255 })),
    // The branch or tag whose file is run by hand.
    ref: Type.Optional(Type.String({ maxLength: 255 })),
  },
  live: ({ repository }) => [{ repositoryId: repository.id, kinds: ["run.", "workflow."] }],
  answer: async (call) => {
    const { services, db, repository, owner, query: asked, page: rows, reader, draft } = call
    const { status, branch, actor, event } = asked
    const workflow = asked.workflow ?? draft?.path?.["workflow_id"]
    const at = repositoryPath(call)
    const here = withQuery(reader.url, { workflow })
    const found = await findRuns(
      db,
      { of: "repository", repositoryId: repository.id },
      { workflow, branch, actor, event, states: statesNamed(status) },
      rows,
    )
    const workflows = await workflowsOf(call)
    const personOf = await peopleOf(
      call,
      found.rows.map(({ actor_id }) => actor_id),
    )
    const listed = workflows.find(({ file }) => file === workflow)
    const isFiltered = Boolean((workflow && !listed) || status || branch || actor || event)
    const form =
      workflow && mayWrite(call) && listed?.isDisabled !== true
        ? await byHandOf(call, workflow, draft?.typed["ref"]?.[0] ?? asked.ref, draft)
        : undefined
    return repositoryPage(call, {
      tab: "actions",
      title: workflow ? `${workflow} · Actions` : "Actions",
      modules: ["live"],
      body: html`
        <div class="columns start">
          <aside>${workflowNav(withQuery(reader.url, {}), workflows, workflow || undefined)}</aside>
          <div class="stack">
            <div class="bar">
              <h1>${workflow ? html`<bdi>${workflow}</bdi>` : "Actions"}</h1>
              ${workflow && html`<span class="end">${workflowBadge(at, workflow)}</span>`}
              ${
                workflow &&
                listed &&
                mayWrite(call) &&
                switchButton({ owner: owner.name, repo: repository.name, workflow_id: workflow }, listed.isDisabled, draft)
              }
            </div>
            ${!form && problem(draft?.refusal)}${form}
            ${(found.total > 0 || isFiltered) && runsFilter(at, { ...asked, workflow })}
            <div class="stack" id="listed" data-live="later">
              ${
                found.rows.length > 0
                  ? runRows(
                      at,
                      found.rows.map((run) => ({ run, actor: personOf(run.actor_id) })),
                      services.now(),
                    )
                  : noRuns(at, { hasWorkflows: workflows.length > 0, isFiltered, isOne: listed !== undefined })
              }
            </div>
            ${pager(here, rows, found.total)}
          </div>
        </div>
      `,
    })
  },
})

// --- pages -----------------------------------------------------------------------------------------------------------------------

export const actionPages: readonly Page[] = [
  runs,
  dispatchForm.on(runs),
  disableForm.on(runs),
  enableForm.on(runs),

  page({
    id: "actions.latestRun",
    address: "GET /{owner}/{repo}/actions/runs/latest",
    access: reads,
    answer: async (call) => {
      const of = { of: "repository", repositoryId: call.repository.id } as const
      const [run] = (await findRuns(call.db, of, {}, { number: 1, limit: 1, offset: 0 })).rows
      if (!run) throw refuse.notFound()
      return moved(`${repositoryPath(call)}/actions/runs/${run.id}`)
    },
  }),

  page({
    id: "actions.run",
    address: "GET /{owner}/{repo}/actions/runs/{run}",
    access: reads,
    answer: async (call) => {
      const run = await requireRun(call, numberIn(call.path, "run"))
      return runPage(call, run, run.attempt)
    },
  }),

  page({
    id: "actions.attempt",
    address: "GET /{owner}/{repo}/actions/runs/{run}/attempts/{attempt}",
    access: reads,
    answer: async (call) => runPage(call, await requireRun(call, numberIn(call.path, "run")), numberIn(call.path, "attempt")),
  }),

  page({
    id: "actions.workflowFile",
    address: "GET /{owner}/{repo}/actions/runs/{run}/workflow",
    access: reads,
    answer: async (call) =>
      moved(workflowFile({ at: repositoryPath(call), run: await requireRun(call, numberIn(call.path, "run")) }), { status: 302 }),
  }),

  page({
    id: "actions.runEvents",
    address: "GET /{owner}/{repo}/actions/runs/{run}/events",
    access: reads,
    changesWithTime: true,
    answer: async (call) => {
      const { id } = await requireRun(call, numberIn(call.path, "run"))
      return sentEvents((signal) => runEvents(call.services, id, signal))
    },
  }),

  page({
    id: "actions.artifact",
    address: "GET /{owner}/{repo}/actions/runs/{run}/artifacts/{name}",
    access: reads,
    query: { attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })) },
    changesWithTime: true,
    answer: async (call) => {
      const { services, db, repository, owner, query: asked, path } = call
      const run = await requireRun(call, numberIn(path, "run"))
      const { rows } = await findArtifacts(
        db,
        { repositoryId: repository.id, runId: run.id, name: path.name },
        { number: 1, limit: 50, offset: 0 },
      )
      const named = rows.find(({ attempt }) => asked.attempt === undefined || attempt === asked.attempt)
      const artifact = await requireContent(services, { repositoryId: repository.id, id: named?.id ?? 0 })
      const at = `/api/v1/repos/${encodeURIComponent(owner.name)}/${encodeURIComponent(repository.name)}`
      return moved(`${at}/actions/artifacts/${artifact.id}/zip/raw?${linkQuery(services, artifact)}`, { status: 302 })
    },
  }),

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

  changeForm(
    "actions.cancel",
    "POST /{owner}/{repo}/actions/runs/{run}/cancel",
    ({ repository, services }, runId) => services.database.write((tx) => cancelRun(tx, services, { repository, runId })),
    "The run is being cancelled.",
  ),
  changeForm(
    "actions.approve",
    "POST /{owner}/{repo}/actions/runs/{run}/approve",
    async (call, runId) => {
      const { services } = call
      requireUnarchived(call)
      await services.database.write((tx) => approveRun(tx, services, { repository: call.repository, runId }))
    },
    "Approved: its jobs can start.",
  ),
  rerunForm("actions.rerun", "POST /{owner}/{repo}/actions/runs/{run}/rerun", () => ({ of: "all" }), "The run begins again."),
  rerunForm(
    "actions.rerunFailed",
    "POST /{owner}/{repo}/actions/runs/{run}/rerun-failed",
    () => ({ of: "failed" }),
    "What failed begins again.",
  ),
  rerunForm(
    "actions.rerunJob",
    "POST /{owner}/{repo}/actions/runs/{run}/jobs/{job_id}/rerun",
    (path) => ({ of: "job", jobId: numberIn(path, "job_id") }),
    "The job begins again.",
  ),
]
