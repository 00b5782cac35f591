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
  /** A JSON list of words for what it can do beyond the first version of the protocol. */
  capabilities: Generated<string>
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
  /** The workflow's members besides its jobs, as JSON. */
  definition: Generated<string>
  /** Why it could not start, for its author; "" otherwise. */
  error: Generated<string>
  /** It runs code of a fork: its jobs get no secrets, and tokens that only read. */
  is_untrusted: Generated<Flag>
  /** At most one run or job of a repository's group runs at a time; "" for none. */
  concurrency_group: Generated<string>
  /** It waits until its group is free. */
  is_held: Generated<Flag>
  /** Its last attempt was cancelled: only jobs start whose condition says so. */
  is_cancelled: Generated<Flag>
  /** The files of workflows that its jobs call, as JSON. */
  called: Generated<string>
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
  /** What it has put out, as a JSON object of texts. */
  outputs: Generated<string>
  /** Why it could not start, for its author; "" otherwise. */
  error: Generated<string>
  /** What its token may do, as a JSON object of units and modes. */
  permissions: Generated<string>
  /** Minutes after which it is ended; 0 for the site's limit. */
  timeout_minutes: Generated<number>
  /** At most one run or job of a repository's group runs at a time; "" for none. */
  concurrency_group: Generated<string>
  /** It waits until its group is free. */
  is_held: Generated<Flag>
  /** The job that calls the workflow to which this one belongs; 0 for none. */
  parent_id: Generated<number>
  /** Of a job that calls a workflow, what it hands over, as JSON; "{}" otherwise. Runners don't get such a job, only those called. */
  call: Generated<string>
  /** Its matrix, name or labels name what needed jobs put out: it is laid out once they have ended. */
  is_unexpanded: Generated<Flag>
  state: ActionState
  /** 0 before a runner has taken it. */
  runner_id: Generated<number>
  /** The job of an earlier attempt whose result is reused; 0 if it is run again. */
  original_id: Generated<number>
  /** When it last began to wait for a runner; 0 before that. */
  queued_at: Generated<Seconds>
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
  /** The compressed file of its log below the repository's; "" before it is compressed, and again when it has expired. */
  log_file: Generated<string>
  /** Lines and bytes of its log, without `log_end`. */
  log_lines: Generated<number>
  log_size: Generated<number>
  /** Its last line where the server has ended it, which is neither in the file nor in the parts; "" otherwise. */
  log_end: Generated<string>
  /** The log is complete. */
  log_sealed: Generated<Flag>
  log_expired: Generated<Flag>
  /** It is in one file, compressed with gzip, and has no parts; the size stays that of the text. */
  log_packed: Generated<Flag>
  created_at: Seconds
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
  /** When the runner last reported on it. */
  updated_at: Seconds
  /** When the runner first reported on it; 0 while the runner may not have received it. */
  reported_at: Generated<Seconds>
}

/** Bytes of a log that is not compressed yet: those in files, then those in rows. */
export interface ActionLogPartsTable {
  task_id: number
  /** The offset of its first byte in the log, where the part before it ends. */
  start_at: number
  size: number
  /** Its file below the repository's; "" where `content` has the bytes. */
  file: Generated<string>
  content: Uint8Array | null
}

export interface ActionStepsTable {
  task_id: number
  /** From 0. */
  number: number
  name: string
  state: ActionState
  started_at: Generated<Seconds>
  stopped_at: Generated<Seconds>
  /** Its first line in the log of the task, from 0, and how many it has. */
  log_line: Generated<number>
  log_lines: Generated<number>
}

/** What the steps of a job want shown above its log, in Markdown. */
export interface ActionSummariesTable {
  job_id: number
  /** The number of the step, from 0. */
  step: number
  content: string
}

/** Files uploaded by an attempt of a run, in one zip file unless a media type says otherwise; its name is unique in the attempt. */
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
  /** The job that uploaded it; 0 if that isn't known. */
  job_id: Generated<number>
  /** Of a file that is no zip file; "" otherwise. */
  media_type: Generated<string>
  created_at: Seconds
  updated_at: Seconds
  expires_at: Seconds
}

/** What a job is uploading. The row is deleted once it is stored, or given up. */
export interface ActionUploadsTable {
  id: Generated<number>
  repository_id: number
  task_id: number
  /** `files` is an artifact of the older protocol, whose files come one by one. */
  kind: "artifact" | "files" | "cache"
  /** The name of the artifact, or the key of the cache. */
  name: string
  /** Of a cache, its version and the reference that it belongs to; "" otherwise. */
  version: Generated<string>
  scope: Generated<string>
  media_type: Generated<string>
  /** A JSON list of the names of its parts in their order; "" where their positions say it. */
  parts: Generated<string>
  /** When the artifact expires; 0 where the site decides. */
  expires_at: Generated<Seconds>
  created_at: Seconds
}

/** Parts of uploads, in files of their own below the repository's. */
export interface ActionUploadPartsTable {
  upload_id: number
  name: string
  /** The offset of its first byte, where that is known. */
  position: number
  file: string
  size: number
  sha256: string
}

/** What jobs keep for later ones. A key is stored once for each version and scope, and never changed. */
export interface ActionCachesTable {
  id: Generated<number>
  repository_id: number
  /** The full name of the reference that the run was for: others see it by rules. */
  scope: string
  key: string
  /** A digest by the client of what is in it and how it is packed. */
  version: string
  file: string
  size: number
  sha256: string
  created_at: Seconds
  used_at: Seconds
}

/** Keys that sign the identity tokens of jobs. */
export interface JobIdentityKeysTable {
  id: Generated<number>
  /** The private key (PKCS 8, PEM), sealed. */
  sealed_key: string
  /** The public one as a JWK. */
  public_key: string
  created_at: Seconds
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

/** Events that workflows of default branches listen to, of those whose workflows are read there. */
export interface ActionTriggersTable {
  repository_id: number
  event: string
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
  action_log_parts: ActionLogPartsTable
  action_summaries: ActionSummariesTable
  action_artifacts: ActionArtifactsTable
  action_uploads: ActionUploadsTable
  action_upload_parts: ActionUploadPartsTable
  action_caches: ActionCachesTable
  job_identity_keys: JobIdentityKeysTable
  action_variables: ActionVariablesTable
  action_secrets: ActionSecretsTable
  disabled_workflows: DisabledWorkflowsTable
  action_schedules: ActionSchedulesTable
  action_triggers: ActionTriggersTable
}
