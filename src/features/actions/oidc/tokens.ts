import { randomUUID } from "node:crypto"
import { findUserById } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { parseJson } from "../../../core/text/json.ts"
import { findBaseBranch } from "../cache/store.ts"
import { readJwt, type TaskIds, writeJwt } from "../tokens/runtime-token.ts"
import { findRunningTask, type RunningTask } from "../tokens/store.ts"
import { signIdentity } from "./keys.ts"

/**
 * Identity tokens of jobs (OpenID Connect): another service trusts this site to say which repository and branch a job runs for, so that no password need be
 * stored. Only jobs with `permissions: id-token: write` get them, and never code of a fork.
 */

/** The path below which everything about these tokens is served. */
export const OIDC_PATH = "/api/actions/oidc"

/** The issuer in the tokens: an address of its own, since others sign in here by other tokens. */
export const issuerOf = ({ rootUrl }: Site): string => `${rootUrl}${OIDC_PATH}`

/** Seconds for which an identity token is valid: it is exchanged at once. */
const LIFETIME = 300
/** Seconds for which it may be asked for; the task must run all the same. */
const REQUEST_LIFETIME = 4 * 3600
const LONGEST_AUDIENCE = 255

const PURPOSE = "actions identity request"
const Claims = Type.Object({ exp: Type.Integer(), TaskID: Type.Integer() })

/** What `actions_id_token_request_url` and `…_token` say in the context of a job. */
export interface IdentityRequest {
  readonly url: string
  readonly token: string
}

/** Whether a job may have identity tokens. */
export function mayIdentify({
  job,
  run,
}: {
  readonly job: Pick<RunningTask["job"], "permissions">
  readonly run: Pick<RunningTask["run"], "is_untrusted">
}): boolean {
  const granted: unknown = parseJson(job.permissions)
  return run.is_untrusted === 0 && typeof granted === "object" && granted !== null && Reflect.get(granted, "id-token") === "write"
}

/**
 * How a job asks for identity tokens; undefined where it may not have any. `root` is the address that its runner uses, without a slash at its end. The
 * address has a query already, because clients append `&audience=`.
 */
export function identityRequest(
  services: Pick<Services, "secrets" | "now">,
  root: string,
  { taskId }: Pick<TaskIds, "taskId">,
  of: Parameters<typeof mayIdentify>[0],
): IdentityRequest | undefined {
  if (!mayIdentify(of)) return undefined
  const token = writeJwt(services, PURPOSE, { TaskID: taskId, exp: services.now() + REQUEST_LIFETIME })
  return { url: `${root}${OIDC_PATH}/token?api-version=2.0`, token }
}

/**
 * An identity token for a job, by the request token that it was given. Refuses `unauthenticated` any other token and where the job has ended, `forbidden`
 * where it may have none, and `invalid` an unusable audience.
 */
export async function identityFor(services: Services, requestToken: string, audience: string | undefined): Promise<string> {
  const claims = readJwt(services, PURPOSE, requestToken, Claims)
  const task = claims && claims.exp > services.now() ? await findRunningTask(services.database.read, claims.TaskID) : undefined
  if (!task) throw refuse.unauthenticated("this is not the request token of a job that is running")
  if (!mayIdentify(task)) throw refuse.forbidden("the job needs permissions: id-token: write, and must not run code of a fork")
  if (audience !== undefined && (audience === "" || audience.length > LONGEST_AUDIENCE))
    throw refuse.invalid("audience", `must have 1 to ${LONGEST_AUDIENCE} characters`)
  return signIdentity(services, await claimsOf(services, task, audience))
}

/** The claims, with the names and forms of GitHub's, so that the rules of others for those can be used. */
async function claimsOf(
  services: Services,
  { job, run, repository }: RunningTask,
  audience: string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const { site, now, database } = services
  const db = database.read
  const owner = await findUserById.first(db, { id: repository.owner_id })
  const actor = await findUserById.first(db, { id: run.actor_id })
  if (!owner) throw refuse.notFound()
  const fullName = `${owner.name}/${repository.name}`
  const workflow = `${fullName}/${run.workflow_folder}/${run.workflow}@${run.ref}`
  const iat = now()
  return {
    jti: randomUUID(),
    iss: issuerOf(site),
    aud: audience ?? `${site.rootUrl}/${owner.name}`,
    // An environment is not part of it: nothing here protects environments, so that any run could name one.
    sub: `repo:${fullName}:${run.event === "pull_request" ? "pull_request" : `ref:${run.ref}`}`,
    iat,
    nbf: iat,
    exp: iat + LIFETIME,
    repository: fullName,
    repository_id: String(repository.id),
    repository_owner: owner.name,
    repository_owner_id: String(owner.id),
    repository_visibility: repository.is_private === 1 ? "private" : owner.visibility === "public" ? "public" : "internal",
    ref: run.ref,
    ref_type: typeOf(run.ref),
    sha: run.commit_id,
    base_ref: (run.pull_id === 0 ? undefined : await findBaseBranch.first(db, { id: run.pull_id }))?.base_branch ?? "",
    event_name: run.event,
    actor: actor?.name ?? "",
    actor_id: String(run.actor_id),
    workflow: run.workflow_name || run.workflow,
    workflow_ref: workflow,
    workflow_sha: run.commit_id,
    job_workflow_ref: workflow,
    job_workflow_sha: run.commit_id,
    run_id: String(run.id),
    run_number: String(run.number),
    run_attempt: String(job.attempt),
    runner_environment: "self-hosted",
  }
}

function typeOf(ref: string): string {
  if (ref.startsWith("refs/heads/")) return "branch"
  return ref.startsWith("refs/tags/") ? "tag" : ""
}
