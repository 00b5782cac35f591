import Type, { Check, type Static, type TSchema } from "../../../core/schema.ts"
import { isMac } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { parseJson } from "../../../core/text/json.ts"
import { findRunningTask, type RunningTask } from "./store.ts"

/**
 * The runtime token of a job: a JWT that its steps show to the services for artifacts and caches. It grants nothing by itself: the task is looked up at
 * every use, and must still be running.
 */

type Signing = Pick<Services, "secrets" | "now">

/** Seconds: longer than a job may run, and an hour in which it may be late. */
const LIFETIME = 4 * 3600

/** What a token of a job names. */
export interface TaskIds {
  readonly taskId: number
  readonly runId: number
  readonly jobId: number
}

const Claims = Type.Object({
  exp: Type.Integer(),
  nbf: Type.Integer(),
  TaskID: Type.Integer(),
  RunID: Type.Integer(),
  JobID: Type.Integer(),
})

/** The rights as clients of GitHub expect them: to read and write in the scope of the run. */
const RIGHTS = JSON.stringify([{ Scope: "", Permission: 2 }])

const PURPOSE = "actions runtime token"

/** Issues the runtime token of a task. Clients read the ids of run and job out of `scp`, so its form is fixed. */
export function signRuntimeToken(services: Signing, { taskId, runId, jobId }: TaskIds): string {
  const nbf = services.now()
  return writeJwt(services, PURPOSE, {
    nbf,
    exp: nbf + LIFETIME,
    scp: `Actions.Results:${runId}:${jobId}`,
    TaskID: taskId,
    RunID: runId,
    JobID: jobId,
    ac: RIGHTS,
  })
}

/** The task that a runtime token belongs to, while it runs; undefined for any other text. */
export async function readRuntimeToken(services: Services, text: string): Promise<RunningTask | undefined> {
  const claims = readJwt(services, PURPOSE, text, Claims)
  const { now } = services
  if (!claims || claims.nbf > now() || claims.exp <= now()) return undefined
  const found = await findRunningTask(services.database.read, claims.TaskID)
  return found?.run.id === claims.RunID && found.job.id === claims.JobID ? found : undefined
}

// --- JWTs with the site's key -------------------------------------------------------------------------------------------------------------

const HEADER = Buffer.from(JSON.stringify({ alg: "HS256", typ: "JWT" })).toString("base64url")

/** A JWT (HS256) that only this site can issue and verify. Tokens for different purposes have different keys. */
export function writeJwt({ secrets }: Pick<Services, "secrets">, purpose: string, claims: object): string {
  const body = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`
  return `${body}.${secrets.mac(purpose, body)}`
}

/** The claims of such a JWT; undefined when it is not signed for this purpose. The header is compared as a whole, so it can't name another algorithm. */
export function readJwt<Schema extends TSchema>(
  { secrets }: Pick<Services, "secrets">,
  purpose: string,
  text: string,
  schema: Schema,
): Static<Schema> | undefined {
  const [header, payload, signature, ...more] = text.split(".")
  if (header !== HEADER || payload === undefined || signature === undefined || more.length > 0) return undefined
  if (!isMac(secrets, purpose, `${header}.${payload}`, signature)) return undefined
  const claims = parseJson(Buffer.from(payload, "base64url").toString("utf8"))
  return Check(schema, claims) ? claims : undefined
}
