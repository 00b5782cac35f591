-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- statuses.findLastNumber
select max(number) as number
from commit_statuses
where repository_id = ?
  and commit_id = ?;

-- statuses.findLatest
select status.*
from commit_statuses as status
where status.repository_id = ?
  and status.commit_id = ?
  and not exists (
    select later.id
    from commit_statuses as later
    where later.repository_id = status.repository_id
      and later.commit_id = status.commit_id
      and later.context = status.context
      and later.number > status.number)
order by status.number;

-- statuses.findLatestOfCommits
select status.repository_id, status.commit_id, status.state
from commit_statuses as status
where status.repository_id in ?
  and status.commit_id in ?
  and not exists (
    select later.id
    from commit_statuses as later
    where later.repository_id = status.repository_id
      and later.commit_id = status.commit_id
      and later.context = status.context
      and later.number > status.number);
