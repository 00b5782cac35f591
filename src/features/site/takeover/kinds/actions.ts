import type { ActionState } from "../../../../core/database/tables/actions.ts"
import { flag } from "../../../../core/database/tables/types.ts"
import { isMapping, mappingOf, readMapping } from "../../../../core/yaml.ts"
import { zipSize } from "../../../actions/artifacts/zip.ts"
import { registrationDigest, sealFor } from "../../../actions/runners/rules.ts"
import { type Kind, leftOut, put, rows, sealed } from "../mapping/kind.ts"
import { artifactOf } from "../mapping/world.ts"
import { isOn, moment, number, onOff, type SourceRow, text, texts } from "../source/row.ts"
import { formerDigest, OWNER_GONE, ownedColumns, owningOf } from "./credentials.ts"

const GONE = { repository: "the repository is gone", run: "the run is gone", job: "the job is gone", task: "the task is gone" } as const

const DONE: Readonly<Record<number, ActionState>> = { 1: "success", 2: "failure", 3: "cancelled", 4: "skipped" }

/** The state of what has ended; what had not is cancelled: its runner works for the old server. */
const stateOf = (row: SourceRow): ActionState => DONE[number(row, "status")] ?? "cancelled"

/** Its times; what had begun and not ended ends when it was seen last. */
function timesOf(row: SourceRow) {
  const [started, stopped] = [moment(row, "started"), moment(row, "stopped")]
  return {
    created_at: moment(row, "created"),
    started_at: started,
    stopped_at: stopped > 0 || started === 0 ? stopped : moment(row, "updated"),
  }
}

const runners: Kind = {
  name: "runners",
  from: "action_runner",
  into: "runners",
  map(row, world) {
    const [id, owning] = [number(row, "id"), owningOf(row, world)]
    if (!owning) return leftOut(OWNER_GONE)
    return rows(
      put("runners", {
        id,
        ...ownedColumns(owning),
        uuid: text(row, "uuid"),
        name: text(row, "name"),
        version: text(row, "version"),
        digest: formerDigest(id),
        labels: JSON.stringify(texts(row, "agent_labels")),
        is_ephemeral: onOff(row, "ephemeral"),
        is_disabled: onOff(row, "is_disabled"),
        online_at: moment(row, "last_online"),
        active_at: moment(row, "last_active"),
        created_at: moment(row, "created"),
        updated_at: moment(row, "updated"),
        deleted_at: moment(row, "deleted"),
      }),
      put("former_hashes", { kind: "runner", subject_id: id, lookup: "", salt: text(row, "token_salt"), hash: text(row, "token_hash") }),
    )
  },
}

/** One for each place is the latest: the others register no runner any more. */
const registrations: Kind = {
  name: "registration tokens of runners",
  from: "action_runner_token",
  beside: [
    {
      table: "action_runner_token",
      columns:
        "(select max(t.id) from [action_runner_token] t where t.owner_id = x.owner_id and t.repo_id = x.repo_id and (t.deleted is null or t.deleted = 0)) as latest",
    },
  ],
  into: "runner_registrations",
  map(row, world) {
    const [id, owning] = [number(row, "id"), owningOf(row, world)]
    if (!owning) return leftOut(OWNER_GONE)
    if (!isOn(row, "is_active") || number(row, "latest") !== id) return undefined
    const token = text(row, "token")
    return rows(
      put("runner_registrations", {
        id,
        ...ownedColumns(owning),
        digest: registrationDigest(token),
        sealed_token: sealed(token, sealFor(owning)),
        created_at: moment(row, "created"),
      }),
    )
  },
}

const counters: Kind = {
  name: "last numbers of runs",
  from: "action_run_index",
  key: "x.group_id",
  into: "action_counters",
  map(row, world) {
    const repositoryId = number(row, "group_id")
    if (!world.has("repositories", repositoryId)) return undefined
    return rows(put("action_counters", { repository_id: repositoryId, last_number: number(row, "max_index") }))
  },
}

/** Where workflows are looked for, in this order. */
const FOLDER = ".gitea/workflows"

