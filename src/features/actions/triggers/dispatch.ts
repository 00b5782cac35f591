import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Commit, isBranchName, isTagName, type RefName, tagRef } from "../../../git/index.ts"
import { peel } from "../../code/commits/revision.ts"
import { readCalledFiles } from "../definitions/called-files.ts"
import { findWorkflowFiles, openWorkflow, type WorkflowFile } from "../definitions/files.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { inputsOf } from "../definitions/triggers.ts"
import type { Workflow } from "../definitions/workflow.ts"
import type { Run } from "../runs/store.ts"
import type { CreateActionWorkflowDispatch } from "../workflows/records.ts"
import { startRun } from "./start.ts"

/**
 * Starts a workflow by hand, by its file on a branch or tag. Refuses as invalid a missing reference, a workflow without this trigger, and
 * inputs that don't fit what it declares; `forbidden` where it, or actions as a whole, are switched off; `notFound` for an unknown reference or file.
 */
export async function dispatchWorkflow(
  services: Services,
  { repository: row }: OnRepository,
  actor: User,
  name: string,
  { ref: asked = "", inputs = {} }: CreateActionWorkflowDispatch,
): Promise<Run> {
  const { database } = services
  if (asked === "") throw refuse.invalid("ref", "is required: a branch or a tag")
  if (row.has_actions === 0) throw refuse.forbidden("workflows are switched off in this repository")
  if ((await disabledWorkflows(database.read, row.id)).has(name)) throw refuse.forbidden("this workflow is switched off")
  const found = await findWorkflowAt(services, row, asked, name)
  if (!found) throw refuse.notFound()
  const { file, workflow } = found
  if (workflow.error) throw refuse.invalid("workflow_id", t`this workflow can't be run: ${workflow.error}`)
  const filters = workflow.events.get("workflow_dispatch")
  if (!filters) throw refuse.invalid("workflow_id", "this workflow is not started by workflow_dispatch")
  const called = await readCalledFiles(services, { row, commit: found.commit }, workflow)
  const payload = { ref: found.ref, workflow: `${file.folder}/${file.name}`, inputs: inputsOf(filters, inputs) }
  return database.write((tx) =>
    startRun(tx, services, {
      repositoryId: row.id,
      actorId: actor.id,
      file,
      workflow,
      called,
      event: "workflow_dispatch",
      payload,
      ref: found.ref,
      commit: found.commit,
    }),
  )
}

export interface WorkflowAt {
  readonly ref: RefName
  readonly commit: Commit
  readonly file: WorkflowFile
  readonly workflow: Workflow
}

/** A workflow, by its file on a branch or tag of a short or full name; undefined where one of them is missing. */
export async function findWorkflowAt(
  services: Services,
  { storage, object_format }: OnRepository["repository"],
  ref: string,
  name: string,
): Promise<WorkflowAt | undefined> {
  const { git } = services
  const repository = git.at(storage, object_format)
  const found = await locate(services, repository, ref)
  const file = found && (await findWorkflowFiles(git, repository, found.commit.tree)).find((one) => one.name === name)
  return file && { ...found, file, workflow: await openWorkflow(git, repository, file) }
}

type Repository = ReturnType<Services["git"]["at"]>

/** The branch or tag of a short or full name, and its commit. */
async function locate(
  { git }: Services,
  repository: Repository,
  name: string,
): Promise<{ readonly ref: RefName; readonly commit: Commit } | undefined> {
  const [, kind, full = ""] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? []
  const refs = [
    ...(kind !== "tags" && isBranchName(full || name) ? [branchRef(full || name)] : []),
    ...(kind !== "heads" && isTagName(full || name) ? [tagRef(full || name)] : []),
  ]
  for (const ref of refs) {
    const id = await git.references.resolve(repository, ref)
    const commit = id && (await peel(git, repository, id))
    if (commit) return { ref, commit }
  }
  return undefined
}
