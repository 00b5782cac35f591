import type { Commit } from "../../git/index.ts"
import { peel } from "../contents/revision.ts"
import type { Consequence, Moved, RefChange } from "../transport/consequences.ts"
import { disabledWorkflows, startRun } from "./start.ts"
import { asksForPaths, saysSkip, startsOnPaths, startsOnRef } from "./triggers.ts"
import type { Workflow } from "./workflow.ts"
import { type Budget, findWorkflowFiles, newBudget, openWorkflow } from "./workflow-files.ts"

/** References of one push that workflows are started for; whoever pushes more imports. */
const MOST_REFS = 20

interface Started {
  readonly file: string
  readonly workflow: Workflow
  readonly change: RefChange
  readonly commit: Commit
}

/** Workflows that start on pushes are laid out as runs, by the files of the very commits that were pushed. */
export const startWorkflows: Consequence = async (moved) => {
  const { services, row, changes } = moved
  const started: Started[] = []
  const budget = newBudget()
  if (row.has_actions === 1 && row.is_archived === 0)
    for (const change of changes.slice(0, MOST_REFS)) started.push(...(await startedBy(moved, change, budget)))
  return async (tx, { pusher, now }) => {
    if (started.length === 0) return
    const disabled = await disabledWorkflows(tx, row.id)
    for (const { file, workflow, change, commit } of started)
      if (!disabled.has(file))
        await startRun(tx, {
          repositoryId: row.id,
          actorId: pusher.id,
          file,
          workflow,
          event: "push",
          payload: { ref: change.ref, before: change.oldId, after: change.newId },
          ref: change.ref,
          commit,
          now,
        })
    services.log.debug({ repository: row.id, runs: started.length }, "workflows started by a push")
  }
}

async function startedBy(moved: Moved, change: RefChange, budget: Budget): Promise<readonly Started[]> {
  const { services, repository } = moved
  const { git } = services
  const commit = change.newId === null ? undefined : await peel(git, repository, change.newId)
  if (!commit || saysSkip(commit.message)) return []
  const started: Started[] = []
  for (const file of await findWorkflowFiles(git, repository, commit.tree)) {
    const workflow = await openWorkflow(git, repository, file, budget)
    const said = workflow?.events.get("push")
    if (!workflow || !said || !startsOnRef(said, change.ref)) continue
    if (change.ref.startsWith("refs/heads/") && asksForPaths(said) && !startsOnPaths(said, await changedPaths(moved, change, commit)))
      continue
    started.push({ file: file.name, workflow, change, commit })
  }
  return started
}

/** The files that a push of a branch changed; of a new branch those of its last commit. */
async function changedPaths({ services: { git }, repository }: Moved, { oldId }: RefChange, commit: Commit): Promise<readonly string[]> {
  const files = await git.diffs.files(repository, oldId ?? commit.parents[0] ?? null, commit.id)
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined || previousPath === path ? [path] : [path, previousPath]))
}
