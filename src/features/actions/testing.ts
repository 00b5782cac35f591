import { randomUUID } from "node:crypto"
import type { Insertable } from "kysely"
import type { TestHearth } from "../../../tests/support/hearth.ts"
import type { ActionState, RunnersTable } from "../../core/database/tables/actions.ts"
import { publishingChanges } from "./runs/publish.ts"
import { updateRun } from "./runs/update.ts"

/** The id of a repository, for tests. */
export async function repositoryId({ call, root }: TestHearth, name: string): Promise<number> {
  return (await call(root, `GET /repos/${name}`)).body.id
}

/** Adds a runner to an owner scope, named as in the paths: "/admin", "/user" for ann, "/orgs/…" or "/repos/…/…". */
export async function addRunner(
  forge: TestHearth,
  place: string,
  {
    labels = [],
    ...more
  }: Partial<Omit<Insertable<RunnersTable>, "labels">> & { readonly name: string; readonly labels?: readonly string[] },
): Promise<number> {
  const [, kind, name = "ann", repo] = place.split("/")
  const owner = kind === "user" || kind === "orgs" ? (await forge.call(forge.root, `GET /users/${name}`)).body.id : null
  const repository = repo ? await repositoryId(forge, `${name}/${repo}`) : null
  const { database, now } = forge.hearth.services
  const uuid = randomUUID()
  const { id } = await database.write((tx) =>
    tx
      .insertInto("runners")
      .values({
        repository_id: repository,
        owner_id: owner,
        uuid,
        digest: uuid,
        labels: JSON.stringify(labels),
        created_at: now(),
        updated_at: now(),
        ...more,
      })
      .returning("id")
      .executeTakeFirstOrThrow(),
  )
  return id
}

const WORKFLOW = `name: build
on:
  push:
  workflow_dispatch:
    inputs:
      level: {default: low}
      loud: {type: boolean}
jobs:
  build:
    runs-on: nowhere
    steps: [{run: echo hello}]
  check:
    needs: build
    runs-on: [nowhere, fast]
    steps: [{run: echo checked}]
`

/** Commits a workflow to a branch, which starts it. */
export async function commitWorkflow(
  { call }: TestHearth,
  by: string,
  repository: string,
  { path = ".gitea/workflows/build.yml", text = WORKFLOW, branch = "main", message = "add build" } = {},
): Promise<string> {
  const content = Buffer.from(text).toString("base64")
  const { status, body } = await call(by, `POST /repos/${repository}/contents/${path}`, { content, message, branch })
  if (status !== 201) throw new Error(`the workflow was not committed: ${status} ${JSON.stringify(body)}`)
  return body.commit.sha
}

/** Assigns a job to a runner, with these steps, and returns the id of the task. */
export async function takeJob(
  { hearth }: TestHearth,
  jobId: number,
  runnerId: number,
  steps: readonly (readonly [name: string, state: ActionState])[] = [],
  at = hearth.services.now(),
  heard = at,
): Promise<number> {
  const { services } = hearth
  return services.database.write(async (tx) => {
    const job = await tx.selectFrom("action_jobs").selectAll().where("id", "=", jobId).executeTakeFirstOrThrow()
    const taken = { state: "running", runner_id: runnerId, started_at: at } as const
    return publishingChanges(tx, services, [job.run_id], async () => {
      await tx.updateTable("action_jobs").set(taken).where("id", "=", jobId).execute()
      const { id } = await tx
        .insertInto("action_tasks")
        .values({ ...taken, job_id: jobId, repository_id: job.repository_id, digest: "", created_at: at, updated_at: heard })
        .returning("id")
        .executeTakeFirstOrThrow()
      for (const [number, [name, state]] of steps.entries())
        await tx.insertInto("action_steps").values({ task_id: id, number, name, state, started_at: at }).execute()
      await updateRun(tx, services, job.run_id)
      return id
    })
  })
}

