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
      await updateRun(tx, job.run_id, at)
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
      await updateRun(tx, runId, now)
    }),
  )
}
