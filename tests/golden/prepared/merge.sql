-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- merge.claim
update pulls
set merge_entry = ?
where id = ?
  and is_merged = ?
  and head_id = ?
  and base_branch = ?
  and not exists (
    select jobs.id
    from jobs
    where jobs.id = pulls.merge_entry
      and jobs.state in (?, ?))
  and exists (
    select issues.id
    from issues
    where issues.id = pulls.issue_id
      and issues.is_closed = ?);

-- merge.countOthersWithHead
select count(*) as total
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.id != ?
  and pulls.head_repository_id = ?
  and pulls.head_branch = ?
  and issues.is_closed = ?;

-- merge.findApprovers
select users.*
from reviews
inner join users on users.id = reviews.reviewer_id
where reviews.issue_id = ?
  and reviews.state = ?
  and reviews.is_dismissed = ?
order by reviews.created_at, reviews.id;

-- merge.findClosing
select distinct issues.number
from comments
inner join issues on issues.id = comments.issue_id
where comments.ref_issue_id = ?
  and comments.ref_action = ?
  and issues.repository_id = ?
order by issues.number;

-- merge.findOpenInto
select pulls.id, pulls.base_branch, pulls.head_id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.base_branch in ?
  and pulls.is_merged = ?
  and issues.is_closed = ?
order by pulls.id;

-- merge.findReferred
select comments.issue_id, comments.author_id, comments.ref_action, issues.repository_id
from comments
inner join issues on issues.id = comments.issue_id
where comments.ref_issue_id = ?
  and comments.kind in (?, ?)
  and comments.ref_action in (?, ?)
order by issues.repository_id, comments.issue_id, comments.id;

-- merge.findSchedule
select *
from pull_schedules
where pull_id = ?;

-- merge.findScheduledAround
select pulls.id
from pull_schedules
inner join pulls on pulls.id = pull_schedules.pull_id
where pulls.is_merged = ?
  and ((pulls.repository_id = ? and pulls.base_branch in ?) or (pulls.head_repository_id = ? and pulls.head_branch in ?))
order by pulls.id;

-- merge.findScheduledByCommit
select pulls.id
from pull_schedules
inner join pulls on pulls.id = pull_schedules.pull_id
where pulls.repository_id = ?
  and pulls.head_id = ?
  and pulls.is_merged = ?
order by pulls.id;

-- merge.findScheduledByIssue
select pulls.id
from pull_schedules
inner join pulls on pulls.id = pull_schedules.pull_id
where pulls.issue_id = ?
  and pulls.is_merged = ?;

-- merge.findScheduledIds
select pull_id
from pull_schedules
order by pull_id;

-- merge.findScheduledOfRepository
select pulls.id
from pull_schedules
inner join pulls on pulls.id = pull_schedules.pull_id
where pulls.repository_id = ?
order by pulls.id;

-- merge.findUnderWay
select pulls.id
from pulls
inner join jobs on jobs.id = pulls.merge_entry
where pulls.id = ?
  and jobs.state in (?, ?);

-- merge.insertSchedule
insert into pull_schedules(pull_id, user_id, style, message, delete_branch, created_at)
values (?, ?, ?, ?, ?, ?) on conflict (pull_id) do nothing;

-- merge.markMerged
update pulls
set is_merged = ?, merged_at = ?, merged_by_id = ?, merge_commit_id = ?, is_merged_manually = ?, mergeability = ?
where id = ?
  and is_merged = ?
returning *;

-- merge.removeSchedule
delete from pull_schedules
where pull_id = ?;
