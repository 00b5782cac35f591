import { Mode } from "../../../access/modes.ts"
import { unitModeOrAdmin } from "../../../access/permission.ts"
import { type OnRepository, onRepositoryUnit, onRepositoryUnitRead, requireUnarchived } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import type { Request } from "../../../core/operation.ts"
import { moved, numberIn, type Page, page, type Shown, sentEvents } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { linkQuery, requireContent } from "../../../features/actions/artifacts/artifacts.ts"
import { findArtifacts } from "../../../features/actions/artifacts/store.ts"
import { type RerunSelection, rerun } from "../../../features/actions/runs/rerun.ts"
import { approveRun, cancelRun } from "../../../features/actions/runs/rules.ts"
import { isDone } from "../../../features/actions/runs/status.ts"
import {
  findAttempt,
  findAttempts,
  findJobsOfAttempt,
  findRun,
  findRuns,
  type Job,
  type Run,
} from "../../../features/actions/runs/store.ts"
import { readSummaries } from "../../../features/actions/runs/summaries.ts"
import { usersById } from "../../../features/code/repositories/store.ts"
import { standIn } from "../../../features/people/users/present.ts"
import { repositoryPath } from "../../../web/address.ts"
import { renderText } from "../../parts/texts.ts"
import { repositoryPage } from "../frame.ts"
import { runEvents } from "./live.ts"
import {
  approvalNotice,
  artifactList,
  attemptChoices,
  jobsGraph,
  mistake,
  runHeader,
  runPath,
  type ShownRun,
  type ShownSummary,
  summaryList,
  workflowFile,
} from "./run-view.ts"
import { waitingOf } from "./waiting.ts"

/** Runs of workflows, each with its attempts and jobs, and what is done with them. */

export const reads = onRepositoryUnitRead("actions")
const writes = onRepositoryUnit("actions", "write")

export type OnActions = OnRepository & Pick<Request, "services" | "db" | "actor">

export const mayWrite = ({ actor, permission, repository }: OnActions): boolean =>
  actor.kind === "user" && repository.is_archived === 0 && unitModeOrAdmin(permission, repository, "repo.actions") >= Mode.write

export async function peopleOf({ db }: OnActions, ids: readonly number[]) {
  const users = await usersById(db, ids)
  return (id: number) => users.get(id) ?? standIn(id)
}

export async function requireRun({ db, repository }: OnActions, id: number): Promise<Run> {
  const run = await findRun.first(db, { repositoryId: repository.id, id })
  if (!run) throw refuse.notFound()
  return run
}

const ARTIFACTS_SHOWN = 100

async function runPage(call: OnActions, run: Run, number: number): Promise<Shown> {
  const { services, db, repository } = call
  const attempt = await findAttempt.first(db, { runId: run.id, number })
  if (!attempt) throw refuse.notFound()
  const isLast = number === run.attempt
  const jobs = await findJobsOfAttempt(db, { runId: run.id, attempt: number })
  const shown: ShownRun = { at: repositoryPath(call), run, now: services.now(), waiting: await waitingOf(call, jobs) }
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
    canonical: runPath(shown),
    body: html`
      <div class="stack" ${isLive && html`data-live="${runPath(shown)}/events" data-attempt="${number}"`}>
        ${runHeader(shown, { attempt, actor: personOf(attempt.actor_id) }, isLast, mayWrite(call))}
        ${attemptChoices(
          shown,
          attempts.map((each) => each.number),
          number,
        )}
        ${mistake(shown)}${approvalNotice(shown, mayWrite(call))}${isLive && reloadLink(runPath(shown))}
        ${jobsGraph(shown, jobs)}${artifactList(shown, artifacts.rows, artifacts.total)}
        ${summaryList(await summariesOf(call, jobs))}
      </div>
    `,
  })
}

/** Where scripts don't run. */
export const reloadLink = (href: string): Html => html`<p class="small muted" data-reload>In progress: <a href="${href}">reload</a></p>`

async function summariesOf(call: OnActions, jobs: readonly Job[]): Promise<readonly ShownSummary[]> {
  const all = await readSummaries(call.db, jobs)
  const shown: ShownSummary[] = []
  for (const job of jobs) {
    const texts: Html[] = []
    for (const { content } of all.get(job.id) ?? []) texts.push(await renderText(call, content, { style: "comment" }))
    if (texts.length > 0) shown.push({ job, texts })
  }
  return shown
}

type Change = OnActions & Me & { readonly path: Readonly<Record<string, string>> }

const changeForm = (
  id: string,
  address: `POST /{owner}/{repo}/actions/runs/{run}/${string}`,
  change: (call: Change, runId: number) => Promise<void>,
  flash: Text,
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

export const rerunForm = (
  id: string,
  address: `POST /{owner}/{repo}/actions/runs/{run}/${string}`,
  selectionOf: (path: Readonly<Record<string, string>>) => RerunSelection,
  flash: Text,
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

export const runPages: readonly Page[] = [
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

  changeForm(
    "actions.cancel",
    "POST /{owner}/{repo}/actions/runs/{run}/cancel",
    ({ repository, services }, runId) => services.database.write((tx) => cancelRun(tx, services, { repository, runId })),
    t("The run is being cancelled."),
  ),
  changeForm(
    "actions.approve",
    "POST /{owner}/{repo}/actions/runs/{run}/approve",
    async (call, runId) => {
      const { services } = call
      requireUnarchived(call)
      await services.database.write((tx) => approveRun(tx, services, { repository: call.repository, runId }))
    },
    t("Run approved."),
  ),
  rerunForm("actions.rerun", "POST /{owner}/{repo}/actions/runs/{run}/rerun", () => ({ of: "all" }), t("Run restarted.")),
  rerunForm(
    "actions.rerunFailed",
    "POST /{owner}/{repo}/actions/runs/{run}/rerun-failed",
    () => ({ of: "failed" }),
    t("Failed jobs restarted."),
  ),
]
