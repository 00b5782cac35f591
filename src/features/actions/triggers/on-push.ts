import type { Commit } from "../../../git/index.ts"
import { peel } from "../../code/commits/revision.ts"
import type { MovedPush, PushStep, RefChange } from "../../code/pushes/step.ts"
import { type Budget, findWorkflowFiles, newBudget, openWorkflow, type WorkflowFile } from "../definitions/files.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { filteredPaths, filtersPaths, requestsSkip, startsOnPaths, startsOnRef } from "../definitions/triggers.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { linesOf, replaceLines, type ScheduleLine, type TimedScheduleLine, withNextTimes } from "./schedules.ts"
import { startRun } from "./start.ts"

/** The most references of one push that start workflows; a push of more is an import. */
const MOST_REFS = 20

interface TriggeredWorkflow {
  readonly file: WorkflowFile
  readonly workflow: Workflow
  readonly change: RefChange
  readonly commit: Commit
}

/** The most jobs that one push may start: they are created while other writers wait. */
const MOST_JOBS_OF_PUSH = 1000

/** The first workflows whose jobs stay within the limit. */
function withinLimit(triggered: readonly TriggeredWorkflow[]): readonly TriggeredWorkflow[] {
  let jobs = 0
  return triggered.filter(({ workflow }) => {
    jobs += workflow.jobs.length
    return jobs <= MOST_JOBS_OF_PUSH
  })
}

/** The effect of one reference change on workflows. */
interface PushEffect {
  readonly triggered: readonly TriggeredWorkflow[]
  /** The schedule lines of the default branch; undefined for other references. */
  readonly lines: readonly TimedScheduleLine[] | undefined
}

/** Starts runs of workflows triggered by a push, as defined in the pushed commits, and updates the schedules from the default branch. */
export const startWorkflows: PushStep = async (moved) => {
  const { services, row, changes } = moved
  const effects: PushEffect[] = []
  const budget = newBudget()
  if (row.has_actions === 1 && row.is_archived === 0)
    for (const change of changes.slice(0, MOST_REFS)) effects.push(await inspectChange(moved, change, budget))
  return async (tx, { pusher }) => {
    for (const { lines } of effects) if (lines) await replaceLines(tx, row.id, lines)
    const triggered = withinLimit(effects.flatMap((effect) => effect.triggered))
    if (triggered.length === 0) return
    const disabled = await disabledWorkflows(tx, row.id)
    for (const { file, workflow, change, commit } of triggered)
      if (!disabled.has(file.name))
        await startRun(tx, services, {
          repositoryId: row.id,
          actorId: pusher.id,
          file,
          workflow,
          event: "push",
          payload: { ref: change.ref, before: change.oldId, after: change.newId },
          ref: change.ref,
          commit,
        })
    services.log.debug({ repository: row.id, runs: triggered.length }, "workflows started by a push")
  }
}

async function inspectChange(moved: MovedPush, change: RefChange, budget: Budget): Promise<PushEffect> {
  const { services, repository, row } = moved
  const { git } = services
  const commit = change.newId === null ? undefined : await peel(git, repository, change.newId)
  const isDefault = change.ref === `refs/heads/${row.default_branch}`
  const starts = commit !== undefined && !requestsSkip(commit.message)
  const triggered: TriggeredWorkflow[] = []
  const lines: ScheduleLine[] = []
  for (const file of commit && (starts || isDefault) ? await findWorkflowFiles(git, repository, commit.tree) : []) {
    const workflow = await openWorkflow(git, repository, file, budget)
    if (!workflow || !commit) continue
    lines.push(...linesOf(file, workflow))
    if (starts && (await startsOnPush(moved, change, commit, workflow))) triggered.push({ file, workflow, change, commit })
  }
  return { triggered, lines: isDefault ? withNextTimes(lines, services.now()) : undefined }
}

async function startsOnPush(moved: MovedPush, change: RefChange, commit: Commit, workflow: Workflow): Promise<boolean> {
  const filters = workflow.events.get("push")
  if (!filters || !startsOnRef(filters, change.ref)) return false
  if (!change.ref.startsWith("refs/heads/") || !filtersPaths(filters)) return true
  return startsOnPaths(filters, await changedPaths(moved, change, commit))
}

/** The files that a push to a branch changed; for a new branch those of its last commit. */
async function changedPaths(
  { services: { git }, repository }: MovedPush,
  { oldId }: RefChange,
  commit: Commit,
): Promise<readonly string[]> {
  return filteredPaths(await git.diffs.files(repository, oldId ?? commit.parents[0] ?? null, commit.id))
}
