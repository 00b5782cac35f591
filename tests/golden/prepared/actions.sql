-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- actions.findArtifact
select *
from action_artifacts
where id = ?
  and repository_id = ?;

-- actions.findAttempt
select *
from action_attempts
where run_id = ?
  and number = ?;

-- actions.findDisabled
select workflow
from disabled_workflows
where repository_id = ?;

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

-- actions.findPullsOfBranches
select issues.id as issue_id, pulls.id, issues.number, pulls.repository_id, pulls.head_branch, pulls.base_branch, pulls.head_id, pulls.base_id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id in ?
  and pulls.head_repository_id = pulls.repository_id
  and pulls.head_branch in ?
  and issues.is_closed = ?
order by issues.number;

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

-- actions.holdRun
update action_runs
set state = state
where id = ?
returning id, attempt;

-- actions.nextNumber
insert into action_counters(repository_id, last_number)
values (?, ?) on conflict (repository_id) do update
set last_number = action_counters.last_number + ?
returning last_number;

-- actions.removeArtifact
delete from action_artifacts
where id = ?
  and repository_id = ?;

-- actions.removeRun
delete from action_runs
where id = ?;
