import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Insertable } from "kysely"
import type { TestHearth } from "../../../../tests/support/hearth.ts"
import type { ActionRunsTable } from "../../../core/database/tables/actions.ts"
import { signRuntimeToken, type TaskIds } from "../../../features/actions/tokens/runtime-token.ts"

/** A job that runs, as rows, with its runtime token. */
export interface RunningJob extends TaskIds {
  readonly token: string
}

/** Makes a run of one job, and lets a runner take it. */
export async function runJob(
  forge: TestHearth,
  repository: string,
  run: Partial<Insertable<ActionRunsTable>> = {},
  { permissions = "{}" }: { readonly permissions?: string } = {},
): Promise<RunningJob> {
  const { services } = forge.hearth
  const { id: repositoryId } = (await forge.call(forge.root, `GET /repos/${repository}`)).body
  const now = services.now()
  const jobOf = await services.database.write(async (tx) => {
    const { last } = await tx
      .selectFrom("action_runs")
      .select((eb) => eb.fn.max("number").as("last"))
      .where("repository_id", "=", repositoryId)
      .executeTakeFirstOrThrow()
    const { id: runId } = await tx
      .insertInto("action_runs")
      .values({
        repository_id: repositoryId,
        number: (last ?? 0) + 1,
        title: "a run",
        workflow: "build.yml",
        workflow_name: "Build",
        workflow_folder: ".gitea/workflows",
        event: "push",
        payload: "{}",
        ref: "refs/heads/main",
        commit_id: "a".repeat(40),
        actor_id: 1,
        state: "waiting",
        attempt: 1,
        created_at: now,
        ...run,
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    await tx.insertInto("action_attempts").values({ run_id: runId, number: 1, actor_id: 1, state: "waiting", created_at: now }).execute()
    return { runId, jobId: await addJob(tx, { runId, repositoryId, now, permissions }) }
  })
  return takeIt(forge, jobOf)
}

type Tx = Parameters<Parameters<TestHearth["hearth"]["services"]["database"]["write"]>[0]>[0]

async function addJob(
  tx: Tx,
  given: {
    readonly runId: number
    readonly repositoryId: number
    readonly now: number
    readonly permissions: string
    readonly attempt?: number
    readonly original?: number
  },
): Promise<number> {
  const { runId, repositoryId, now, permissions, attempt = 1, original = 0 } = given
  const { id } = await tx
    .insertInto("action_jobs")
    .values({
      run_id: runId,
      repository_id: repositoryId,
      attempt,
      key: "build",
      name: "build",
      needs: "[]",
      condition: "",
      labels: "[]",
      definition: "{}",
      permissions,
      continue_on_error: 0,
      state: original === 0 ? "waiting" : "success",
      original_id: original,
      created_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow()
  return id
}

/** Lets a runner take a job, without what follows for statuses and listeners. */
async function takeIt({ hearth }: TestHearth, { runId, jobId }: { readonly runId: number; readonly jobId: number }): Promise<RunningJob> {
  const { services } = hearth
  const now = services.now()
  const taskId = await services.database.write(async (tx) => {
    const job = await tx
      .updateTable("action_jobs")
      .set({ state: "running", started_at: now })
      .where("id", "=", jobId)
      .returning("repository_id")
      .executeTakeFirstOrThrow()
    const { id } = await tx
      .insertInto("action_tasks")
      .values({
        job_id: jobId,
        repository_id: job.repository_id,
        runner_id: 0,
        state: "running",
        digest: "",
        created_at: now,
        started_at: now,
        updated_at: now,
      })
      .returning("id")
      .executeTakeFirstOrThrow()
    return id
  })
  const ids = { runId, jobId, taskId }
  return { ...ids, token: signRuntimeToken(services, ids) }
}

/** Another job of the run. With `passed`, in another attempt that passes this job through. */
export async function runAnotherJob(forge: TestHearth, { runId }: TaskIds, passed?: TaskIds): Promise<RunningJob> {
  const { services } = forge.hearth
  const now = services.now()
  const jobId = await services.database.write(async (tx) => {
    const run = await tx.selectFrom("action_runs").selectAll().where("id", "=", runId).executeTakeFirstOrThrow()
    const of = { runId, repositoryId: run.repository_id, now, permissions: "{}" }
    if (!passed) return addJob(tx, { ...of, attempt: run.attempt })
    const attempt = run.attempt + 1
    await tx.updateTable("action_runs").set({ attempt }).where("id", "=", runId).execute()
    await tx
      .insertInto("action_attempts")
      .values({ run_id: runId, number: attempt, actor_id: 1, state: "waiting", created_at: now })
      .execute()
    await addJob(tx, { ...of, attempt, original: passed.jobId })
    return addJob(tx, { ...of, attempt })
  })
  return takeIt(forge, { runId, jobId })
}

/** Ends a job's task. */
export async function endTask(
  { hearth }: TestHearth,
  { taskId }: TaskIds,
  state: "success" | "cancelling" | "running" = "success",
): Promise<void> {
  const { database } = hearth.services
  await database.write((tx) => tx.updateTable("action_tasks").set({ state }).where("id", "=", taskId).execute())
}

/** A process with GitHub's libraries, which takes a second to load them. */
export interface Steps {
  /** Calls a function of the libraries as a step of the job. `url` is the address that the runner uses. One at a time. */
  readonly run: (
    job: RunningJob,
    url: string,
    call: string,
    given: readonly unknown[],
    env?: Readonly<Record<string, string>>,
    // biome-ignore lint/suspicious/noExplicitAny: what the libraries give is what the tests are about
  ) => Promise<any>
  readonly close: () => Promise<void>
}

export async function openSteps(): Promise<Steps> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-steps-"))
  const child = fork(join(import.meta.dirname, "client.fixture.ts"), [], {
    env: { PATH: process.env["PATH"], RUNNER_TEMP: folder, GITHUB_WORKSPACE: folder },
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  })
  let said = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const ended = once(child, "exit")
  return {
    async run(job, url, call, given, more = {}) {
      // The libraries refuse hosts other than GitHub's and such.
      const github = { GITHUB_SERVER_URL: "http://hearth.localhost", ACTIONS_RESULTS_URL: url, ACTIONS_RUNTIME_TOKEN: job.token }
      const answered = once(child, "message")
      child.send({ env: { ...github, ...more }, call, given })
      const [message] = await Promise.race([answered, ended.then(() => [{ error: "the process died" }])])
      if (message.error !== undefined) throw new Error(`${message.error}\n${said}`)
      return message.value
    },
    async close() {
      child.disconnect()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Calls a method of a Twirp service. */
export async function twirp(
  { hearth }: TestHearth,
  token: string | undefined,
  method: string,
  input: object | string,
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
): Promise<{ readonly status: number; readonly body: any }> {
  const answer = await fetch(`${hearth.url}/twirp/github.actions.results.api.v1.${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: typeof input === "string" ? input : JSON.stringify(input),
  })
  return { status: answer.status, body: await answer.json() }
}

/** The status of a PUT on a connection of its own: one that is refused while it is sent leaves the connection in no state to be used again. */
export const putAlone = (url: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: "PUT", agent: false, headers })
    sent.on("error", reject)
    sent.on("response", (answer) => {
      resolve(answer.statusCode)
      sent.destroy()
    })
    sent.end(body)
  })
