import { dateTime, int64, nullable, oneOf, record } from "../../core/record.ts"
import Type, { type Static } from "../../core/schema.ts"
import { Repository } from "../code/repositories/records.ts"
import { User } from "../people/users/records.ts"

// --- runners ---------------------------------------------------------------------------------------------------------------------

export const ActionRunner = record("ActionRunner", {
  id: int64(),
  name: Type.String(),
  status: oneOf(["online", "offline"], { description: "online where it was heard of within a minute" }),
  busy: Type.Boolean({ description: "it told of a job within ten seconds" }),
  disabled: Type.Boolean(),
  ephemeral: Type.Boolean({ description: "it takes one job, and is gone afterwards" }),
  labels: Type.Array(
    record("ActionRunnerLabel", { id: int64({ description: "the place in the list, from 0" }), name: Type.String(), type: Type.String() }),
  ),
})
export type ActionRunner = Static<typeof ActionRunner>

export const ActionRunnersResponse = record("ActionRunnersResponse", { runners: Type.Array(ActionRunner), total_count: int64() })

export const EditActionRunnerOption = record("EditActionRunnerOption", {
  disabled: Type.Optional(Type.Boolean({ description: "a disabled runner is given no further job", documentedAs: "required" })),
})

export const RegistrationToken = record("RegistrationToken", { token: Type.String() })

// --- what workflows are given ----------------------------------------------------------------------------------------------------

/** UTF-16 code units. */
const VALUE = { maxLength: 65_536 }
const DESCRIPTION = Type.Optional(Type.String({ maxLength: 4_096 }))

export const ActionVariable = record("ActionVariable", {
  owner_id: int64({ description: "0 for a repository’s" }),
  repo_id: int64({ description: "0 for those of a person or organisation" }),
  name: Type.String(),
  data: Type.String(),
  description: Type.String(),
})
export type ActionVariable = Static<typeof ActionVariable>

export const CreateVariableOption = record("CreateVariableOption", { value: Type.String(VALUE), description: DESCRIPTION })
export type CreateVariableOption = Static<typeof CreateVariableOption>

export const UpdateVariableOption = record("UpdateVariableOption", {
  value: Type.String(VALUE),
  description: DESCRIPTION,
  name: Type.Optional(Type.String({ description: "a new name; without it the name stays" })),
})
export type UpdateVariableOption = Static<typeof UpdateVariableOption>

export const Secret = record("Secret", { name: Type.String(), description: Type.String(), created_at: dateTime() })
export type Secret = Static<typeof Secret>

export const CreateOrUpdateSecretOption = record("CreateOrUpdateSecretOption", { data: Type.String(VALUE), description: DESCRIPTION })
export type CreateOrUpdateSecretOption = Static<typeof CreateOrUpdateSecretOption>

// --- runs and jobs ---------------------------------------------------------------------------------------------------------------

const STATUS = oneOf(["queued", "waiting", "in_progress", "completed"], {
  description: "queued waits for a runner, waiting for other jobs",
})
const CONCLUSION = Type.Optional(oneOf(["success", "failure", "cancelled", "skipped"], { description: "left out until it is completed" }))

const ActionWorkflowStep = record("ActionWorkflowStep", {
  name: Type.String(),
  number: int64({ description: "from 0" }),
  status: STATUS,
  conclusion: CONCLUSION,
  started_at: dateTime(),
  completed_at: dateTime(),
})

export const ActionWorkflowJob = record("ActionWorkflowJob", {
  id: int64(),
  url: Type.String(),
  html_url: Type.String(),
  run_id: int64(),
  run_url: Type.String(),
  name: Type.String(),
  labels: Type.Array(Type.String(), { description: "what it asks of a runner" }),
  run_attempt: int64(),
  head_sha: Type.String(),
  head_branch: Type.Optional(Type.String()),
  status: STATUS,
  conclusion: CONCLUSION,
  runner_id: Type.Optional(int64({ description: "left out until a runner has taken it" })),
  runner_name: Type.Optional(Type.String()),
  steps: Type.Array(ActionWorkflowStep),
  created_at: dateTime(),
  started_at: dateTime(),
  completed_at: dateTime(),
})
export type ActionWorkflowJob = Static<typeof ActionWorkflowJob>

