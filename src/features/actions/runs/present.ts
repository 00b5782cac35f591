import type { Owned, Permission } from "../../../access/permission.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { branchOf } from "../../../git/index.ts"
import { parseStrings, presentRepositories } from "../../code/repositories/present.ts"
import { findRepositoriesByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { repositoryApiUrl, repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { presentUserPlainly, standIn } from "../../people/users/present.ts"
import type { ActionTask, ActionWorkflowJob, ActionWorkflowRun, PullRequestMinimal } from "./records.ts"
import { presentState } from "./status.ts"
import {
  type Attempt,
  findLastAttempts,
  findPullsOfBranches,
  findPullsOfRuns,
  findRunnerNames,
  findRunsByIds,
  type Job,
  type Run,
} from "./store.ts"
import { findSteps, type TaskOfRun } from "./tasks-store.ts"

const NO_PERMISSIONS: ReadonlyMap<number, Permission> = new Map()

/** The repositories with these ids and their owners, by id: two queries, none for an empty list. */
async function ownedById(db: Handle, ids: readonly number[]): Promise<ReadonlyMap<number, Owned>> {
  if (ids.length === 0) return new Map()
  const owned = await withOwners(db, await findRepositoriesByIds(db, { ids: [...new Set(ids)] }))
  return new Map(owned.map((one) => [one.repository.id, one]))
}

const headBranch = (ref: string): { readonly head_branch?: string } => {
  const branch = branchOf(ref)
  return branch === undefined ? {} : { head_branch: branch }
}

const errorOf = ({ error }: { readonly error: string }): { readonly error?: string } => (error === "" ? {} : { error })

// --- runs ------------------------------------------------------------------------------------------------------------------------

export interface RunOptions {
  /** Whether pull requests of the runs' branches are shown, or in which repositories: only callers who may read them see them. */
  readonly withPulls: boolean | ReadonlySet<number>
  /** The attempt to show instead of the last one. */
  readonly attempt?: Attempt
}

/** Runs in the order given. The number of queries doesn't grow with the list. The repositories are shown without the caller's permissions. */
export async function presentRuns(
  db: Handle,
  site: Site,
  actor: Actor,
  runs: readonly Run[],
  { withPulls, attempt: asked }: RunOptions,
): Promise<ActionWorkflowRun[]> {
  if (runs.length === 0) return []
  const owned = await ownedById(
    db,
    runs.map((run) => run.repository_id),
  )
  const repositories = new Map(
    (await presentRepositories(db, site, actor, [...owned.values()], { permissions: NO_PERMISSIONS })).map((one) => [one.id, one]),
  )
  const attempts = asked ? [asked] : await findLastAttempts(db, { runIds: runs.map(({ id }) => id) })
  const attemptOf = new Map(attempts.map((attempt) => [attempt.run_id, attempt]))
  const users = await usersById(
    db,
    [...runs, ...attempts].map(({ actor_id }) => actor_id),
  )
  const shown = withPulls === true ? runs : withPulls === false ? [] : runs.filter((run) => withPulls.has(run.repository_id))
  const pulls = shown.length > 0 ? await pullsOf(db, site, shown, owned) : undefined
  const person = (id: number) => presentUserPlainly(site, users.get(id) ?? standIn(id), false)
  return runs.flatMap((run) => {
    const at = owned.get(run.repository_id)
    const repository = repositories.get(run.repository_id)
    if (!at || !repository) return []
    const attempt = attemptOf.get(run.id)
    const { state, started_at, stopped_at } = attempt ?? run
    const number = attempt?.number ?? run.attempt
    const url = `${repositoryApiUrl(site, at.owner.name, at.repository.name)}/actions/runs/${run.id}`
    return [
      {
        id: run.id,
        url,
        previous_attempt_url: number > 1 ? `${url}/attempts/${number - 1}` : null,
        html_url: `${repositoryHtmlUrl(site, at.owner.name, at.repository.name)}/actions/runs/${run.id}`,
        display_title: run.title,
        path: `${run.workflow}@${run.ref}`,
        event: run.event,
        run_attempt: number,
        run_number: run.number,
        repository_id: run.repository_id,
        head_sha: run.commit_id,
        ...headBranch(run.ref),
        ...presentState(state),
        ...errorOf(run),
        actor: person(run.actor_id),
        trigger_actor: person(attempt?.actor_id ?? run.actor_id),
        repository,
        pull_requests: pulls?.(run) ?? [],
        started_at: rfc3339(started_at),
        completed_at: rfc3339(stopped_at),
      },
    ]
  })
}

/** One run; undefined where its repository is gone. */
export async function presentRun(
  db: Handle,
  site: Site,
  actor: Actor,
  run: Run,
  options: RunOptions,
): Promise<ActionWorkflowRun | undefined> {
  const [record] = await presentRuns(db, site, actor, [run], options)
  return record
}

type PullOfRun = Awaited<ReturnType<typeof findPullsOfRuns>>[number]

/** The pull requests of runs; for runs of pushes the open ones of their branches within their repositories. */
async function pullsOf(
  db: Handle,
  site: Site,
  runs: readonly Run[],
  owned: ReadonlyMap<number, Owned>,
): Promise<(run: Run) => PullRequestMinimal[]> {
  const branches = [...new Set(runs.flatMap(({ event, ref }) => (event === "push" ? (branchOf(ref) ?? []) : [])))]
  const ids = [...new Set(runs.flatMap(({ pull_id }) => (pull_id === 0 ? [] : [pull_id])))]
  const repositoryIds = [...new Set(runs.map((run) => run.repository_id))]
  const ofBranches = await findPullsOfBranches(db, { repositoryIds, branches })
  const named = ids.length === 0 ? [] : await findPullsOfRuns(db, { ids })
  const forks = named.flatMap(({ head_repository_id: id }) => (id === null || owned.has(id) ? [] : [id]))
  const all = new Map([...owned, ...(await ownedById(db, forks))])
  const isOf = (run: Run, pull: PullOfRun): boolean =>
    run.event === "push"
      ? pull.head_repository_id === run.repository_id && pull.repository_id === run.repository_id && pull.head_branch === branchOf(run.ref)
      : pull.id === run.pull_id
  return (run) =>
    (run.event === "push" ? ofBranches : named).flatMap((pull) => {
      const base = placeOf(site, all.get(pull.repository_id))
      if (!base || !isOf(run, pull)) return []
      return [
        {
          id: pull.id,
          number: pull.number,
          url: `${base.url}/pulls/${pull.number}`,
          head: {
            ref: pull.head_branch,
            sha: pull.head_id,
            repo: placeOf(site, all.get(pull.head_repository_id ?? 0)) ?? { id: 0, url: "", name: "" },
          },
          base: { ref: pull.base_branch, sha: pull.base_id, repo: base },
        },
      ]
    })
}

/** The repository of a pull request's branch; undefined where it is gone. */
const placeOf = (site: Site, at: Owned | undefined) =>
  at && { id: at.repository.id, url: repositoryApiUrl(site, at.owner.name, at.repository.name), name: at.repository.name }

// --- jobs ------------------------------------------------------------------------------------------------------------------------

/** The id of the job that was run, for a job whose result was kept from an earlier attempt. */
const doneAs = ({ id, original_id }: Job): number => original_id || id

/** Jobs in the order given, with steps and runners. The number of queries doesn't grow with the list. */
export async function presentJobs(db: Handle, site: Site, jobs: readonly Job[]): Promise<ActionWorkflowJob[]> {
  if (jobs.length === 0) return []
  const runs = new Map((await findRunsByIds(db, { ids: [...new Set(jobs.map((job) => job.run_id))] })).map((run) => [run.id, run]))
  const owned = await ownedById(
    db,
    jobs.map((job) => job.repository_id),
  )
  const taken = jobs.filter(({ runner_id }) => runner_id !== 0)
  const steps = taken.length === 0 ? [] : await findSteps(db, { jobIds: taken.map(doneAs) })
  const stepsOf = Map.groupBy(steps, ({ job_id }) => job_id)
  const names = taken.length === 0 ? [] : await findRunnerNames(db, { ids: [...new Set(taken.map(({ runner_id }) => runner_id))] })
  const runnerNames = new Map(names.map(({ id, name }) => [id, name]))
  return jobs.flatMap((job) => {
    const run = runs.get(job.run_id)
    const at = owned.get(job.repository_id)
    if (!run || !at) return []
    const api = `${repositoryApiUrl(site, at.owner.name, at.repository.name)}/actions`
    const runnerName = runnerNames.get(job.runner_id)
    return [
      {
        id: job.id,
        url: `${api}/jobs/${job.id}`,
        html_url: `${repositoryHtmlUrl(site, at.owner.name, at.repository.name)}/actions/runs/${run.id}/jobs/${job.id}`,
        run_id: run.id,
        run_url: `${api}/runs/${run.id}`,
        name: job.name,
        labels: parseStrings(job.labels),
        run_attempt: job.attempt,
        head_sha: run.commit_id,
        ...headBranch(run.ref),
        ...presentState(job.state),
        ...errorOf(job),
        ...(job.runner_id === 0 ? {} : { runner_id: job.runner_id }),
        ...(runnerName === undefined ? {} : { runner_name: runnerName }),
        steps: (stepsOf.get(doneAs(job)) ?? []).map((step) => ({
          name: step.name,
          number: step.number,
          ...presentState(step.state),
          started_at: rfc3339(step.started_at),
          completed_at: rfc3339(step.stopped_at),
        })),
        created_at: rfc3339(job.created_at),
        started_at: rfc3339(job.started_at),
        completed_at: rfc3339(job.stopped_at),
      },
    ]
  })
}

// --- tasks -----------------------------------------------------------------------------------------------------------------------

export const presentTask = (site: Site, { owner, repository }: Owned, task: TaskOfRun): ActionTask => ({
  id: task.id,
  name: task.name,
  head_branch: branchOf(task.ref) ?? "",
  head_sha: task.commit_id,
  run_number: task.run_number,
  event: task.event,
  display_title: task.title,
  status: task.state,
  workflow_id: task.workflow,
  url: `${repositoryHtmlUrl(site, owner.name, repository.name)}/actions/runs/${task.run_id}`,
  created_at: rfc3339(task.created_at),
  updated_at: rfc3339(task.updated_at),
  run_started_at: rfc3339(task.started_at),
})
