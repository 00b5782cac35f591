-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- actions.advanceLog
update action_tasks
set log_lines = ?, log_size = ?, log_sealed = ?, updated_at = ?
where id = ?
  and log_lines = ?
  and log_sealed = ?
  and log_expired = ?;

-- actions.countUploads
select count(*) as total
from action_uploads
where task_id = ?;

-- actions.findArtifact
select *
from action_artifacts
where id = ?
  and repository_id = ?;

-- actions.findArtifactById
select *
from action_artifacts
where id = ?;

-- actions.findArtifactFiles
select file
from action_artifacts
where file in ?
  and file <> '';

-- actions.findArtifactFilesOfRun
select file
from action_artifacts
where run_id = ?;

-- actions.findArtifactUseOfRepository
select cast(coalesce(sum(size), 0) as bigint) as bytes
from action_artifacts
where repository_id = ?
  and id <> ?
  and file <> '';

-- actions.findArtifactUseOfRun
select cast(coalesce(sum(size), 0) as bigint) as bytes, count(*) as total
from action_artifacts
where run_id = ?
  and id <> ?
  and file <> '';

-- actions.findArtifactsOfJob
select *
from action_artifacts
where run_id = ?
  and file <> ?
  and expires_at > ?
  and (attempt = ? or job_id in (
    select original_id
    from action_jobs
    where action_jobs.run_id = ?
      and action_jobs.attempt = ?
      and original_id <> ?))
order by attempt desc, id desc;

-- actions.findAttempt
select *
from action_attempts
where run_id = ?
  and number = ?;

-- actions.findAttempts
select number
from action_attempts
where run_id = ?
order by number;

-- actions.findBaseBranchOfPull
select base_branch
from pulls
where id = ?;

-- actions.findBearerByTask
select action_tasks.id, action_tasks.repository_id, action_jobs.permissions, action_runs.is_untrusted, repositories.owner_id, repositories.is_private
from action_tasks
inner join action_jobs on action_jobs.id = action_tasks.job_id
inner join action_runs on action_runs.id = action_jobs.run_id
inner join repositories on repositories.id = action_tasks.repository_id
where action_tasks.id = ?
  and action_tasks.state in ('running', 'cancelling');

-- actions.findBearerByToken
select action_tasks.id, action_tasks.repository_id, action_jobs.permissions, action_runs.is_untrusted, repositories.owner_id, repositories.is_private
from action_tasks
inner join action_jobs on action_jobs.id = action_tasks.job_id
inner join action_runs on action_runs.id = action_jobs.run_id
inner join repositories on repositories.id = action_tasks.repository_id
where action_tasks.digest = ?
  and action_tasks.state in ('running', 'cancelling');

-- actions.findCache
select action_caches.*, repositories.storage
from action_caches
inner join repositories on repositories.id = action_caches.repository_id
where action_caches.id = ?
  and repositories.owner_id <> ?;

-- actions.findCacheFiles
select file
from action_caches
where file in ?;

-- actions.findCachesByUse
select id, file, size
from action_caches
where repository_id = ?
order by used_at desc, id desc;

-- actions.findCaused
select id
from action_runs
where cause = ?
  and cause <> ''
limit ?;

-- actions.findDisabled
select workflow
from disabled_workflows
where repository_id = ?;

-- actions.findDueSchedules
select *
from action_schedules
where next_at <= ?
order by next_at, id
limit ?;

-- actions.findFollowedJobs
select id, state, started_at, stopped_at, (
    select max(action_tasks.id) as id
    from action_tasks
    where action_tasks.job_id = case when action_jobs.original_id = ? then action_jobs.id else action_jobs.original_id end) as task_id
from action_jobs
where run_id = ?
  and attempt = ?
order by id;

-- actions.findFollowedLog
select action_tasks.id, log_size, log_end, log_sealed, log_expired, repositories.storage
from action_tasks
inner join repositories on repositories.id = action_tasks.repository_id
where action_tasks.id = ?;

-- actions.findFollowedRun
select state, attempt, started_at, stopped_at
from action_runs
where id = ?;

-- actions.findFollowedSteps
select *
from action_steps
where task_id in ?
order by task_id, number;

-- actions.findIdentityKey
select *
from job_identity_keys
where created_at > ?
order by created_at desc, id desc
limit ?;

-- actions.findIdentityKeys
select public_key
from job_identity_keys
where created_at > ?
order by created_at desc, id desc;

