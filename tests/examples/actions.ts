import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"
import { storeArtifact } from "../../src/features/actions/artifacts/artifacts.ts"
import { appendLog } from "../../src/features/actions/runs/logs.ts"
import { type Person, times, type World } from "../support/world.ts"
import type { Example, Examples } from "./example.ts"

/** An owner of runners, and except for the site also of variables and secrets. */
interface Place {
  readonly authorization: string
  readonly owner: Person | "root"
  /** Below /api/v1. */
  readonly at: string
  readonly path: Readonly<Record<string, string>>
  readonly ownerId: number | null
  readonly repositoryId: number | null
  /** A repository whose runs are among those of the owner. */
  readonly repository: () => Promise<{ readonly id: number; readonly by: Person; readonly name: string }>
}

const inRepository = async (world: World, owner: Person) => {
  const { id, repo } = await world.repository(owner, { auto_init: true, default_branch: "main" })
  return { id, by: owner, name: `${owner.name}/${repo}`, repo }
}

const places: Readonly<Record<"Admin" | "Org" | "User" | "Repo", (world: World) => Promise<Place>>> = {
  async Admin(world) {
    const site = { owner: "root", at: "/admin", path: {}, ownerId: null, repositoryId: null } as const
    return { ...site, authorization: world.root, repository: async () => inRepository(world, await world.person()) }
  },
  async Org(world) {
    const organization = await world.organization(await world.person())
    const { name, owner, id } = organization
    const repository = async () => {
      const made = await world.repository(organization, { auto_init: true, default_branch: "main" })
      return { id: made.id, by: owner, name: `${name}/${made.repo}` }
    }
    return {
      authorization: owner.authorization,
      owner,
      at: `/orgs/${name}`,
      path: { org: name },
      ownerId: id,
      repositoryId: null,
      repository,
    }
  },
  async User(world) {
    const owner = await world.person()
    const mine = { owner, at: "/user", path: {}, ownerId: owner.id, repositoryId: null }
    return { ...mine, authorization: owner.authorization, repository: () => inRepository(world, owner) }
  },
  async Repo(world) {
    const owner = await world.person()
    const made = await inRepository(world, owner)
    const path = { owner: owner.name, repo: made.repo }
    const place = { owner, at: `/repos/${made.name}`, path, ownerId: null, repositoryId: made.id }
    return { ...place, authorization: owner.authorization, repository: async () => made }
  },
}

const calling = ({ authorization, path }: Place, more: Readonly<Record<string, string | number>> = {}, body?: object): Example => ({
  authorization,
  path: { ...path, ...more },
  ...(body && { body }),
})

/** Adds runners as rows: no operation makes them. */
async function addRunner({ hearth }: World, { ownerId, repositoryId }: Place): Promise<number> {
  const { database, now } = hearth.services
  const uuid = randomUUID()
  const placed = { owner_id: ownerId, repository_id: repositoryId, created_at: now(), updated_at: now() }
  const row = { ...placed, uuid, name: "runner", digest: uuid, labels: '["linux"]' }
  const { id } = await database.write((tx) => tx.insertInto("runners").values(row).returning("id").executeTakeFirstOrThrow())
  return id
}

const WORKFLOW = "on: [push, workflow_dispatch]\njobs: {build: {runs-on: linux}, check: {needs: build, runs-on: linux}}\n"

const commit = (world: World, by: Person, name: string, file: string) =>
  world.must(by, `POST /repos/${name}/contents/.gitea/workflows/${file}`, {
    content: Buffer.from(WORKFLOW).toString("base64"),
    message: "workflow",
    branch: "main",
  })

interface RunList {
  readonly workflow_runs: readonly { readonly id: number }[]
}

/** So many runs of a workflow, whose ids are given, newest first. */
async function runsIn(world: World, place: Place, size: number): Promise<readonly number[]> {
  const { by, name } = await place.repository()
  await commit(world, by, name, "build.yml")
  await times(size - 1, () => world.must(by, `POST /repos/${name}/actions/workflows/build.yml/dispatches`, { ref: "main" }))
  const { workflow_runs: runs } = await world.must<RunList>(by, `GET /repos/${name}/actions/runs?limit=50`)
  return runs.map(({ id }) => id)
}

const named = (kind: "variables" | "secrets") => async (world: World, place: Place, size: number) => {
  const names = await times(size, async () => world.unique("name").replace("-", "_").toUpperCase())
  for (const name of names) {
    const route = `${kind === "secrets" ? "PUT" : "POST"} ${place.at}/actions/${kind}/${name}`
    await world.must(place.owner, route, kind === "secrets" ? { data: "sesame" } : { value: "red" })
  }
  return names[0] ?? ""
}
const variables = named("variables")
const secrets = named("secrets")

