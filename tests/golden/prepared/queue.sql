-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- queue.countBefore
select count(*) as total
from merge_queue_entries
where queue_id = ?
  and (priority > ? or (priority = ? and id < ?));

-- queue.countEntries
select count(*) as total
from merge_queue_entries
where queue_id = ?;

-- queue.countQueuedSince
select count(*) as total
from comments
where issue_id = ?
  and kind = ?
  and created_at >= ?;

-- queue.find
select *
from merge_queues
where id = ?;

-- queue.findBusy
select distinct queue_id as id
from merge_queue_entries
order by queue_id;

-- queue.findEndedTrials
select *
from merge_trials
where queue_id = ?
  and state in (?, ?, ?)
order by id desc
limit ?;

-- queue.findEntries
select *
from merge_queue_entries
where queue_id = ?
order by priority desc, id;

-- queue.findEntry
select *
from merge_queue_entries
where pull_id = ?;

-- queue.findEntryById
select *
from merge_queue_entries
where id = ?;

-- queue.findEntryOfIssue
select entry.id, entry.queue_id
from merge_queue_entries as entry
inner join pulls on pulls.id = entry.pull_id
where pulls.issue_id = ?;

-- queue.findLanding
select merge_trials.id
from merge_trials
inner join jobs on jobs.id = merge_trials.landing_entry
where merge_trials.id = ?
  and jobs.state in (?, ?);

-- queue.findOfBranch
select *
from merge_queues
where repository_id = ?
  and branch = ?;

-- queue.findOfRepository
select *
from merge_queues
where repository_id = ?
order by id;

-- queue.findOpenTrial
select *
from merge_trials
where queue_id = ?
  and state in (?, ?, ?);

-- queue.findTestedBy
select merge_queues.id
from merge_trials
inner join merge_queues on merge_queues.id = merge_trials.queue_id
where merge_queues.repository_id = ?
  and merge_trials.commit_id = ?
  and merge_trials.state in (?, ?, ?);

-- queue.findTrial
select *
from merge_trials
where id = ?;

-- queue.insert
insert into merge_queues(repository_id, branch)
values (?, ?) on conflict (repository_id, branch) do nothing;

-- queue.insertEntry
insert into merge_queue_entries(queue_id, pull_id, user_id, head_id, delete_branch, created_at)
values (?, ?, ?, ?, ?, ?) on conflict (pull_id) do nothing;

-- queue.removeEntry
delete from merge_queue_entries
where id = ?;

-- queue.removeOldTrials
delete from merge_trials
where ended_at < ?
  and ended_at > 0;