const runs: Kind = {
  name: "runs of workflows",
  from: "action_run",
  beside: [
    { table: "action_run_attempt", columns: "(select max(a.attempt) from [action_run_attempt] a where a.run_id = x.id) as attempts" },
    { table: "action_run_job", columns: "(select max(j.attempt) from [action_run_job] j where j.run_id = x.id) as job_attempts" },
    {
      table: "pull_request",
      columns: "p.id as pull_id",
      join: "left join [pull_request] p on p.base_repo_id = x.repo_id and x.ref like 'refs/pull/%' and x.ref = concat('refs/pull/', p.[index], '/head')",
    },
  ],
  into: "action_runs",
  map(row, world) {
    const repositoryId = number(row, "repo_id")
    if (!world.has("repositories", repositoryId)) return leftOut(GONE.repository)
    return rows(
      put("action_runs", {
        id: number(row, "id"),
        repository_id: repositoryId,
        number: number(row, "index"),
        title: text(row, "title"),
        workflow: text(row, "workflow_id"),
        event: text(row, "trigger_event") || text(row, "event"),
        payload: text(row, "event_payload") || "{}",
        ref: text(row, "ref"),
        commit_id: text(row, "commit_sha"),
        workflow_folder: FOLDER,
        is_untrusted: onOff(row, "is_fork_pull_request"),
        needs_approval: 0,
        is_cancelled: flag(stateOf(row) === "cancelled"),
        pull_id: world.known("pulls", number(row, "pull_id")) ?? 0,
        actor_id: number(row, "trigger_user_id"),
        state: stateOf(row),
        attempt: number(row, "attempts") || number(row, "job_attempts") || 1,
        ...timesOf(row),
      }),
    )
  },
}

const attempts: Kind = {
  name: "attempts of runs",
  from: "action_run_attempt",
  into: "action_attempts",
  map(row, world) {
    const runId = number(row, "run_id")
    if (!world.has("action_runs", runId)) return leftOut(GONE.run)
    return rows(
      put("action_attempts", {
        id: number(row, "id"),
        run_id: runId,
        number: number(row, "attempt"),
        actor_id: number(row, "trigger_user_id"),
        state: stateOf(row),
        ...timesOf(row),
      }),
    )
  },
}

/** Of versions before 1.27, which had no rows of attempts: the last one of each run. */
const onlyAttempts: Kind = {
  name: "last attempts of runs",
  from: "action_run",
  beside: [
    { table: "action_run_attempt", columns: "(select count(*) from [action_run_attempt] a where a.run_id = x.id) as attempts" },
    { table: "action_run_job", columns: "(select max(j.attempt) from [action_run_job] j where j.run_id = x.id) as job_attempts" },
  ],
  into: "action_attempts",
  map(row, world) {
    const id = number(row, "id")
    if (number(row, "attempts") > 0 || !world.has("action_runs", id)) return undefined
    return rows(
      put("action_attempts", {
        id,
        run_id: id,
        number: number(row, "job_attempts") || 1,
        actor_id: number(row, "trigger_user_id"),
        state: stateOf(row),
        ...timesOf(row),
      }),
    )
  },
}

/** The one job in a workflow, as JSON. */
function definitionOf(row: SourceRow): { readonly definition: string; readonly condition: string } {
  const written = text(row, "workflow_payload")
  const job = readJob(written, text(row, "job_id"))
  return { definition: JSON.stringify(job), condition: typeof job["if"] === "string" ? job["if"] : "" }
}

function readJob(written: string, key: string): Readonly<Record<string, unknown>> {
  try {
    const all = mappingOf(readMapping(written), "jobs")
    const job = all[key] ?? Object.values(all)[0]
    return isMapping(job) ? job : {}
  } catch {
    return {}
  }
}

const jobs: Kind = {
  name: "jobs",
  from: "action_run_job",
  beside: [
    {
      table: "action_run_attempt",
      columns: "a.attempt as attempt_number",
      join: "left join [action_run_attempt] a on a.id = x.run_attempt_id",
    },
    { table: "action_task", columns: "t.runner_id, t.job_id as original_job", join: "left join [action_task] t on t.id = x.task_id" },
  ],
  into: "action_jobs",
  map(row, world) {
    const [id, runId, repositoryId] = [number(row, "id"), number(row, "run_id"), number(row, "repo_id")]
    if (!world.has("action_runs", runId)) return leftOut(GONE.run)
    const original = number(row, "original_job")
    return rows(
      put("action_jobs", {
        id,
        run_id: runId,
        repository_id: repositoryId,
        attempt: number(row, "attempt_number") || number(row, "attempt") || 1,
        key: text(row, "job_id"),
        name: text(row, "name"),
        needs: JSON.stringify(texts(row, "needs")),
        labels: JSON.stringify(texts(row, "runs_on")),
        ...definitionOf(row),
        continue_on_error: onOff(row, "continue_on_error"),
        runner_id: number(row, "runner_id"),
        original_id: original > 0 && original !== id ? original : 0,
        parent_id: number(row, "parent_job_id"),
        state: stateOf(row),
        queued_at: moment(row, "created"),
        ...timesOf(row),
      }),
    )
  },
}

