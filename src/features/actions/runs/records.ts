import { dateTime, int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { Repository } from "../../code/repositories/records.ts"
import { User } from "../../people/users/records.ts"

const STATUS = oneOf(["queued", "waiting", "in_progress", "completed"], {
  description: "queued waits for a runner, waiting for other jobs",
})
const CONCLUSION = Type.Optional(oneOf(["success", "failure", "cancelled", "skipped"], { description: "left out until it is completed" }))

const ERROR = Type.Optional(Type.String({ description: "why it could not start; left out where it could" }))

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
  error: ERROR,
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
  error: ERROR,
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
