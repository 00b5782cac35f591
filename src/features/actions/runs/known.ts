import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { isMapping, type Members, membersOf } from "../../../core/yaml.ts"
import type { Call } from "../definitions/calls.ts"
import type { Contexts } from "../definitions/expressions.ts"
import { findVariablesFor } from "../settings/store.ts"
import { findContextParts, githubContext } from "./context.ts"
import type { Needs } from "./needs.ts"
import type { Job, Run } from "./store.ts"

/** What expressions of a run can name on the server. */

/** The variables of a repository's workflows: its own before its owner's, and those before the site's. */
export async function variablesFor(db: Handle, repositoryId: number, ownerId: number): Promise<Readonly<Record<string, string>>> {
  const rows = await findVariablesFor(db, { repositoryId, ownerId })
  const rank = (row: (typeof rows)[number]) => (row.repository_id !== null ? 2 : row.owner_id !== null ? 1 : 0)
  return Object.fromEntries(rows.toSorted((one, other) => rank(one) - rank(other)).map(({ name, data }) => [name, data]))
}

/** Which part of a run expressions belong to. */
export interface Scope {
  readonly job?: Pick<Job, "key">
  /** Of a called workflow, the inputs of the call. */
  readonly inputs?: Members | undefined
}

export type ContextsOf = (scope: Scope) => Contexts

/** Reads what expressions of a run can name; the result gives the contexts of its parts. */
export async function readContexts(db: Handle, services: Services, run: Run): Promise<ContextsOf> {
  const parts = await findContextParts(db, services, run)
  if (!parts) return () => ({})
  const vars = await variablesFor(db, parts.repository.id, parts.owner.id)
  const sent = parts.event["inputs"]
  return ({ job, inputs }) => {
    const github = githubContext(services.site, { ...parts, job, inputs })
    return { github, gitea: github, vars, inputs: inputs ?? (isMapping(sent) ? sent : {}) }
  }
}

/** The contexts of a job whose needed jobs have ended. */
export function contextsOfJob(contexts: Contexts, needs: Needs, definition: Members): Contexts {
  const { matrix, strategy } = definition
  return { ...contexts, needs, matrix: isMapping(matrix) ? matrix : {}, strategy: isMapping(strategy) ? strategy : {} }
}

/** What a job hands over to the workflow that it calls; undefined for a job with steps, and `inputs` only once it has been called. */
export function callOf({ call }: Pick<Job, "call">): (Pick<Call, "file"> & Partial<Call>) | undefined {
  const { file, inputs, secrets } = membersOf(call)
  if (typeof file !== "string") return undefined
  return { file, ...(isMapping(inputs) ? { inputs } : {}), ...secretsOf(secrets) }
}

function secretsOf(secrets: unknown): Pick<Partial<Call>, "secrets"> {
  if (secrets === "inherit") return { secrets }
  if (!isMapping(secrets)) return {}
  return { secrets: Object.fromEntries(Object.entries(secrets).map(([name, from]) => [name, String(from)])) }
}
