import type { Members } from "../../../core/yaml.ts"
import { branchRef, type Commit } from "../../../git/index.ts"
import { peel } from "../../code/commits/revision.ts"
import type { MovedPush, PushStep, RefChange } from "../../code/pushes/step.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { type Budget, newBudget } from "../definitions/files.ts"
import {
  beginFiltering,
  type Filtering,
  filteredPaths,
  filtersPaths,
  requestsSkip,
  startsOnPaths,
  startsOnRef,
  type Verdict,
} from "../definitions/triggers.ts"
import { externalOfPush } from "../external/events.ts"
import { isBranchOrTag, type PushedCommits, pushedCommits } from "../external/push-payload.ts"
import { type DefaultBranch, describeDefaultBranch, storeDefaultBranch } from "./schedules.ts"
import { findSkipped, reportSkipped } from "./skipped.ts"
import { findListening } from "./store.ts"
import { judge, type Listening, readDefaultWorkflows, readWorkflows, startAll, type Triggered } from "./triggered.ts"

/** The most references of one push that start workflows; a push of more is an import. */
const MOST_REFS = 20

/** The most jobs that one push may start: they are created while other writers wait. */
const MOST_JOBS_OF_PUSH = 1000

/** The effect of one reference change on workflows. */
interface PushEffect {
  readonly change: RefChange
  /** The workflows that it starts, by "push", "create" or "delete". */
  readonly started: readonly Triggered[]
  /** Those that their filters exclude, of pushes to branches. */
  readonly excluded: readonly Listening[]
  /** The commits that are told of; undefined where no workflow starts for a push. */
  readonly pushed?: PushedCommits
  /** The branch as the default branch is described; undefined where it isn't that. */
  readonly described?: DefaultBranch
}

/** Workflows that a push starts and the reference change that starts each; the first whose jobs stay within the limit. */
function withinLimit(effects: readonly PushEffect[]): readonly (PushEffect & { readonly each: Triggered })[] {
  let jobs = 0
  return effects
    .flatMap((effect) => effect.started.map((each) => ({ ...effect, each })))
    .filter(({ each }) => {
      jobs += each.workflow.size
      return jobs <= MOST_JOBS_OF_PUSH
    })
}

const NOT_BY_JOBS = [
  "Workflows were not started: what a job pushes with its own token starts none.",
  "Push with a deploy key or with an access token of a user to start them.",
]

/**
 * Starts runs of workflows for pushed, new and deleted branches and tags, as defined in the pushed commits, or for deleted ones in the default
 * branch. Describes the default branch again.
 */
export const startWorkflows: PushStep = async (moved) => {
  const { services, row, changes } = moved
  const effects: PushEffect[] = []
  const reading = { budget: newBudget(), filtering: beginFiltering(services.config.limits) }
  if (row.has_actions === 1 && row.is_archived === 0)
    for (const change of changes.slice(0, MOST_REFS))
      effects.push(change.newId === null ? await inspectDeleted(moved, change) : await inspectChange(moved, change, reading))
  const excluded = effects.flatMap((effect) => effect.excluded.map((workflow) => ({ workflow, commit: workflow.commit })))
  const skipped = await findSkipped(services, row.id, excluded)
  return async (tx, { repository, owner, pusher, tell }) => {
    for (const { change, described } of effects)
      if (described && change.ref === `refs/heads/${repository.default_branch}`) await storeDefaultBranch(tx, row.id, described)
    const triggered = withinLimit(effects)
    if (pusher.id === ACTIONS_USER.id) {
      if (triggered.length > 0) NOT_BY_JOBS.map(tell)
      return
    }
    const runs = []
    for (const { each, change, pushed } of triggered) {
      const told = externalOfPush(change, pusher, pushed).find(({ workflow }) => workflow?.event === each.event)
      if (!told) continue
      const ref = told.workflow?.ref ?? branchRef(repository.default_branch)
      runs.push({ ...each, actorId: pusher.id, payload: await told.payload(tx, services, { repository, owner }), ref })
    }
    const started = await startAll(tx, services, row.id, runs)
    await reportSkipped(tx, services, row.id, skipped)
    if (started > 0) services.log.debug({ repository: row.id, runs: started }, "workflows started by a push")
  }
}

/** For a deleted branch or tag the workflows of the default branch are read, if one of them listens. */
async function inspectDeleted({ services, row }: MovedPush, change: RefChange): Promise<PushEffect> {
  const isDefault = change.ref === `refs/heads/${row.default_branch}`
  const none = { change, started: [], excluded: [], ...(isDefault && { described: { lines: [], listened: [] } }) }
  if (!isBranchOrTag(change.ref) || !(await findListening.first(services.database.read, { repositoryId: row.id, event: "delete" })))
    return none
  return { ...none, ...(await judge(services, row, await readDefaultWorkflows(services, row), "delete", () => "starts")) }
}

/** What all references of a push share. */
interface Reading {
  readonly budget: Budget
  readonly filtering: Filtering
}

async function inspectChange(moved: MovedPush, change: RefChange, { budget, filtering }: Reading): Promise<PushEffect> {
  const { services, repository, row } = moved
  const commit = change.newId === null ? undefined : await peel(services.git, repository, change.newId)
  const isNew = change.oldId === null && isBranchOrTag(change.ref)
  // The first push to a repository may choose its default branch.
  const mayBeDefault = change.ref === `refs/heads/${row.default_branch}` || (row.is_empty === 1 && change.ref.startsWith("refs/heads/"))
  const skips = commit === undefined || requestsSkip(commit.message)
  const workflows = commit && (!skips || isNew || mayBeDefault) ? await readWorkflows(services, row, commit, budget) : []
  const created = isNew ? (await judge(services, row, workflows, "create", () => "starts")).started : []
  const judged = skips
    ? { started: [], excluded: [] }
    : await judge(services, row, workflows, "push", (filters) => onPush(moved, { ...change, commit }, filters, filtering))
  return {
    change,
    started: [...created, ...judged.started],
    excluded: judged.excluded,
    ...(judged.started.length > 0 && { pushed: await pushedCommits(moved, change) }),
    ...(mayBeDefault && { described: describeDefaultBranch(workflows, services.now()) }),
  }
}

async function onPush(
  moved: MovedPush,
  change: RefChange & { readonly commit: Commit },
  filters: Members,
  filtering: Filtering,
): Promise<Verdict> {
  const isBranch = change.ref.startsWith("refs/heads/")
  const excluded = isBranch ? "excluded" : "other"
  if (!(await startsOnRef(filters, change.ref, filtering))) return excluded
  if (!isBranch || !filtersPaths(filters)) return "starts"
  return (await startsOnPaths(filters, await changedPaths(moved, change), filtering)) ? "starts" : excluded
}

/** The files that a push to a branch changed; for a new branch those that differ from where it left the default branch. */
async function changedPaths(
  { services: { git }, row, repository }: MovedPush,
  { ref, oldId, commit }: RefChange & { readonly commit: Commit },
): Promise<readonly string[]> {
  const from = oldId ?? (ref === `refs/heads/${row.default_branch}` ? undefined : await leftDefault())
  return filteredPaths(await git.diffs.files(repository, from ?? null, commit.id))

  async function leftDefault() {
    const tip = (await git.history.lastCommit(repository, row.default_branch))?.id
    return tip && (await git.history.mergeBase(repository, tip, commit.id))
  }
}
