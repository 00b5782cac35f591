import type { Owned } from "../../../access/permission.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { anonymous, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { isMapping, type Members, membersOf } from "../../../core/yaml.ts"
import { branchOf, tagOf } from "../../../git/index.ts"
import { EVERYTHING, presentRepository } from "../../code/repositories/present.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { findAttempt, type Job, type Run } from "./store.ts"

/** The `github` context of a run or a job. */

/** The rows that it follows from. */
export interface ContextParts extends Owned {
  readonly run: Run
  /** Undefined for what belongs to the run as a whole. */
  readonly job: Pick<Job, "key"> | undefined
  /** Who started the run, and who asked for its last attempt. */
  readonly actor: User
  readonly triggeringActor: User
  /** What the webhook of the event would have sent. */
  readonly event: Members
  /** Of a job of a called workflow, the inputs of the call. */
  readonly inputs?: Members | undefined
  /** Where actions are fetched from by default. */
  readonly actionsUrl: string
}

/** A context without tokens: all values are texts besides `event`, a mapping, and `ref_protected`. */
export type GithubContext = Readonly<Record<string, string | boolean | Members>>

/** The values that only the runner knows. */
const OF_THE_RUNNER = {
  action: "",
  action_path: "",
  action_ref: "",
  action_repository: "",
  action_status: "",
  env: "",
  event_path: "",
  graphql_url: "",
  path: "",
  retention_days: "",
  workspace: "",
} as const

/** The `github` context as runners are given it, and as the server evaluates it. */
export function githubContext(site: Site, parts: ContextParts): GithubContext {
  const { run, job, repository, owner, actor, triggeringActor, event, inputs, actionsUrl } = parts
  return {
    ...OF_THE_RUNNER,
    actor: actor.name,
    api_url: `${site.rootUrl}/api/v1`,
    base_ref: branchOfPull(event, "base"),
    head_ref: branchOfPull(event, "head"),
    event: inputs === undefined ? event : { ...event, inputs },
    event_name: inputs === undefined ? run.event : "workflow_call",
    gitea_default_actions_url: actionsUrl,
    job: job?.key ?? "",
    ref: run.ref,
    ref_name: shortName(run.ref),
    ref_protected: false,
    ref_type: branchOf(run.ref) !== undefined ? "branch" : tagOf(run.ref) !== undefined ? "tag" : "",
    repository: `${owner.name}/${repository.name}`,
    repository_owner: owner.name,
    repositoryUrl: repositoryHtmlUrl(site, owner.name, repository.name),
    run_attempt: String(run.attempt),
    run_id: String(run.id),
    run_number: String(run.number),
    secret_source: "Actions",
    server_url: `${site.rootUrl}/`,
    sha: run.commit_id,
    triggering_actor: triggeringActor.name,
    workflow: run.workflow_name || run.workflow,
  }
}

/** The name of a branch or tag; for a pull request its number and "head". */
const shortName = (ref: string): string => branchOf(ref) ?? tagOf(ref) ?? ref.replace(/^refs\/(?:pull\/)?/, "")

/** The short name of a branch of the event's pull request; "" where the event is about none. */
function branchOfPull(event: Members, side: "base" | "head"): string {
  const pull = event["pull_request"]
  const branch = isMapping(pull) ? pull[side] : undefined
  const ref = isMapping(branch) ? branch["ref"] : undefined
  return typeof ref === "string" ? ref : ""
}

/** The rows of a run's context; undefined where its repository is gone. */
export async function findContextParts(
  db: Handle,
  { site, config }: Pick<Services, "site" | "config">,
  run: Run,
): Promise<ContextParts | undefined> {
  const repository = await findRepositoryById.first(db, { id: run.repository_id })
  const owner = repository && (await findUserById.first(db, { id: repository.owner_id }))
  if (!owner) return undefined
  const person = async (id: number): Promise<User> => (await findUserById.first(db, { id })) ?? standIn(id)
  const attempt = await findAttempt.first(db, { runId: run.id, number: run.attempt })
  const actor = await person(run.actor_id)
  const triggeringActor = attempt === undefined || attempt.actor_id === run.actor_id ? actor : await person(attempt.actor_id)
  const { sourceUrl } = config.actions
  return {
    repository,
    owner,
    run,
    job: undefined,
    actor,
    triggeringActor,
    event: {
      repository: await presentRepository(db, site, anonymous, { repository, owner }, EVERYTHING),
      sender: presentUser(site, actor),
      // That of a fork has another repository.
      ...membersOf(run.payload),
    },
    actionsUrl: sourceUrl === "self" ? site.rootUrl : sourceUrl,
  }
}
