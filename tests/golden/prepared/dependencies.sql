-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- dependencies.count
select count(*) as total
from issue_dependencies
where issue_id = ?;

-- dependencies.countOpen
select count(*) as total
from issue_dependencies
inner join issues on issues.id = issue_dependencies.dependency_id
where issue_dependencies.issue_id = ?
  and issues.is_closed = ?;

-- dependencies.find
select issues.*
from issue_dependencies
inner join issues on issues.id = issue_dependencies.dependency_id
where issue_dependencies.issue_id = ?
order by case when issues.repository_id = ? then 0 else issues.repository_id end, issues.created_at desc, issues.id desc
limit ? offset ?;

-- dependencies.findChain
with recursive awaited(id) as (
    select dependency_id as id
    from issue_dependencies
    where issue_id = ?
    union select issue_dependencies.dependency_id as id
    from awaited
    inner join issue_dependencies on issue_dependencies.issue_id = awaited.id) select id
from awaited
where id = ?;

-- dependencies.findPair
select issue_id
from issue_dependencies
where issue_id = ?
  and dependency_id = ?;

-- dependencies.lock
select 1 as locked
-- on PostgreSQL:
select pg_advisory_xact_lock(727001) as locked;
