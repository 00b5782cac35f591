import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** The status of a job, an attempt or a run. `blocked` waits for other jobs, `waiting` for a runner. */
export type ActionState = "blocked" | "waiting" | "running" | "cancelling" | "success" | "failure" | "cancelled" | "skipped"

/** Machines that run jobs. One belongs to a repository, or to a person or organisation, or else to the site. */
export interface RunnersTable {
  id: Generated<number>
  repository_id: number | null
  owner_id: number | null
  uuid: string
  name: string
  version: Generated<string>
  /** SHA-256 of its token, hex. */
  digest: string
  /** A JSON list of names. */
  labels: Generated<string>
  /** It takes one job and is removed afterwards. */
  is_ephemeral: Generated<Flag>
  is_disabled: Generated<Flag>
  /** When it last called, and when it last reported on a job. */
  online_at: Generated<Seconds>
  active_at: Generated<Seconds>
  created_at: Seconds
  updated_at: Seconds
  /** Removed runners are kept, so that jobs can name them. */
  deleted_at: Generated<Seconds>
}

/** Registration tokens of runners, one for each owner. */
export interface RunnerRegistrationsTable {
  id: Generated<number>
  repository_id: number | null
  owner_id: number | null
  /** SHA-256 of the token, hex, to look it up. */
  digest: string
  /** The token itself, sealed, to be shown again. */
  sealed_token: string
  created_at: Seconds
}

/** The last run number of a repository; numbers are never reused. */
export interface ActionCountersTable {
  repository_id: number
  last_number: number
}

/** A run of a workflow for an event. */
export interface ActionRunsTable {
  id: Generated<number>
  repository_id: number
  number: number
  title: string
  /** The file below the folder of workflows. */
  workflow: string
  event: string
  /** The payload of the event, as JSON. */
  payload: string
  ref: string
  commit_id: string
  /** The commit that its jobs' statuses belong to, as JSON: statuses are written where git can't be used. */
  checked_commit: Generated<string>
  /** The workflow's own name, "" for none, and the folder of its file. */
  workflow_name: Generated<string>
  workflow_folder: Generated<string>
  /** It needs approval before it runs. */
  needs_approval: Generated<Flag>
  /** The pull request that it runs for; 0 for none. */
  pull_id: Generated<number>
  /** A key of its trigger where that may be handled twice; "" otherwise. */
  cause: Generated<string>
  /** The user who triggered it; the account may be deleted. */
  actor_id: number
  /** The status of the last attempt, as are the times. */
  state: ActionState
  attempt: number
  created_at: Seconds
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
}

export interface ActionAttemptsTable {
  id: Generated<number>
  run_id: number
  number: number
  /** Who asked for it. */
  actor_id: number
  state: ActionState
  created_at: Seconds
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
}

/** A job of one attempt. */
export interface ActionJobsTable {
  id: Generated<number>
  run_id: number
  repository_id: number
  attempt: number
  /** Its key in the workflow; jobs of a matrix share it. */
  key: string
  name: string
  /** A JSON list of the keys of the jobs that it waits for. */
  needs: string
  /** The text of its condition; "" for none. */
  condition: string
  /** A JSON list of the labels that a runner needs. */
  labels: string
  /** The job as JSON, with the values of its matrix. */
  definition: string
  /** Its failure doesn't fail the run. */
  continue_on_error: Flag
  state: ActionState
  /** 0 before a runner has taken it. */
  runner_id: Generated<number>
  /** The job of an earlier attempt whose result is reused; 0 if it is run again. */
  original_id: Generated<number>
  created_at: Seconds
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
}

/** A job that a runner has taken. */
export interface ActionTasksTable {
  id: Generated<number>
  job_id: number
  repository_id: number
  runner_id: number
  state: ActionState
  /** SHA-256 of the job's own token, hex. */
  digest: string
  /** The file of its log below the repository's; "" while there is none, and again when it has expired. */
  log_file: Generated<string>
  /** Lines and bytes of its log; anything after them in the file was written by a process that was killed before it updated the row. */
  log_lines: Generated<number>
  log_size: Generated<number>
  /** The log is complete. */
  log_sealed: Generated<Flag>
  log_expired: Generated<Flag>
  created_at: Seconds
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
  /** When the runner last reported on it. */
  updated_at: Seconds
}

export interface ActionStepsTable {
  task_id: number
  /** From 0. */
  number: number
  name: string
  state: ActionState
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
}

/** Files uploaded by an attempt of a run, in one zip file; its name is unique in the attempt. */
export interface ActionArtifactsTable {
  id: Generated<number>
  run_id: number
  repository_id: number
  attempt: number
  name: string
  /** The file below the repository's; "" when it has expired. */
  file: Generated<string>
  /** Bytes, and their SHA-256 in hex. */
  size: number
  sha256: Generated<string>
  is_expired: Generated<Flag>
  created_at: Seconds
  updated_at: Seconds
  expires_at: Seconds
}

/** Variables for workflows. They belong to a repository, or to a person or organisation. */
export interface ActionVariablesTable {
  id: Generated<number>
  repository_id: number | null
  owner_id: number | null
  /** In upper case. */
  name: string
  data: string
  description: string
  created_at: Seconds
  updated_at: Seconds
}

/** Secrets for workflows, whose values are never shown. */
export interface ActionSecretsTable {
  id: Generated<number>
  repository_id: number | null
  owner_id: number | null
  name: string
  sealed_data: string
  description: string
  created_at: Seconds
  updated_at: Seconds
}

/** Schedules of workflows on default branches: a row for each cron line. */
export interface ActionSchedulesTable {
  id: Generated<number>
  repository_id: number
  workflow: string
  /** The text of the line. */
  line: string
  next_at: Seconds
}

/** Disabled workflows, by their files. */
export interface DisabledWorkflowsTable {
  repository_id: number
  workflow: string
}

export interface ActionTables {
  runners: RunnersTable
  runner_registrations: RunnerRegistrationsTable
  action_counters: ActionCountersTable
  action_runs: ActionRunsTable
  action_attempts: ActionAttemptsTable
  action_jobs: ActionJobsTable
  action_tasks: ActionTasksTable
  action_steps: ActionStepsTable
  action_artifacts: ActionArtifactsTable
  action_variables: ActionVariablesTable
  action_secrets: ActionSecretsTable
  disabled_workflows: DisabledWorkflowsTable
  action_schedules: ActionSchedulesTable
}
