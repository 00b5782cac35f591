import { findRepositoryById } from "../../../access/store.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Owning } from "../../../core/owner-scope.ts"
import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { isMapping, type Members } from "../../../core/yaml.ts"
import type { CalledFiles } from "../definitions/calls.ts"
import { payloadOf } from "../definitions/payload.ts"
import { identityRequest } from "../oidc/tokens.ts"
import { findContextParts, type GithubContext, githubContext } from "../runs/context.ts"
import { callOf, variablesFor } from "../runs/known.ts"
import { type Needs, needsOf } from "../runs/needs.ts"
import { findJob, findRunsByIds, type Job, type Run } from "../runs/store.ts"
import type { ActiveTask } from "../runs/tasks-store.ts"
import { secretSeal } from "../settings/rules.ts"
import { findSecretsFor } from "../settings/store.ts"
import { tokenOfTask } from "../tokens/job-token.ts"
import { signRuntimeToken } from "../tokens/runtime-token.ts"

/** What a runner gets with a task. */
export interface TaskContent {
  readonly payload: string
  readonly context: GithubContext
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  readonly needs: Needs
}

/** Which task, and whose. */
export type TaskOfJob = Pick<ActiveTask, "id" | "job_id" | "repository_id">

/** A task's job, its run, and the calls that led to it, the outermost first. */
interface TaskJob {
  readonly run: Run
  readonly job: Job
  readonly callers: readonly Job[]
}

/** The content of a task that has just been taken; undefined where its repository is gone. */
export async function contentOf(services: Services, task: ActiveTask): Promise<TaskContent | undefined> {
  const { database, site, config } = services
  const found = await findTaskJob(database.read, task)
  const parts = found && (await findContextParts(database.read, { site, config }, found.run))
  if (!parts) return undefined
  const { run, job, callers } = found
  const caller = callers.at(-1)
  const call = caller && callOf(caller)
  const { files }: CalledFiles = JSON.parse(run.called)
  const token = tokenOfTask(services, task.id)
  const ownerId = parts.owner.id
  const github = githubContext(site, { ...parts, job, ...(call?.inputs ? { inputs: call.inputs } : {}) })
  const identity = identityRequest(services, site.rootUrl, { taskId: task.id }, { job, run })
  const context = {
    ...github,
    event: withTexts(github["event"]),
    token,
    gitea_runtime_token: signRuntimeToken(services, { taskId: task.id, runId: run.id, jobId: job.id }),
    ...(identity && { actions_id_token_request_url: identity.url, actions_id_token_request_token: identity.token }),
  }
  return {
    payload: payloadOf({ run, job, ...(call ? { called: files?.[call.file]?.members ?? {} } : {}) }),
    context,
    secrets: { ...(await secretsOf(services, found, ownerId)), GITHUB_TOKEN: token, GITEA_TOKEN: token },
    variables: await variablesFor(database.read, run.repository_id, ownerId),
    needs: await needsOf(database.read, job),
  }
}

/** The event with the texts of its inputs that are true or false: the runner reads an input of that type from its text, and takes anything else for false. */
function withTexts(event: unknown): Members {
  if (!isMapping(event)) return {}
  const { inputs } = event
  if (!isMapping(inputs)) return event
  const texts = Object.entries(inputs).map(([name, value]) => [name, typeof value === "boolean" ? String(value) : value])
  return { ...event, inputs: Object.fromEntries(texts) }
}

async function findTaskJob(db: Handle, task: TaskOfJob): Promise<TaskJob | undefined> {
  const job = await findJob.first(db, { repositoryId: task.repository_id, id: task.job_id })
  const [run] = job ? await findRunsByIds(db, { ids: [job.run_id] }) : []
  if (!job || !run) return undefined
  const callers: Job[] = []
  for (let id = job.parent_id; id !== 0; id = callers[0]?.parent_id ?? 0) {
    const caller = await findJob.first(db, { repositoryId: task.repository_id, id })
    if (!caller) break
    callers.unshift(caller)
  }
  return { run, job, callers }
}

/**
 * The secrets that a job gets: those of the owner and the repository, whose own come first; none for code of a fork. A called workflow gets
 * what its caller hands over: all, those that it maps to names, or none.
 */
async function secretsOf(services: Services, { run, callers }: TaskJob, ownerId: number): Promise<Readonly<Record<string, string>>> {
  if (run.is_untrusted === 1) return {}
  const rows = await findSecretsFor(services.database.read, { repositoryId: run.repository_id, ownerId })
  const secrets = new Map<string, string>()
  for (const row of rows.toSorted((one, other) => Number(one.repository_id !== null) - Number(other.repository_id !== null))) {
    const owning: Owning = row.repository_id === null ? { of: "owner", ownerId } : { of: "repository", repositoryId: row.repository_id }
    try {
      secrets.set(row.name, services.secrets.unseal(row.sealed_data, secretSeal(owning, row.name)))
    } catch (error) {
      // The job goes on without it, as if it were not set.
      if (!(error instanceof SealBroken)) throw error
      services.log.error({ err: error, secret: row.name, repository: run.repository_id }, "a secret can't be read")
    }
  }
  return callers.reduce(handedOver, Object.fromEntries(secrets))
}

/** Of the secrets that a workflow has, those that one which it calls gets, under its own names for them. */
export function handedOver(secrets: Readonly<Record<string, string>>, caller: Pick<Job, "call">): Readonly<Record<string, string>> {
  const handed = callOf(caller)?.secrets ?? {}
  if (handed === "inherit") return secrets
  const mapped = Object.entries(handed).flatMap(([name, source]) => {
    const value = secrets[source.toUpperCase()]
    return value === undefined ? [] : [[name.toUpperCase(), value] as const]
  })
  return Object.fromEntries(mapped)
}

/** The texts that must not appear in the log of a task. */
export interface ConfidentialTexts {
  /** Its access token. */
  readonly token: string
  /** Its secrets, and each line of those that have several. */
  readonly secrets: readonly string[]
}

export async function confidentialTexts(services: Services, task: TaskOfJob): Promise<ConfidentialTexts> {
  const { database } = services
  const found = await findTaskJob(database.read, task)
  const repository = found && (await findRepositoryById.first(database.read, { id: found.run.repository_id }))
  const secrets = repository ? Object.values(await secretsOf(services, found, repository.owner_id)) : []
  return { token: tokenOfTask(services, task.id), secrets: secrets.flatMap((text) => [text, ...text.split(/\r?\n/)]) }
}