-- actions.findJob
select *
from action_jobs
where id = ?
  and repository_id = ?;

-- actions.findJobsOfAttempt
select *
from action_jobs
where run_id = ?
  and attempt = ?
order by id;

-- actions.findJobsOfGroup
select id, run_id, is_held, started_at
from action_jobs
where repository_id = ?
  and concurrency_group = ?
  and concurrency_group <> ''
  and state in ('blocked', 'waiting', 'running', 'cancelling')
order by id;

-- actions.findLastAttempts
select action_attempts.*
from action_attempts
inner join action_runs on action_runs.id = action_attempts.run_id
where action_runs.id in ?
  and action_attempts.number = action_runs.attempt;

-- actions.findListening
select event
from action_triggers
where repository_id = ?
  and event = ?;

-- actions.findLog
select log_lines, log_size, log_end, log_sealed, log_expired, (
    select cast(coalesce(sum(size), 0) as bigint) as size
    from action_log_parts
    where task_id = action_tasks.id
      and file = ?) as in_rows
from action_tasks
where id = ?
  and repository_id = ?;

-- actions.findLogFiles
select log_file as file
from action_tasks
where log_file in ?
  and log_file <> '';

-- actions.findLogFilesOfRun
select action_tasks.log_file as file
from action_tasks
inner join action_jobs on action_jobs.id = action_tasks.job_id
where action_jobs.run_id = ?;

-- actions.findLogOfJob
select id, log_size, log_end, log_sealed, log_expired
from action_tasks
where job_id = ?
order by id desc
limit ?;

-- actions.findLogPartFiles
select file
from action_log_parts
where file in ?
  and file <> '';

-- actions.findLogPartFilesOfRun
select action_log_parts.file
from action_log_parts
inner join action_tasks on action_tasks.id = action_log_parts.task_id
inner join action_jobs on action_jobs.id = action_tasks.job_id
where action_jobs.run_id = ?
  and action_log_parts.file <> '';

-- actions.findLogParts
select *
from action_log_parts
where task_id = ?
  and start_at <= ?
  and start_at >= (
    select max(first.start_at) as start_at
    from action_log_parts as first
    where first.task_id = ?
      and first.start_at <= ?)
order by start_at
limit ?;

-- actions.findLogRows
select content
from action_log_parts
where task_id = ?
  and file = ?
order by start_at;

-- actions.findNamedArtifact
select *
from action_artifacts
where run_id = ?
  and attempt = ?
  and name = ?;

-- actions.findNamedCache
select *
from action_caches
where repository_id = ?
  and version = ?
  and scope = ?
  and key = ?;

-- actions.findNamedUpload
select *
from action_uploads
where task_id = ?
  and kind = ?
  and name = ?
  and version = ?;

-- actions.findNextJob
select action_jobs.id, action_jobs.run_id
from (
    select action_jobs.repository_id, min(action_jobs.id) as id
    from action_jobs
    inner join repositories on repositories.id = action_jobs.repository_id
    where action_jobs.state = 'waiting'
      and action_jobs.call = ?
      and repositories.has_actions = ?
      and repositories.is_archived = ?
      and not exists (
        select 1
        from json_each(action_jobs.labels)
        where json_each.value not in (
            select json_each.value
            from json_each(?)))
      and (? = ? or action_jobs.repository_id = ?)
      and (? = ? or repositories.owner_id = ?)
    group by action_jobs.repository_id) as oldest
inner join action_jobs on action_jobs.id = oldest.id
order by (
    select count(*) as count
    from action_jobs as busy
    where busy.repository_id = oldest.repository_id
      and busy.state in ('running', 'cancelling')), oldest.id
limit ?
-- on PostgreSQL:
select action_jobs.id, action_jobs.run_id
from (
    select action_jobs.repository_id, min(action_jobs.id) as id
    from action_jobs
    inner join repositories on repositories.id = action_jobs.repository_id
    where action_jobs.state = 'waiting'
      and action_jobs.call = ?
      and repositories.has_actions = ?
      and repositories.is_archived = ?
      and action_jobs.labels::jsonb <@ cast(? as jsonb)
      and (? = ? or action_jobs.repository_id = ?)
      and (? = ? or repositories.owner_id = ?)
    group by action_jobs.repository_id) as oldest
