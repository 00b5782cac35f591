import type { Repository } from "../../../access/permission.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import type { Members } from "../../../core/yaml.ts"
import { branchRef, type Commit, type RefName } from "../../../git/index.ts"
import { peel } from "../../code/commits/revision.ts"
import { readCalledFiles } from "../definitions/called-files.ts"
import type { CalledFiles } from "../definitions/calls.ts"
import { type Budget, findWorkflowFiles, newBudget, openWorkflow, type WorkflowFile } from "../definitions/files.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import type { Verdict } from "../definitions/triggers.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { type NewRun, startRun } from "./start.ts"

/** A workflow of a commit; one that can't be read has an error. */
export interface FoundWorkflow {
  readonly file: WorkflowFile
  readonly workflow: Workflow
  readonly commit: Commit
}

/** The workflows of a commit. Reads git, so it must not be called in a transaction. */
export async function readWorkflows(
  { git }: Services,
  row: Repository,
  commit: Commit,
  budget: Budget = newBudget(),
): Promise<readonly FoundWorkflow[]> {
  const repository = git.at(row.storage, row.object_format)
  const found: FoundWorkflow[] = []
  for (const file of await findWorkflowFiles(git, repository, commit.tree))
    found.push({ file, workflow: await openWorkflow(git, repository, file, budget), commit })
  return found
}

/** The commit that a reference names, perhaps through a tag; undefined where it doesn't exist. */
export async function commitOf({ git }: Services, row: Repository, ref: RefName): Promise<Commit | undefined> {
  const repository = git.at(row.storage, row.object_format)
  const id = await git.references.resolve(repository, ref)
  return id && (await peel(git, repository, id))
}

/** The last commit of the default branch. */
export const defaultCommit = async (services: Services, row: Repository): Promise<Commit | undefined> =>
  row.default_branch === "" ? undefined : commitOf(services, row, branchRef(row.default_branch))

/** The workflows of the default branch. */
export async function readDefaultWorkflows(services: Services, row: Repository): Promise<readonly FoundWorkflow[]> {
  const commit = await defaultCommit(services, row)
  return commit ? readWorkflows(services, row, commit) : []
}

/** A workflow that listens to an event. */
export interface Listening extends FoundWorkflow {
  readonly event: string
}

/** One that the event starts, with the files that it calls. */
export interface Triggered extends Listening {
  readonly called: CalledFiles
}

/** The workflows that an event starts, and those that their filters exclude. */
export interface Judged {
  readonly started: readonly Triggered[]
  readonly excluded: readonly Listening[]
}

/** Asks the filters of workflows of a repository that listen to an event. Reads git. */
export async function judge(
  services: Services,
  row: Repository,
  workflows: readonly FoundWorkflow[],
  event: string,
  verdictOf: (filters: Members) => Verdict | Promise<Verdict>,
  { isUntrusted = false } = {},
): Promise<Judged> {
  const started: Triggered[] = []
  const excluded: Listening[] = []
  const budget = newBudget()
  for (const each of workflows) {
    const filters = each.workflow.events.get(event)
    const verdict = filters ? await verdictOf(filters) : "other"
    if (verdict === "starts")
      started.push({
        ...each,
        event,
        called: await readCalledFiles(services, { row, commit: each.commit, isUntrusted }, each.workflow, budget),
      })
    if (verdict === "excluded") excluded.push({ ...each, event })
  }
  return { started, excluded }
}

/** Starts runs of those of the workflows that are not switched off. Gives their number. */
export async function startAll(
  tx: Transaction,
  services: Services,
  repositoryId: number,
  triggered: readonly (Triggered & Omit<NewRun, keyof Triggered | "repositoryId">)[],
): Promise<number> {
  if (triggered.length === 0) return 0
  const disabled = await disabledWorkflows(tx, repositoryId)
  const enabled = triggered.filter(({ file }) => !disabled.has(file.name))
  for (const each of enabled) await startRun(tx, services, { ...each, repositoryId })
  return enabled.length
}
