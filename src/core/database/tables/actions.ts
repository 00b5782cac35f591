import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** How far a job, an attempt or a run has come. `blocked` waits for other jobs, `waiting` for a runner. */
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
  /** It takes one job, and is gone afterwards. */
  is_ephemeral: Generated<Flag>
  is_disabled: Generated<Flag>
  /** When it was last heard of, and when it last told of a job. */
  online_at: Generated<Seconds>
  active_at: Generated<Seconds>
  created_at: Seconds
  updated_at: Seconds
  /** A runner that was removed is kept, so that jobs can name it. */
  deleted_at: Generated<Seconds>
}

/** What runners register with, one for each place. */
export interface RunnerRegistrationsTable {
  id: Generated<number>
  repository_id: number | null
  owner_id: number | null
  /** SHA-256 of the token, hex: what a runner that registers is looked up by. */
  digest: string
  /** The token itself, sealed: whoever asks again is shown the same. */
  sealed_token: string
  created_at: Seconds
}

/** The last number that a run of a repository has had; numbers are never given twice. */
export interface ActionCountersTable {
  repository_id: number
  last_number: number
}

/** A workflow that runs, or has run, for an event. */
export interface ActionRunsTable {
  id: Generated<number>
  repository_id: number
  number: number
  title: string
  /** The file below the folder of workflows. */
  workflow: string
  event: string
  /** What the event was about, as JSON. */
  payload: string
  ref: string
  commit_id: string
  /** The commit that its jobs' statuses are of, as JSON: what is told of them is written where git can't be asked. */
  checked_commit: Generated<string>
  /** What the workflow names itself, "" for nothing, and the folder that its file lies in. */
  workflow_name: Generated<string>
  workflow_folder: Generated<string>
  /** Somebody who may must agree before it runs. */
  needs_approval: Generated<Flag>
  /** The pull request that it is about; 0 for none. */
  pull_id: Generated<number>
  /** What it was started for, where that may be looked at twice; "" otherwise. */
  cause: Generated<string>
  /** Who brought it about; nobody's any more where the account is gone. */
  actor_id: number
  /** Of the last attempt, like the times. */
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
  /** What it is called in the workflow; those of a matrix share it. */
  key: string
  name: string
  /** A JSON list of the keys of the jobs that it waits for. */
  needs: string
  /** Its condition as it is written; "" for none. */
  condition: string
  /** A JSON list of what it asks of a runner. */
  labels: string
  /** The job as JSON, with the values of its matrix. */
  definition: string
  /** Its failure is no failure of the run. */
  continue_on_error: Flag
  state: ActionState
  /** 0 before a runner has taken it. */
  runner_id: Generated<number>
  /** The job of an earlier attempt whose outcome still stands, where it was not done again; 0 for none. */
  original_id: Generated<number>
  created_at: Seconds
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
}

/** A job in the hands of a runner. */
export interface ActionTasksTable {
  id: Generated<number>
  job_id: number
  repository_id: number
  runner_id: number
  state: ActionState
  /** SHA-256 of the token that the job itself acts with, hex. */
  digest: string
  /** The file of its log below the repository's; "" while there is none, and again when it has expired. */
  log_file: Generated<string>
  /** Lines of its log, and bytes: what lies behind them in the file was written by a process that ended before it could say so. */
  log_lines: Generated<number>
  log_size: Generated<number>
  /** Nothing comes any more. */
  log_sealed: Generated<Flag>
  log_expired: Generated<Flag>
  created_at: Seconds
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
  /** When the runner last told of it. */
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

/** Files that an attempt of a run has left, in one zip file under a name that is its own in the attempt. */
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

/** What workflows are given by name. It belongs to a repository, or to a person or organisation. */
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

/** The same, without anybody being shown the value. */
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

/** When workflows of default branches are started by the clock: a row for each line. */
export interface ActionSchedulesTable {
  id: Generated<number>
  repository_id: number
  workflow: string
  /** As it is written. */
  line: string
  next_at: Seconds
}

/** Workflows that are switched off, by their files. */
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
