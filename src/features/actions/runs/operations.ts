import { Mode } from "../../../access/modes.ts"
import { unitModeOrAdmin } from "../../../access/permission.ts"
import { type OnRepository, onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { repeatedText } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { inEveryScope, readingIn } from "../scopes.ts"
import { presentRun, presentRuns } from "./present.ts"
import { ActionWorkflowRun, ActionWorkflowRunsResponse } from "./records.ts"
import { deleteRun } from "./rules.ts"
import { STATUS_WORDS, statesNamed } from "./status.ts"
import { findAttempt, findRun, findRuns, type RunFilter } from "./store.ts"

export const STATUS_QUERY = Type.Optional(
  repeatedText({ description: `how far they have come, one of ${STATUS_WORDS.join(", ")}; may be given several times, for any of them` }),
)

export const RUN_QUERY = {
  event: Type.Optional(Type.String({ description: "what brought them about, such as push" })),
  branch: Type.Optional(Type.String({ description: "the branch that they are about, by its short name" })),
  status: STATUS_QUERY,
  actor: Type.Optional(Type.String({ description: "who brought them about, by name" })),
  head_sha: Type.Optional(Type.String({ description: "the commit that they are about" })),
  exclude_pull_requests: Type.Optional(Type.Boolean({ description: "leaves out the pull requests of their branches" })),
} as const

const Asked = Type.Object(RUN_QUERY)

export const filterOf = ({ event, branch, status, actor, head_sha }: Static<typeof Asked>): RunFilter => ({
  event,
  branch,
  states: statesNamed(status),
  actor,
  headSha: head_sha,
})

/** Whether the caller may read the repository's pull requests; without a repository the caller is the owner of all. */
export const readsPulls = (on: OnRepository | undefined): boolean =>
  on === undefined || unitModeOrAdmin(on.permission, on.repository, "repo.pulls") >= Mode.read

const lists: readonly Operation[] = inEveryScope((scope) => [
  operation({
    ...readingIn(scope),
    id: scope.runsId,
    route: `GET ${scope.prefix}/actions/runs`,
    summary: `List the runs of ${scope.whose} workflows`,
    description: "Newest first, each in its last attempt.",
    paged: true,
    query: RUN_QUERY,
    answers: { 200: ActionWorkflowRunsResponse },
    refuses: ["badRequest"],
    handle: async ({ services, db, actor, owning, on, query, page }) => {
      const { rows, total } = await findRuns(db, owning, filterOf(query), page)
      const withPulls = query.exclude_pull_requests !== true && readsPulls(on)
      return listed({ workflow_runs: await presentRuns(db, services.site, actor, rows, { withPulls }), total_count: total }, total)
    },
  }),
])

const reading = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("actions") } as const

/** Runs of workflows: lists in every owner scope, and single runs of a repository. */
export const runOperations: readonly Operation[] = [
  ...lists,

  operation({
    ...reading,
    id: "GetWorkflowRun",
    route: "GET /repos/{owner}/{repo}/actions/runs/{run}",
    summary: "Get a run of a workflow",
    description: "In its last attempt.",
    answers: { 200: ActionWorkflowRun },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, path, repository, owner, permission }) => {
      const run = await findRun.first(db, { repositoryId: repository.id, id: path.run })
      const withPulls = readsPulls({ repository, owner, permission })
      const record = run && (await presentRun(db, services.site, actor, run, { withPulls }))
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...reading,
    id: "getWorkflowRunAttempt",
    route: "GET /repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}",
    summary: "Get a run of a workflow in one of its attempts",
    answers: { 200: ActionWorkflowRun },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, path, repository, owner, permission }) => {
      const run = await findRun.first(db, { repositoryId: repository.id, id: path.run })
      const attempt = run && (await findAttempt.first(db, { runId: run.id, number: path.attempt }))
      const withPulls = readsPulls({ repository, owner, permission })
      const record = attempt && (await presentRun(db, services.site, actor, run, { withPulls, attempt }))
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...reading,
    access: onRepositoryUnit("actions", "write"),
    id: "deleteActionRun",
    route: "DELETE /repos/{owner}/{repo}/actions/runs/{run}",
    summary: "Delete a run of a workflow",
    description: "With its attempts, jobs and artifacts. It must have ended.",
    answers: { 204: null },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, path, repository }) => {
      await services.database.write((tx) => deleteRun(tx, services, repository, path.run))
      return noContent()
    },
  }),
]
