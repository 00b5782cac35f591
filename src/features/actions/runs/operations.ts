import { Mode } from "../../../access/modes.ts"
import { unitModeOrAdmin } from "../../../access/permission.ts"
import { type OnRepository, onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { actorId } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { accepted, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { repeatedText } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { inEveryScope, readingIn } from "../scopes.ts"
import { presentRun, presentRuns } from "./present.ts"
import { ActionWorkflowRun, ActionWorkflowRunsResponse } from "./records.ts"
import { approveRun, cancelRun, deleteRun } from "./rules.ts"
import { STATUS_WORDS, statesNamed } from "./status.ts"
import { findAttempt, findRun, findRuns, type RunFilter, withReadablePulls } from "./store.ts"

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

/** Whether the caller may read the repository's pull requests. */
export const readsPulls = ({ permission, repository }: OnRepository): boolean =>
  unitModeOrAdmin(permission, repository, "repo.pulls") >= Mode.read

/** What is not all that there is, for descriptions. */
export const OF_READABLE = " Those of the repositories whose Actions you may read."

const lists: readonly Operation[] = inEveryScope((scope) => [
  operation({
    ...readingIn(scope),
    id: scope.runsId,
    route: `GET ${scope.prefix}/actions/runs`,
    summary: `List ${scope.whose} workflow runs`,
    description: `Newest first, each in its last attempt.${scope.sees === "readable" ? OF_READABLE : ""}`,
    paged: true,
    query: RUN_QUERY,
    answers: { 200: ActionWorkflowRunsResponse },
    refuses: ["badRequest"],
    handle: async ({ services, db, actor, owning, on, query, page }) => {
      const reader = scope.sees === "readable" ? actor : undefined
      const shownPulls = async (repositoryIds: readonly number[]) =>
        on ? readsPulls(on) : reader ? withReadablePulls(db, reader, repositoryIds) : true
      const { rows, total } = await findRuns(db, { ...owning, reader }, filterOf(query), page)
      const withPulls = query.exclude_pull_requests !== true && (await shownPulls(rows.map((run) => run.repository_id)))
      return listed({ workflow_runs: await presentRuns(db, services.site, actor, rows, { withPulls }), total_count: total }, total)
    },
  }),
])

const reading = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("actions") } as const

const writing = {
  ...reading,
  access: onRepositoryUnit("actions", "write"),
  refuses: ["notFound", "conflict"],
} as const

/** Runs of workflows: lists in every owner scope, and single runs of a repository. */
export const runOperations: readonly Operation[] = [
  ...lists,

  operation({
    ...reading,
    id: "GetWorkflowRun",
    route: "GET /repos/{owner}/{repo}/actions/runs/{run}",
    summary: "Get a workflow run",
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
    summary: "Get an attempt of a workflow run",
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
    ...writing,
    id: "cancelWorkflowRun",
    since: "0.2.0",
    route: "POST /repos/{owner}/{repo}/actions/runs/{run}/cancel",
    summary: "Cancel a workflow run",
    description: "Jobs that wait start only where their condition says so, as always() does; none does when it is cancelled a second time.",
    answers: { 202: null },
    handle: async ({ services, path, repository }) => {
      await services.database.write((tx) => cancelRun(tx, services, { repository, runId: path.run }))
      return accepted(undefined)
    },
  }),

  operation({
    ...writing,
    archived: "refused",
    id: "approveWorkflowRun",
    since: "0.2.0",
    route: "POST /repos/{owner}/{repo}/actions/runs/{run}/approve",
    summary: "Approve a run of a pull request from a fork",
    description: "Its jobs start. They get no secrets, and a token that only reads.",
    answers: { 204: null },
    handle: async ({ services, path, repository }) => {
      await services.database.write((tx) => approveRun(tx, services, { repository, runId: path.run }))
      return noContent()
    },
  }),

  operation({
    ...reading,
    access: onRepositoryUnit("actions", "write"),
    id: "deleteActionRun",
    route: "DELETE /repos/{owner}/{repo}/actions/runs/{run}",
    summary: "Delete a workflow run",
    description: "With its attempts, jobs and artifacts. It must have ended.",
    answers: { 204: null },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, actor, path, repository }) => {
      await services.database.write((tx) => deleteRun(tx, services, repository, path.run, { id: actorId(actor) }))
      return noContent()
    },
  }),
]
