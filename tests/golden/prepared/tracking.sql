-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- tracking.deleteStopwatch
delete from stopwatches
where issue_id = ?
  and user_id = ?
returning *;

-- tracking.findRunningIssues
select issues.*
from stopwatches
inner join issues on issues.id = stopwatches.issue_id
where stopwatches.user_id = ?
order by issues.id;

-- tracking.findStopwatch
select *
from stopwatches
where issue_id = ?
  and user_id = ?;

-- tracking.findStopwatchUsers
select user_id
from stopwatches
where issue_id = ?
order by user_id;

-- tracking.findTime
select *
from tracked_times
where id = ?
  and issue_id = ?
  and is_deleted = ?;

-- tracking.insertStopwatch
insert into stopwatches(issue_id, user_id, created_at)
values (?, ?, ?);

-- tracking.insertTime
insert into tracked_times(issue_id, user_id, seconds, created_at, updated_at)
values (?, ?, ?, ?, ?)
returning *;

-- tracking.markAllDeleted
update tracked_times
set is_deleted = ?
where issue_id = ?
  and user_id = ?
  and is_deleted = ?
returning seconds;

-- tracking.markDeleted
update tracked_times
set is_deleted = ?
where id = ?
  and is_deleted = ?
returning seconds;
