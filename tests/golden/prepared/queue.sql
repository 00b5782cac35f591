-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- queue.findEntryOfIssue
select entry.id, entry.queue_id
from merge_queue_entries as entry
inner join pulls on pulls.id = entry.pull_id
where pulls.issue_id = ?;

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

-- queue.findTestedBy
select merge_queues.id
from merge_trials
inner join merge_queues on merge_queues.id = merge_trials.queue_id
where merge_queues.repository_id = ?
  and merge_trials.commit_id = ?
  and merge_trials.state in (?, ?, ?);
