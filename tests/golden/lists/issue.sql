-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /repos/{owner}/{repo}/labels ===

-- without filters
select count(*) as total
from labels
where repository_id = ?;
select *
from labels
where repository_id = ?
order by name asc, id asc
limit ? offset ?;

-- sort=reversealphabetically
select *
from labels
where repository_id = ?
order by name desc, id desc
limit ? offset ?;

-- sort=mostissues
select *
from labels
where repository_id = ?
order by (
    select count(*) as issues
    from issue_labels
    where issue_labels.label_id = labels.id) desc, name asc, id asc
limit ? offset ?;

-- sort=leastissues
select *
from labels
where repository_id = ?
order by (
    select count(*) as issues
    from issue_labels
    where issue_labels.label_id = labels.id) asc, name asc, id asc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/milestones ===

-- without filters
select count(*) as total
from milestones
where repository_id = ?
  and is_closed = ?;
select *
from milestones
where repository_id = ?
  and is_closed = ?
order by due_at, title, id
limit ? offset ?;

-- state=all
select count(*) as total
from milestones
where repository_id = ?;
select *
from milestones
where repository_id = ?
order by due_at, title, id
limit ? offset ?;

-- name=a
select count(*) as total
from milestones
where repository_id = ?
  and is_closed = ?
  and instr(fold(milestones.title), fold(?)) > 0
-- on PostgreSQL:
select count(*) as total
from milestones
where repository_id = ?
  and is_closed = ?
  and strpos(lower(milestones.title collate "und-x-icu"), lower(? collate "und-x-icu")) > 0;
select *
from milestones
where repository_id = ?
  and is_closed = ?
  and instr(fold(milestones.title), fold(?)) > 0
order by due_at, title, id
limit ? offset ?
-- on PostgreSQL:
select *
from milestones
where repository_id = ?
  and is_closed = ?
  and strpos(lower(milestones.title collate "und-x-icu"), lower(? collate "und-x-icu")) > 0
order by due_at, title, id
limit ? offset ?;