const LISTS = {
  Admin: { runs: "listAdminWorkflowRuns", jobs: "listAdminWorkflowJobs", id: "admin" },
  Org: { runs: "getOrgWorkflowRuns", jobs: "getOrgWorkflowJobs", id: "org" },
  User: { runs: "getUserWorkflowRuns", jobs: "getUserWorkflowJobs", id: "user" },
  Repo: { runs: "getWorkflowRuns", jobs: "listWorkflowJobs", id: "repo" },
} as const

function examplesAt(name: keyof typeof LISTS, make: (world: World) => Promise<Place>): Examples {
  const { runs, jobs, id } = LISTS[name]
  const withRunners = async (world: World, size: number) => {
    const place = await make(world)
    const ids = await times(size, () => addRunner(world, place))
    return { place, runner: { runner_id: ids[0] ?? 0 } }
  }
  const withRuns = async (world: World, size: number) => {
    const place = await make(world)
    await runsIn(world, place, size)
    return calling(place)
  }
  const onRunner =
    (body?: object) =>
    async (world: World): Promise<Example> => {
      const { place, runner } = await withRunners(world, 1)
      return calling(place, runner, body)
    }
  return {
    [`get${name}Runners`]: async (world, size) => calling((await withRunners(world, size)).place),
    [`${id}RotateRunnerRegistrationToken`]: async (world) => calling(await make(world)),
    [`${id}CreateRunnerRegistrationToken`]: async (world) => calling(await make(world)),
    [`get${name}Runner`]: onRunner(),
    [`update${name}Runner`]: onRunner({ disabled: true }),
    [`delete${name}Runner`]: onRunner(),
    [runs]: withRuns,
    [jobs]: withRuns,
  }
}

function settingExamplesAt(name: "Org" | "User" | "Repo", make: (world: World) => Promise<Place>): Examples {
  const onVariable =
    (body?: object) =>
    async (world: World): Promise<Example> => {
      const place = await make(world)
      return calling(place, { variablename: await variables(world, place, 1) }, body)
    }
  const list: Examples = {
    [`${LISTS[name].id}ListActionsSecrets`]: async (world, size) => {
      const place = await make(world)
      await secrets(world, place, size)
      return calling(place)
    },
  }
  return {
    ...(name === "User" ? {} : list),
    [`update${name}Secret`]: async (world) =>
      calling(await make(world), { secretname: "KEY" }, { data: "sesame", description: "of the door" }),
    [`delete${name}Secret`]: async (world) => {
      const place = await make(world)
      return calling(place, { secretname: await secrets(world, place, 1) })
    },
    [`get${name}VariablesList`]: async (world, size) => {
      const place = await make(world)
      await variables(world, place, size)
      return calling(place)
    },
    [`get${name}Variable`]: onVariable(),
    [`create${name}Variable`]: async (world) =>
      calling(await make(world), { variablename: "COLOUR" }, { value: "red", description: "of all" }),
    [`update${name}Variable`]: onVariable({ value: "blue", name: "HUE", description: "of some" }),
    [`delete${name}Variable`]: onVariable(),
  }
}

// --- one repository ----------------------------------------------------------------------------------------------------------------

interface JobList {
  readonly jobs: readonly { readonly id: number }[]
}

/** A repository with so many runs, the newest of which is given with its first job. */
async function run(world: World, size = 1) {
  const place = await places.Repo(world)
  const [id = 0] = await runsIn(world, place, size)
  const { jobs } = await world.must<JobList>(place.owner, `GET ${place.at}/actions/runs/${id}/jobs`)
  return { place, id, jobId: jobs[0]?.id ?? 0 }
}

/** The same after it has failed. */
async function ended(world: World) {
  const made = await run(world)
  const end = { state: "failure", stopped_at: world.hearth.services.now() } as const
  await world.hearth.services.database.write(async (tx) => {
    await tx.updateTable("action_jobs").set(end).where("run_id", "=", made.id).execute()
    await tx.updateTable("action_runs").set(end).where("id", "=", made.id).execute()
  })
  return made
}

/** So many artifacts, and as many tasks of the run's first job, as rows: only runners make them. */
async function leftovers(world: World, size: number) {
  const made = await run(world)
  const { database, now } = world.hearth.services
  const base = { repository_id: made.place.repositoryId ?? 0, created_at: now(), updated_at: now() }
  const artifacts = Array.from({ length: size }, (_, index) => ({
    ...base,
    run_id: made.id,
    attempt: 1,
    name: `book ${index}`,
    size: 7,
    expires_at: now() + 3600,
  }))
  const tasks = Array.from({ length: size }, () => ({ ...base, job_id: made.jobId, runner_id: 1, state: "running" as const, digest: "" }))
  return database.write(async (tx) => {
    const [first] = await tx.insertInto("action_artifacts").values(artifacts).returning("id").execute()
    await tx.insertInto("action_tasks").values(tasks).execute()
    return { ...made, artifactId: first?.id ?? 0 }
  })
}

/** A repository's row. */
const rowOf = ({ hearth }: World, { repositoryId }: Place) =>
  hearth.services.database.read
    .selectFrom("repositories")
    .selectAll()
    .where("id", "=", repositoryId ?? 0)
    .executeTakeFirstOrThrow()

