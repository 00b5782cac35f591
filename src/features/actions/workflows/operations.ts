import type { Owned } from "../../../access/permission.ts"
import { onRepositoryUnit } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import type { Commit, Repository } from "../../../git/index.ts"
import { resolveRevision } from "../../code/commits/revision.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { findWorkflowFiles, newBudget, openWorkflow, type WorkflowFile } from "../definitions/files.ts"
import { presentWorkflow } from "../definitions/present.ts"
import { disabledWorkflows, disableWorkflow, enableWorkflow, nextTimes } from "../definitions/store.ts"
import { filterOf, RUN_QUERY, readsPulls } from "../runs/operations.ts"
import { presentRuns } from "../runs/present.ts"
import { ActionWorkflowRunsResponse } from "../runs/records.ts"
import { findRuns } from "../runs/store.ts"
import { dispatchWorkflow } from "../triggers/dispatch.ts"
import { ActionWorkflow, ActionWorkflowResponse, CreateActionWorkflowDispatch, RunDetails } from "./records.ts"

interface Files {
  readonly repository: Repository
  readonly commit: Commit
  readonly files: readonly WorkflowFile[]
}

/** The workflows of the default branch; undefined where it has no commits. */
async function filesOf({ git }: Services, { repository: row }: Owned): Promise<Files | undefined> {
  const revision = await resolveRevision(git, row, undefined)
  if (!revision) return undefined
  const repository = git.at(row.storage, row.object_format)
  return { repository, commit: revision.commit, files: await findWorkflowFiles(git, repository, revision.commit.tree) }
}

async function present(services: Services, db: Handle, on: Owned, { repository, commit, files }: Files): Promise<ActionWorkflow[]> {
  const disabled = await disabledWorkflows(db, on.repository.id)
  const next = await nextTimes(db, on.repository.id)
  const records: ActionWorkflow[] = []
  const budget = newBudget()
  for (const file of files) {
    const workflow = await openWorkflow(services.git, repository, file, budget)
    const about = {
      file: file.name,
      folder: file.folder,
      name: workflow.name,
      isDisabled: disabled.has(file.name),
      nextAt: next.get(file.name),
    }
    records.push(presentWorkflow(services.site, on, { ...about, writtenAt: commit.author.when }))
  }
  return records
}

/** One workflow of the default branch. Refuses `notFound`. */
async function requireFile(services: Services, on: Owned, name: string): Promise<Files> {
  const all = await filesOf(services, on)
  const files = all?.files.filter((file) => file.name === name) ?? []
  if (!all || files.length === 0) throw refuse.notFound()
  return { ...all, files }
}

const reading = { tag: "repository", scope: ["repository"], access: onRepositoryUnit("actions", "read") } as const
const writing = { ...reading, access: onRepositoryUnit("actions", "write") } as const
const SOURCE = Type.Optional(int64({ description: "0 or left out: there are no workflows that come from another repository" }))

/** Refuses `notFound` a request for workflows of another repository, which are not supported. */
function requireOwn(source: number | undefined): void {
  if (source !== undefined && source !== 0) throw refuse.notFound()
}

/** Workflows, by the files of the default branch. */
export const workflowOperations: readonly Operation[] = [
  operation({
    ...reading,
    id: "ActionsListRepositoryWorkflows",
    route: "GET /repos/{owner}/{repo}/actions/workflows",
    summary: "List a repository’s workflows",
    description: "Those of the default branch, by file; at most a hundred.",
    answers: { 200: ActionWorkflowResponse },
    handle: async ({ services, db, repository, owner }) => {
      const files = await filesOf(services, { repository, owner })
      const workflows = files ? await present(services, db, { repository, owner }, files) : []
      return ok({ workflows, total_count: workflows.length })
    },
  }),

  operation({
    ...reading,
    id: "ActionsGetWorkflow",
    route: "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}",
    summary: "Get a workflow",
    answers: { 200: ActionWorkflow },
    refuses: ["notFound"],
    handle: async ({ services, db, path, repository, owner }) => {
      const on = { repository, owner }
      const [record] = await present(services, db, on, await requireFile(services, on, path.workflow_id))
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...reading,
    id: "ActionsListWorkflowRuns",
    route: "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
    summary: "List the runs of a workflow",
    description: "Newest first, each in its last attempt; also those of a file that is gone.",
    paged: true,
    query: { ...RUN_QUERY, scoped_workflow_source_repo_id: SOURCE },
    answers: { 200: ActionWorkflowRunsResponse },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, db, actor, path, query, page, repository, owner, permission }) => {
      requireOwn(query.scoped_workflow_source_repo_id)
      const owning = { of: "repository", repositoryId: repository.id } as const
      const { rows, total } = await findRuns(db, owning, { ...filterOf(query), workflow: path.workflow_id }, page)
      if (total === 0) await requireFile(services, { repository, owner }, path.workflow_id)
      const withPulls = query.exclude_pull_requests !== true && readsPulls({ repository, owner, permission })
      return listed({ workflow_runs: await presentRuns(db, services.site, actor, rows, { withPulls }), total_count: total }, total)
    },
  }),

  operation({
    ...writing,
    id: "ActionsDisableWorkflow",
    route: "PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable",
    summary: "Disable a workflow",
    description: "Nothing starts it until it is switched on again, also on other branches.",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, path, me, repository, owner }) => {
      await requireFile(services, { repository, owner }, path.workflow_id)
      await services.database.write((tx) => disableWorkflow(tx, repository.id, path.workflow_id, me))
      return noContent()
    },
  }),

  operation({
    ...writing,
    id: "ActionsEnableWorkflow",
    route: "PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable",
    summary: "Enable a workflow",
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ services, path, me, repository, owner }) => {
      await requireFile(services, { repository, owner }, path.workflow_id)
      await services.database.write((tx) => enableWorkflow(tx, repository.id, path.workflow_id, me))
      return noContent()
    },
  }),

  operation({
    ...writing,
    archived: "refused",
    id: "ActionsDispatchWorkflow",
    route: "POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
    summary: "Dispatch a workflow",
    description: "By its file on the branch or tag that is named. Inputs that it doesn’t declare are passed over.",
    query: {
      return_run_details: Type.Optional(Type.Boolean({ description: "answers with the run" })),
      scoped_workflow_source_repo_id: SOURCE,
    },
    body: CreateActionWorkflowDispatch,
    answers: { 200: RunDetails, 204: null },
    refuses: ["notFound", "invalid"],
    handle: async ({ services, path, query, body, me, repository, owner, permission }) => {
      requireOwn(query.scoped_workflow_source_repo_id)
      const run = await dispatchWorkflow(services, { repository, owner, permission }, me, path.workflow_id, body)
      if (query.return_run_details !== true) return noContent()
      const { site } = services
      return ok({
        workflow_run_id: run.id,
        run_url: `${repositoryApiUrl(site, owner.name, repository.name)}/actions/runs/${run.id}`,
        html_url: `${repositoryHtmlUrl(site, owner.name, repository.name)}/actions/runs/${run.id}`,
      })
    },
  }),
]
