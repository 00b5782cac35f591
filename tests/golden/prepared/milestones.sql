-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- milestones.countIssues
update milestones
set open_issues_count = (
    select count(*) as total
    from issues
    where issues.milestone_id = milestones.id
      and issues.is_closed = ?), closed_issues_count = (
    select count(*) as total
    from issues
    where issues.milestone_id = milestones.id
      and issues.is_closed = ?), updated_at = ?
where id in ?;

-- milestones.findById
select *
from milestones
where id = ?
  and repository_id = ?;

-- milestones.findByIds
select *
from milestones
where id in ?;

-- milestones.findByTitle
select *
from milestones
where repository_id = ?
  and title = ?
order by id
limit ?;

-- milestones.lockById
select *
from milestones
where id = ?
  and repository_id = ?
-- on PostgreSQL:
select *
from milestones
where id = ?
  and repository_id = ? for no key update;

-- milestones.lockByTitle
select *
from milestones
where repository_id = ?
  and title = ?
order by id
limit ?
-- on PostgreSQL:
select *
from milestones
where repository_id = ?
  and title = ?
order by id
limit ? for no key update;
