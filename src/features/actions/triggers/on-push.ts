import type { Commit } from "../../../git/index.ts"
import { peel } from "../../code/commits/revision.ts"
import type { MovedPush, PushStep, RefChange } from "../../code/pushes/step.ts"
import { type Budget, findWorkflowFiles, newBudget, openWorkflow, type WorkflowFile } from "../definitions/files.ts"
import { disabledWorkflows } from "../definitions/store.ts"
import { asksForPaths, pathsOf, saysSkip, startsOnPaths, startsOnRef } from "../definitions/triggers.ts"
import type { Workflow } from "../definitions/workflow.ts"
import { type Line, linesOf, replaceLines, type TimedLine, timed } from "./schedules.ts"
import { startRun } from "./start.ts"

/** References of one push that workflows are started for; whoever pushes more imports. */
const MOST_REFS = 20

interface Started {
  readonly file: WorkflowFile
  readonly workflow: Workflow
  readonly change: RefChange
  readonly commit: Commit
}

/** Jobs that one push may bring about: they are laid out while others wait to write. */
const MOST_JOBS_OF_PUSH = 1000

/** The first of them that stay within the bound. */
function withinBounds(started: readonly Started[]): readonly Started[] {
  let jobs = 0
  return started.filter(({ workflow }) => {
    jobs += workflow.jobs.length
    return jobs <= MOST_JOBS_OF_PUSH
  })
}

/** What a push means for workflows. */
interface Meaning {
  readonly started: readonly Started[]
  /** The lines by which the clock starts them; undefined where the push doesn't move the default branch. */
  readonly lines: readonly TimedLine[] | undefined
}

/** Workflows that start on pushes are laid out as runs, by the files of the very commits that were pushed; and the clock learns of those on the default branch. */
export const startWorkflows: PushStep = async (moved) => {
  const { services, row, changes } = moved
  const meanings: Meaning[] = []
  const budget = newBudget()
  if (row.has_actions === 1 && row.is_archived === 0)
    for (const change of changes.slice(0, MOST_REFS)) meanings.push(await lookAt(moved, change, budget))
  return async (tx, { pusher }) => {
    for (const { lines } of meanings) if (lines) await replaceLines(tx, row.id, lines)
    const started = withinBounds(meanings.flatMap((meaning) => meaning.started))
    if (started.length === 0) return
    const disabled = await disabledWorkflows(tx, row.id)
    for (const { file, workflow, change, commit } of started)
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
    services.log.debug({ repository: row.id, runs: started.length }, "workflows started by a push")
  }
}

async function lookAt(moved: MovedPush, change: RefChange, budget: Budget): Promise<Meaning> {
  const { services, repository, row } = moved
  const { git } = services
  const commit = change.newId === null ? undefined : await peel(git, repository, change.newId)
  const isDefault = change.ref === `refs/heads/${row.default_branch}`
  const starts = commit !== undefined && !saysSkip(commit.message)
  const started: Started[] = []
  const lines: Line[] = []
  for (const file of commit && (starts || isDefault) ? await findWorkflowFiles(git, repository, commit.tree) : []) {
    const workflow = await openWorkflow(git, repository, file, budget)
    if (!workflow || !commit) continue
    lines.push(...linesOf(file, workflow))
    if (starts && (await startsOnPush(moved, change, commit, workflow))) started.push({ file, workflow, change, commit })
  }
  return { started, lines: isDefault ? timed(lines, services.now()) : undefined }
}

async function startsOnPush(moved: MovedPush, change: RefChange, commit: Commit, workflow: Workflow): Promise<boolean> {
  const said = workflow.events.get("push")
  if (!said || !startsOnRef(said, change.ref)) return false
  if (!change.ref.startsWith("refs/heads/") || !asksForPaths(said)) return true
  return startsOnPaths(said, await changedPaths(moved, change, commit))
}

/** The files that a push of a branch changed; of a new branch those of its last commit. */
async function changedPaths(
  { services: { git }, repository }: MovedPush,
  { oldId }: RefChange,
  commit: Commit,
): Promise<readonly string[]> {
  return pathsOf(await git.diffs.files(repository, oldId ?? commit.parents[0] ?? null, commit.id))
}