inner join action_jobs on action_jobs.id = oldest.id
order by (
    select count(*) as count
    from action_jobs as busy
    where busy.repository_id = oldest.repository_id
      and busy.state in ('running', 'cancelling')), oldest.id
limit ?;

-- actions.findNextTimes
select workflow, min(next_at) as next_at
from action_schedules
where repository_id = ?
group by workflow;

-- actions.findOpenUpload
select action_uploads.*, repositories.storage
from action_uploads
inner join action_tasks on action_tasks.id = action_uploads.task_id
inner join repositories on repositories.id = action_uploads.repository_id
where action_uploads.id = ?
  and action_tasks.state in ('running', 'cancelling');

-- actions.findPackedLog
select log_file
from action_tasks
where id = ?
  and log_packed = ?;

-- actions.findPartFiles
select file
from action_upload_parts
where file in ?;

-- actions.findPullsOfBranches
select pulls.id, issues.number, pulls.repository_id, pulls.head_repository_id, pulls.head_branch, pulls.base_branch, pulls.head_id, pulls.base_id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id in ?
  and pulls.head_repository_id = pulls.repository_id
  and pulls.head_branch in ?
  and issues.is_closed = ?
order by issues.number;

-- actions.findPullsOfRuns
select pulls.id, issues.number, pulls.repository_id, pulls.head_repository_id, pulls.head_branch, pulls.base_branch, pulls.head_id, pulls.base_id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.id in ?;

-- actions.findRegistration
select repository_id, owner_id
from runner_registrations
where digest = ?;

-- actions.findRivalUpload
select action_uploads.id
from action_uploads
inner join action_tasks on action_tasks.id = action_uploads.task_id
where action_uploads.repository_id = ?
  and action_uploads.kind = ?
  and action_uploads.name = ?
  and action_uploads.version = ?
  and action_uploads.scope = ?
  and action_uploads.task_id <> ?
  and action_tasks.state in (?, ?);

-- actions.findRun
select *
from action_runs
where id = ?
  and repository_id = ?;

-- actions.findRunnerByUuid
select *
from runners
where uuid = ?
  and deleted_at = ?;

-- actions.findRunnerNames
select id, name
from runners
where id in ?;

-- actions.findRunningTask
select action_tasks.id as task_id, action_jobs.id as job_id, action_jobs.attempt, action_jobs.key, action_jobs.permissions, action_runs.id as run_id, action_runs.number, action_runs.event, action_runs.ref, action_runs.commit_id, action_runs.workflow, action_runs.workflow_name, action_runs.workflow_folder, action_runs.is_untrusted, action_runs.pull_id, action_runs.actor_id, repositories.id as repository_id, repositories.owner_id, repositories.name, repositories.storage, repositories.default_branch, repositories.is_private
from action_tasks
inner join action_jobs on action_jobs.id = action_tasks.job_id
inner join action_runs on action_runs.id = action_jobs.run_id
inner join repositories on repositories.id = action_tasks.repository_id
where action_tasks.id = ?
  and action_tasks.state in ('running', 'cancelling');

-- actions.findRunsByIds
select *
from action_runs
where id in ?;

-- actions.findRunsOfGroup
select id, id as run_id, is_held, started_at
from action_runs
where repository_id = ?
  and concurrency_group = ?
  and needs_approval = ?
  and concurrency_group <> ''
  and state in ('blocked', 'waiting', 'running', 'cancelling')
order by id;

-- actions.findRunsOfTrial
select id, state
from action_runs
where repository_id = ?
  and event = ?
  and ref = ?
order by id;

-- actions.findSchedules
select *
from action_schedules
where repository_id = ?
order by id;

-- actions.findSecretsFor
select repository_id, owner_id, name, sealed_data
from action_secrets
where (repository_id = ? or owner_id = ?);

-- actions.findServingRunners
select labels, online_at
from runners
where deleted_at = ?
  and is_disabled = ?
  and (repository_id = ? or owner_id = ? or (repository_id is null and owner_id is null))
order by online_at desc, id
limit ?;

-- actions.findShownTask
select id, state, log_lines, log_size, log_end, log_sealed, log_expired, updated_at
from action_tasks
where job_id = ?
order by id desc
limit ?;

-- actions.findStepOfTask
select number
from action_steps
where task_id = ?
  and number = ?;

-- actions.findStepRows
select *
from action_steps
where task_id = ?
order by number;

