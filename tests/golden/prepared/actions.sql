-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- actions.advanceLog
update action_tasks
set log_file = ?, log_lines = ?, log_size = ?, log_sealed = ?, updated_at = ?
where id = ?
  and log_lines = ?
  and log_sealed = ?
  and log_expired = ?;

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

-- actions.findAttempt
select *
from action_attempts
where run_id = ?
  and number = ?;

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

-- actions.findLastAttempts
select action_attempts.*
from action_attempts
inner join action_runs on action_runs.id = action_attempts.run_id
where action_runs.id in ?
  and action_attempts.number = action_runs.attempt;

-- actions.findLog
select log_file, log_lines, log_size, log_sealed, log_expired
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
select id, log_file, log_size
from action_tasks
where job_id = ?
order by id desc
limit ?;

-- actions.findNamedArtifact
select *
from action_artifacts
where run_id = ?
  and attempt = ?
  and name = ?;

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

-- actions.findRun
select *
from action_runs
where id = ?
  and repository_id = ?;

-- actions.findRunnerNames
select id, name
from runners
where id in ?;

-- actions.findRunsByIds
select *
from action_runs
where id in ?;

-- actions.findSchedules
select *
from action_schedules
where repository_id = ?
order by id;

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

-- actions.hasMerged
select pulls.id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.is_merged = ?
  and issues.author_id = ?
limit ?;

-- actions.moveSchedule
update action_schedules
set next_at = ?
where id = ?
  and next_at = ?;

-- actions.nextNumber
insert into action_counters(repository_id, last_number)
values (?, ?) on conflict (repository_id) do update
set last_number = action_counters.last_number + ?
returning last_number;

-- actions.removeArtifact
delete from action_artifacts
where id = ?
  and repository_id = ?
returning file;

-- actions.removeRun
delete from action_runs
where id = ?;

-- actions.removeSchedule
delete from action_schedules
where id = ?
  and next_at = ?;