const tasks: Kind = {
  name: "tasks of runners, with their logs",
  from: "action_task",
  into: "action_tasks",
  map(row, world) {
    const [id, jobId, repository] = [number(row, "id"), number(row, "job_id"), world.repositories.get(number(row, "repo_id"))]
    if (!repository) return leftOut(GONE.repository)
    if (!world.has("action_jobs", jobId)) return leftOut(GONE.job)
    const name = text(row, "log_filename")
    const isStored = isOn(row, "log_in_storage") && !isOn(row, "log_expired") && /^[^/.][^\0]*$/.test(name) && !name.includes("..")
    const file = world.nameOf(`log ${id}`)
    return {
      rows: [
        put("action_tasks", {
          id,
          job_id: jobId,
          repository_id: repository.id,
          runner_id: number(row, "runner_id"),
          state: stateOf(row),
          digest: formerDigest(id),
          log_file: isStored ? file : "",
          log_lines: isStored ? number(row, "log_length") : 0,
          log_size: isStored ? number(row, "log_size") : 0,
          log_sealed: 1,
          log_packed: flag(isStored),
          log_expired: onOff(row, "log_expired"),
          ...timesOf(row),
          updated_at: moment(row, "updated"),
          reported_at: moment(row, "updated"),
        }),
      ],
      ...(isStored && {
        files: [
          {
            store: "actions_log",
            path: name,
            key: `actions/${repository.storage}/${file}`,
            recode: name.endsWith(".zst") ? "zstd to gzip" : "plain to gzip",
          },
        ],
      }),
      remark: isStored || isOn(row, "log_expired") ? undefined : "its log was still being written there, and is left out",
    }
  },
}

const steps: Kind = {
  name: "steps of jobs",
  from: "action_task_step",
  into: "action_steps",
  map(row, world) {
    const taskId = number(row, "task_id")
    if (!world.has("action_tasks", taskId)) return leftOut(GONE.task)
    const { started_at, stopped_at } = timesOf(row)
    return rows(
      put("action_steps", {
        task_id: taskId,
        number: number(row, "index"),
        name: text(row, "name"),
        state: stateOf(row),
        started_at,
        stopped_at,
        log_line: number(row, "log_index"),
        log_lines: number(row, "log_length"),
      }),
    )
  },
}

const summaries: Kind = {
  name: "summaries of jobs",
  from: "action_run_job_summary",
  into: "action_summaries",
  map(row, world) {
    const jobId = number(row, "job_id")
    if (!world.has("action_jobs", jobId)) return leftOut(GONE.job)
    return rows(put("action_summaries", { job_id: jobId, step: number(row, "step_index"), content: text(row, "content") }))
  },
}

/** Artifacts that can be loaded. */
const CONFIRMED = 2
const EXPIRED = 4

/** The files of an artifact of the older protocol come in rows of their own, gathered before; the first of them stands for all, and they become one zip file. */
const artifacts: Kind = {
  name: "artifacts",
  from: "action_artifact",
  beside: [
    {
      table: "action_run_attempt",
      columns: "a.attempt as attempt_number",
      join: "left join [action_run_attempt] a on a.id = x.run_attempt_id",
    },
    {
      table: "action_artifact",
      columns:
        "(select min(o.id) from [action_artifact] o where o.run_id = x.run_id and o.artifact_name = x.artifact_name and o.status = x.status) as first_id",
    },
  ],
  into: "action_artifacts",
  map(row, world) {
    const [id, runId, status] = [number(row, "id"), number(row, "run_id"), number(row, "status")]
    const repository = world.repositories.get(number(row, "repo_id"))
    if (!repository) return leftOut(GONE.repository)
    if (!world.has("action_runs", runId)) return leftOut(GONE.run)
    const name = text(row, "artifact_name")
    if (status !== CONFIRMED && status !== EXPIRED) return leftOut(`${name} was not uploaded whole, or was deleted`)
    const first = number(row, "first_id")
    const isZip = text(row, "content_encoding") === "application/zip"
    if (!isZip && id !== first) return undefined
    const parts = isZip ? undefined : world.artifactFiles.get(artifactOf(row))
    const file = world.nameOf(`artifact ${id}`)
    const isThere = status === CONFIRMED
    return {
      rows: [
        put("action_artifacts", {
          id,
          run_id: runId,
          repository_id: repository.id,
          attempt: number(row, "attempt_number") || 1,
          name,
          file: isThere ? file : "",
          size: parts
            ? zipSize(parts.map(({ name: path, size }) => ({ path, packed: size })))
            : number(row, "file_compressed_size") || number(row, "file_size"),
          is_expired: flag(!isThere),
          created_at: moment(row, "created_unix"),
          updated_at: moment(row, "updated_unix"),
          expires_at: moment(row, "expired_unix"),
        }),
      ],
      ...(isThere && {
        files: [
          {
            store: "actions_artifacts",
            path: text(row, "storage_path"),
            key: `actions/${repository.storage}/${file}`,
            ...(parts && { parts }),
          },
        ],
      }),
    }
  },
}

const schedules: Kind = {
  name: "schedules of workflows",
  from: "action_schedule",
  into: "action_schedules",
  // They are read from the workflows of the default branch once a push comes: what is due before that is in these rows.
  map: () => undefined,
}

export const runnerKinds: readonly Kind[] = [runners, registrations]
export const actionKinds: readonly Kind[] = [counters, runs, attempts, onlyAttempts, jobs, tasks, steps, summaries, artifacts, schedules]