/** A job with a log. */
async function withLog(world: World): Promise<Example> {
  const { place, jobId } = await leftovers(world, 1)
  const { services } = world.hearth
  const { id: taskId } = await services.database.read
    .selectFrom("action_tasks")
    .select("id")
    .where("job_id", "=", jobId)
    .executeTakeFirstOrThrow()
  const lines = [{ seconds: services.now(), nanos: 0, content: "done" }]
  await appendLog(services, { repository: await rowOf(world, place), taskId, index: 0, lines, isLast: true })
  return calling(place, { job_id: jobId })
}

const onRun = async (world: World): Promise<Example> => {
  const { place, id } = await run(world)
  return calling(place, { run: id, attempt: 1 })
}
const onJob = async (world: World): Promise<Example> => {
  const { place, jobId } = await run(world)
  return calling(place, { job_id: jobId })
}
const onWorkflow =
  (body?: object) =>
  async (world: World): Promise<Example> =>
    calling((await run(world)).place, { workflow_id: "build.yml" }, body)
const again = async (world: World): Promise<Example> => {
  const { place, id, jobId } = await ended(world)
  return calling(place, { run: id, job_id: jobId })
}

/** A run that waits for its approval: as a row, because only pull requests of others make them. */
const unapproved = async (world: World): Promise<Example> => {
  const { place, id } = await run(world)
  await world.hearth.services.database.write(async (tx) => {
    await tx.updateTable("action_runs").set({ needs_approval: 1, state: "blocked" }).where("id", "=", id).execute()
    await tx.updateTable("action_jobs").set({ state: "blocked" }).where("run_id", "=", id).execute()
  })
  return calling(place, { run: id })
}

const single: Examples = {
  GetWorkflowRun: onRun,
  getWorkflowRunAttempt: onRun,
  deleteActionRun: again,
  rerunWorkflowRun: again,
  cancelWorkflowRun: onRun,
  approveWorkflowRun: unapproved,
  rerunFailedWorkflowRun: again,
  rerunWorkflowJob: again,
  listWorkflowRunJobs: manyJobs,
  listWorkflowRunAttemptJobs: manyJobs,
  getWorkflowJob: onJob,
  downloadActionsRunJobLogs: withLog,
  ListActionTasks: async (world, size) => calling((await leftovers(world, size)).place),
  getArtifacts: async (world, size) => calling((await leftovers(world, size)).place),
  getArtifactsOfRun: async (world, size) => {
    const { place, id } = await leftovers(world, size)
    return calling(place, { run: id })
  },
  getArtifact: async (world) => {
    const { place, artifactId } = await leftovers(world, 1)
    return calling(place, { artifact_id: artifactId })
  },
  downloadArtifact: async (world) => {
    const { place, id: runId } = await run(world)
    const repository = await rowOf(world, place)
    const artifact = { repository, runId, attempt: 1, name: "book" }
    const { id } = await storeArtifact(world.hearth.services, artifact, Readable.from([Buffer.from("a zip file")]))
    return calling(place, { artifact_id: id })
  },
  deleteArtifact: async (world) => {
    const { place, artifactId } = await leftovers(world, 1)
    return calling(place, { artifact_id: artifactId })
  },
  ActionsListRepositoryWorkflows: onWorkflow(),
  ActionsGetWorkflow: onWorkflow(),
  ActionsListWorkflowRuns: async (world, size) => calling((await run(world, size)).place, { workflow_id: "build.yml" }),
  ActionsDisableWorkflow: onWorkflow(),
  ActionsEnableWorkflow: async (world) => {
    const { place } = await run(world)
    await world.must(place.owner, `PUT ${place.at}/actions/workflows/build.yml/disable`)
    return calling(place, { workflow_id: "build.yml" })
  },
  ActionsDispatchWorkflow: onWorkflow({ ref: "main", inputs: { level: "low" } }),
}

/** A run with so many jobs. */
async function manyJobs(world: World, size: number): Promise<Example> {
  const { place, id } = await run(world)
  const { database, now } = world.hearth.services
  const job = { run_id: id, repository_id: place.repositoryId ?? 0, attempt: 1, name: "more", needs: "[]", condition: "" }
  const more = { labels: "[]", definition: "{}", continue_on_error: 0, state: "waiting", created_at: now() } as const
  await database.write((tx) =>
    tx
      .insertInto("action_jobs")
      .values(Array.from({ length: size }, (_, index) => ({ ...job, ...more, key: `more-${index}` })))
      .execute(),
  )
  return calling(place, { run: id, attempt: 1 })
}

export const actionExamples: Examples = {
  ...examplesAt("Admin", places.Admin),
  ...examplesAt("Org", places.Org),
  ...examplesAt("User", places.User),
  ...examplesAt("Repo", places.Repo),
  ...settingExamplesAt("Org", places.Org),
  ...settingExamplesAt("User", places.User),
  ...settingExamplesAt("Repo", places.Repo),
  ...single,
}