-- actions.findSteps
select action_steps.*, action_tasks.job_id
from action_steps
inner join action_tasks on action_tasks.id = action_steps.task_id
where action_tasks.job_id in ?
  and action_tasks.id in (
    select max(last.id) as id
    from action_tasks as last
    where last.job_id in ?
    group by last.job_id)
order by action_steps.task_id, action_steps.number;

-- actions.findSummaries
select *
from action_summaries
where job_id in ?
order by job_id, step;

-- actions.findTask
select action_tasks.*, action_jobs.run_id
from action_tasks
inner join action_jobs on action_jobs.id = action_tasks.job_id
where action_tasks.id = ?;

-- actions.findTaskOfRunner
select action_tasks.*, action_jobs.run_id, action_jobs.outputs
from action_tasks
inner join action_jobs on action_jobs.id = action_tasks.job_id
where action_tasks.id = ?
  and action_tasks.runner_id = ?;

-- actions.findTasksOfRunner
select id, state, reported_at, started_at, updated_at
from action_tasks
where runner_id = ?
  and state in (?, ?);

-- actions.findTriggers
select event
from action_triggers
where repository_id = ?;

-- actions.findUnfinished
select id, checked_commit
from action_runs
where repository_id = ?
  and state in (?, ?, ?, ?)
order by id;

-- actions.findUnpackedLogs
select action_tasks.id, action_tasks.log_size, repositories.storage
from action_tasks
inner join repositories on repositories.id = action_tasks.repository_id
where log_sealed = 1
  and log_packed = 0
  and log_size > 0
  and action_tasks.stopped_at > ?
  and action_tasks.stopped_at <= ?
order by action_tasks.stopped_at
limit ?;

-- actions.findUntaken
select action_jobs.id, action_jobs.run_id
from action_jobs
inner join action_runs on action_runs.id = action_jobs.run_id
where action_runs.repository_id = ?
  and action_runs.workflow = ?
  and action_runs.ref = ?
  and action_runs.event = ?
  and action_runs.state in ('waiting', 'blocked')
  and action_jobs.state in (?, ?)
  and action_runs.started_at = ?;

-- actions.findUploadParts
select *
from action_upload_parts
where upload_id = ?
order by position, name;

-- actions.findUploadSize
select cast(coalesce(sum(size), 0) as bigint) as bytes, count(*) as parts
from action_upload_parts
where upload_id = ?
  and name <> ?;

-- actions.findUploadSizeOfTask
select cast(coalesce(sum(size), 0) as bigint) as bytes
from action_upload_parts
inner join action_uploads on action_uploads.id = action_upload_parts.upload_id
where action_uploads.task_id = ?
  and (upload_id <> ? or action_upload_parts.name <> ?);

-- actions.findVariablesFor
select repository_id, owner_id, name, data
from action_variables
where (repository_id = ? or owner_id = ? or (repository_id is null and owner_id is null));

-- actions.forgetIdentityKeys
delete from job_identity_keys
where created_at <= ?;

-- actions.hasMerged
select pulls.id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.is_merged = ?
  and issues.author_id = ?
limit ?;

-- actions.insertLogFile
insert into action_log_parts(task_id, start_at, size, file)
values (?, ?, ?, ?);

-- actions.insertLogRow
insert into action_log_parts(task_id, start_at, size, content)
values (?, ?, ?, ?);

-- actions.moveSchedule
update action_schedules
set next_at = ?
where id = ?
  and next_at = ?;

-- actions.namePackedLog
update action_tasks
set log_file = ?, log_packed = ?
where id = ?
  and log_sealed = ?
  and log_packed = ?
  and log_expired = ?;

-- actions.nextNumber
insert into action_counters(repository_id, last_number)
values (?, ?) on conflict (repository_id) do update
set last_number = action_counters.last_number + ?
returning last_number;

-- actions.removeArtifact
delete from action_artifacts
where id = ?
  and repository_id = ?
returning file, run_id;

-- actions.removeLogRows
delete from action_log_parts
where task_id = ?
  and file = ?;

-- actions.removeRun
delete from action_runs
where id = ?;

-- actions.removeSchedule
delete from action_schedules
where id = ?
  and next_at = ?;

-- actions.removeUpload
delete from action_uploads
where id = ?;

-- actions.removeUploadPart
delete from action_upload_parts
where upload_id = ?
  and name = ?
returning file;