export const ActionWorkflowJobsResponse = record("ActionWorkflowJobsResponse", {
  jobs: Type.Array(ActionWorkflowJob),
  total_count: int64(),
})

const PullRequestMinimalHead = record("PullRequestMinimalHead", {
  ref: Type.String(),
  sha: Type.String(),
  repo: record("PullRequestMinimalHeadRepo", { id: int64(), url: Type.String(), name: Type.String() }),
})
const PullRequestMinimal = record("PullRequestMinimal", {
  id: int64(),
  number: int64(),
  url: Type.String(),
  head: PullRequestMinimalHead,
  base: PullRequestMinimalHead,
})
export type PullRequestMinimal = Static<typeof PullRequestMinimal>

export const ActionWorkflowRun = record("ActionWorkflowRun", {
  id: int64(),
  url: Type.String(),
  previous_attempt_url: nullable(Type.String()),
  html_url: Type.String(),
  display_title: Type.String(),
  path: Type.String({ description: "the workflow’s file and the reference, with @ between them" }),
  event: Type.String(),
  run_attempt: int64(),
  run_number: int64({ description: "number inside the repository" }),
  repository_id: int64(),
  head_sha: Type.String(),
  head_branch: Type.Optional(Type.String()),
  status: STATUS,
  conclusion: CONCLUSION,
  actor: User,
  trigger_actor: User,
  repository: Repository,
  head_repository: Type.Optional(Repository),
  pull_requests: Type.Array(PullRequestMinimal),
  started_at: dateTime(),
  completed_at: dateTime(),
})
export type ActionWorkflowRun = Static<typeof ActionWorkflowRun>

export const ActionWorkflowRunsResponse = record("ActionWorkflowRunsResponse", {
  workflow_runs: Type.Array(ActionWorkflowRun),
  total_count: int64(),
})

export const ActionTask = record("ActionTask", {
  id: int64(),
  name: Type.String(),
  head_branch: Type.String(),
  head_sha: Type.String(),
  run_number: int64(),
  event: Type.String(),
  display_title: Type.String(),
  status: Type.String(),
  workflow_id: Type.String(),
  url: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
  run_started_at: dateTime(),
})
export type ActionTask = Static<typeof ActionTask>

export const ActionTaskResponse = record("ActionTaskResponse", { workflow_runs: Type.Array(ActionTask), total_count: int64() })

export const ActionArtifact = record("ActionArtifact", {
  id: int64(),
  name: Type.String(),
  size_in_bytes: int64(),
  expired: Type.Boolean(),
  url: Type.String(),
  archive_download_url: Type.String(),
  workflow_run: ActionWorkflowRun,
  created_at: dateTime(),
  updated_at: dateTime(),
  expires_at: dateTime(),
})
export type ActionArtifact = Static<typeof ActionArtifact>

export const ActionArtifactsResponse = record("ActionArtifactsResponse", { artifacts: Type.Array(ActionArtifact), total_count: int64() })

// --- workflows -------------------------------------------------------------------------------------------------------------------

export const ActionWorkflow = record("ActionWorkflow", {
  id: Type.String({ description: "the file below the folder of workflows" }),
  name: Type.String(),
  path: Type.String(),
  state: oneOf(["active", "disabled_manually"]),
  url: Type.String(),
  html_url: Type.String(),
  badge_url: Type.String(),
  created_at: dateTime({ description: "when the default branch’s last commit was written" }),
  updated_at: dateTime({ description: "the same" }),
  deleted_at: Type.Optional(dateTime({ description: "never sent: a workflow whose file is gone is not listed" })),
})
export type ActionWorkflow = Static<typeof ActionWorkflow>

export const ActionWorkflowResponse = record("ActionWorkflowResponse", { workflows: Type.Array(ActionWorkflow), total_count: int64() })

export const CreateActionWorkflowDispatch = record("CreateActionWorkflowDispatch", {
  ref: Type.Optional(Type.String({ description: "a branch or a tag, short or in full", documentedAs: "required" })),
  inputs: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 65_536 }))),
})
export type CreateActionWorkflowDispatch = Static<typeof CreateActionWorkflowDispatch>

export const RunDetails = record("RunDetails", { workflow_run_id: int64(), run_url: Type.String(), html_url: Type.String() })
