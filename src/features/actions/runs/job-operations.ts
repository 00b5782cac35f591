import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import { fileDownload } from "../../../core/download.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, type Operation, ok, operation } from "../../../core/operation.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { inEveryScope, readingIn } from "../scopes.ts"
import { logDownload } from "./logs.ts"
import { OF_READABLE, STATUS_QUERY } from "./operations.ts"
import { presentJobs, presentTask } from "./present.ts"
import { ActionTaskResponse, ActionWorkflowJob, ActionWorkflowJobsResponse } from "./records.ts"
import { statesNamed } from "./status.ts"
import { findAttempt, findJob, findJobs, findRun } from "./store.ts"
import { findTasks } from "./tasks-store.ts"

const JOB_QUERY = {
  status: STATUS_QUERY,
  sort: Type.Optional(Type.String({ description: "id, which is all there is" })),
  order: Type.Optional(Type.String({ description: "asc or desc", default: "asc" })),
} as const
const Asked = Type.Object(JOB_QUERY)

/** Refuses as invalid an unknown sort or order, and `badRequest` an unknown status. */
function filterOf({ status, sort, order }: Static<typeof Asked>): {
  readonly states: readonly ActionState[] | undefined
  readonly order: "asc" | "desc"
} {
  const states = statesNamed(status)
  if (sort && sort !== "id") throw refuse.invalid("sort", `Invalid sort mode: "${sort}"; must be id`)
  if (order && order !== "asc" && order !== "desc") throw refuse.invalid("order", `Invalid sort order: "${order}"; must be asc or desc`)
  return { states, order: order === "desc" ? "desc" : "asc" }
}

const lists: readonly Operation[] = inEveryScope((scope) => [
  operation({
    ...readingIn(scope),
    id: scope.jobsId,
    route: `GET ${scope.prefix}/actions/jobs`,
    summary: `List ${scope.whose} workflow jobs`,
    description: `Those of all attempts, oldest first.${scope.sees === "readable" ? OF_READABLE : ""}`,
    paged: true,
    query: JOB_QUERY,
    answers: { 200: ActionWorkflowJobsResponse },
    refuses: ["badRequest", "invalid"],
    handle: async ({ services, db, actor, owning, query, page }) => {
      const { rows, total } = await findJobs(
        db,
        { ...owning, reader: scope.sees === "readable" ? actor : undefined },
        filterOf(query),
        page,
      )
      return listed({ jobs: await presentJobs(db, services.site, rows), total_count: total }, total)
    },
  }),
])

const reading = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("actions") } as const
const readingSignedIn = { ...reading, access: onRepositoryUnit("actions", "read") } as const

/** Jobs: lists in every owner scope, those of a run, single ones, and the tasks of runners. */
export const jobOperations: readonly Operation[] = [
  ...lists,

  operation({
    ...reading,
    id: "listWorkflowRunJobs",
    route: "GET /repos/{owner}/{repo}/actions/runs/{run}/jobs",
    summary: "List the jobs of a run’s latest attempt",
    paged: true,
    query: JOB_QUERY,
    answers: { 200: ActionWorkflowJobsResponse },
    refuses: ["badRequest", "notFound", "invalid"],
    handle: async ({ services, db, path, query, page, repository }) => {
      const run = await findRun.first(db, { repositoryId: repository.id, id: path.run })
      if (!run) throw refuse.notFound()
      const { rows, total } = await findJobs(db, { of: "attempt", runId: run.id, attempt: run.attempt }, filterOf(query), page)
      return listed({ jobs: await presentJobs(db, services.site, rows), total_count: total }, total)
    },
  }),

  operation({
    ...reading,
    id: "listWorkflowRunAttemptJobs",
    route: "GET /repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}/jobs",
    summary: "List the jobs of a run’s attempt",
    paged: true,
    query: JOB_QUERY,
    answers: { 200: ActionWorkflowJobsResponse },
    refuses: ["badRequest", "notFound", "invalid"],
    handle: async ({ services, db, path, query, page, repository }) => {
      const run = await findRun.first(db, { repositoryId: repository.id, id: path.run })
      const attempt = run && (await findAttempt.first(db, { runId: run.id, number: path.attempt }))
      if (!attempt) throw refuse.notFound()
      const { rows, total } = await findJobs(db, { of: "attempt", runId: run.id, attempt: attempt.number }, filterOf(query), page)
      return listed({ jobs: await presentJobs(db, services.site, rows), total_count: total }, total)
    },
  }),

  operation({
    ...readingSignedIn,
    id: "getWorkflowJob",
    route: "GET /repos/{owner}/{repo}/actions/jobs/{job_id}",
    summary: "Get a job of a workflow run",
    answers: { 200: ActionWorkflowJob },
    refuses: ["notFound"],
    handle: async ({ services, db, path, repository }) => {
      const job = await findJob.first(db, { repositoryId: repository.id, id: path.job_id })
      const [record] = job ? await presentJobs(db, services.site, [job]) : []
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...readingSignedIn,
    id: "downloadActionsRunJobLogs",
    route: "GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs",
    summary: "Get the log of a job",
    description: "As far as it has come. There is none before a runner has sent one, and none a year after it has ended.",
    answers: { 200: fileDownload() },
    refuses: ["notFound"],
    handle: async ({ services, db, path, repository }) => {
      const job = await findJob.first(db, { repositoryId: repository.id, id: path.job_id })
      if (!job) throw refuse.notFound()
      return ok(await logDownload(services, repository, job))
    },
  }),

  operation({
    ...reading,
    id: "ListActionTasks",
    route: "GET /repos/{owner}/{repo}/actions/tasks",
    summary: "List the tasks of a repository's runs",
    description: "Newest first.",
    paged: true,
    answers: { 200: ActionTaskResponse },
    handle: async ({ services, db, page, repository, owner }) => {
      const { rows, total } = await findTasks(db, repository.id, page)
      const tasks = rows.map((row) => presentTask(services.site, { repository, owner }, row))
      return listed({ workflow_runs: tasks, total_count: total }, total)
    },
  }),
]