/** Ends all jobs of a run with the same state. */
export async function finishRun({ hearth }: TestHearth, runId: number, state: ActionState): Promise<void> {
  const { services } = hearth
  const now = services.now()
  await services.database.write((tx) =>
    publishingChanges(tx, services, [runId], async () => {
      await tx.updateTable("action_jobs").set({ state, started_at: now, stopped_at: now }).where("run_id", "=", runId).execute()
      await updateRun(tx, services, runId)
    }),
  )
}

/** Ends a job as a runner does that has taken it. */
export async function endJob(
  { hearth }: TestHearth,
  jobId: number,
  state: ActionState,
  outputs: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { services } = hearth
  const now = services.now()
  await services.database.write(async (tx) => {
    const job = await tx.selectFrom("action_jobs").selectAll().where("id", "=", jobId).executeTakeFirstOrThrow()
    await publishingChanges(tx, services, [job.run_id], async () => {
      const end = { state, started_at: now, stopped_at: now }
      await tx
        .updateTable("action_jobs")
        .set({ ...end, outputs: JSON.stringify(outputs) })
        .where("id", "=", jobId)
        .execute()
      await tx
        .updateTable("action_tasks")
        .set({ state, stopped_at: now })
        .where("job_id", "=", jobId)
        .where("state", "in", ["running", "cancelling"])
        .execute()
      await updateRun(tx, services, job.run_id)
    })
  })
}

/** An expression of a workflow, put together so that it is not mistaken for a template literal. */
export const expression = (text: string): string => ["$", "{{ ", text, " }}"].join("")

/** One run of a workflow, seen and moved on by the names of its jobs. */
export interface PlayedRun {
  readonly id: number
  /** The states of the jobs by name, as the API shows them: the conclusion, or else the status. */
  readonly jobs: () => Promise<Readonly<Record<string, string>>>
  /** The same of the run. */
  readonly state: () => Promise<string>
  readonly jobId: (name: string) => Promise<number>
  readonly end: (name: string, state: ActionState, outputs?: Readonly<Record<string, string>>) => Promise<void>
}

/** Starts a workflow of a repository by committing its text, and follows the run that its file made last. */
export async function playWorkflow(forge: TestHearth, by: string, repository: string, text: string, file = "play.yml"): Promise<PlayedRun> {
  const path = `.gitea/workflows/${file}`
  const there = await forge.call(by, `GET /repos/${repository}/contents/${path}`)
  const content = Buffer.from(text).toString("base64")
  const change = { content, message: `write ${file}`, branch: "main", ...(there.status === 200 ? { sha: there.body.sha } : {}) }
  const written = await forge.call(by, `${there.status === 200 ? "PUT" : "POST"} /repos/${repository}/contents/${path}`, change)
  if (written.status >= 300) throw new Error(`the workflow was not committed: ${written.status} ${JSON.stringify(written.body)}`)
  const { body } = await forge.call(by, `GET /repos/${repository}/actions/runs?head_sha=${written.body.commit.sha}`)
  const run = body.workflow_runs.find((one: { readonly path: string }) => one.path.startsWith(`${file}@`))
  return follow(forge, by, repository, run.id)
}

interface Shown {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly conclusion?: string
}

export function follow(forge: TestHearth, by: string, repository: string, id: number): PlayedRun {
  const at = `/repos/${repository}/actions/runs/${id}`
  const stateOf = ({ status, conclusion }: Shown) => conclusion ?? status
  const shown = async (): Promise<readonly Shown[]> => (await forge.call(by, `GET ${at}/jobs?limit=100`)).body.jobs
  const jobId = async (name: string): Promise<number> => {
    const job = (await shown()).find((one) => one.name === name)
    if (!job) throw new Error(`there is no job ${name}`)
    return job.id
  }
  return {
    id,
    jobs: async () => Object.fromEntries((await shown()).map((job) => [job.name, stateOf(job)])),
    state: async () => stateOf((await forge.call(by, `GET ${at}`)).body),
    jobId,
    end: async (name, state, outputs) => endJob(forge, await jobId(name), state, outputs),
  }
}
