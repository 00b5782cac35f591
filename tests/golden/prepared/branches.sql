-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- branches.countAll
select total
from branch_totals
where repository_id = ?;

-- branches.countFound
select count(*) as total
from branches
where repository_id = ?
  and instr(fold(name), fold(?)) > 0
-- on PostgreSQL:
select count(*) as total
from branches
where repository_id = ?
  and strpos(lower(name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0;

-- branches.find
select *
from branches
where repository_id = ?
  and name = ?;

-- branches.findInTheWay
select name
from branches
where repository_id = ?
  and (name in ? or (name > ? and name < ?))
limit ?;

-- branches.findLast
select *
from branches
where repository_id = ?
order by committed_at, name desc
limit ? offset ?;

-- branches.findMaintainable
select users.*, pulls.repository_id as base_id, pulls.head_branch
from pulls
inner join issues on issues.id = pulls.issue_id
inner join users on users.id = issues.author_id
where pulls.head_repository_id = ?
  and pulls.allow_maintainer_edit = ?
  and issues.is_closed = ?;

-- branches.findPage
select *
from branches
where repository_id = ?
order by committed_at desc, name
limit ? offset ?;

-- branches.followRedirects
update branch_redirects
set new_name = ?
where repository_id = ?
  and new_name = ?;

-- branches.putRedirect
insert into branch_redirects(repository_id, name, new_name, created_at)
values (?, ?, ?, ?) on conflict (repository_id, name) do update
set new_name = excluded.new_name, created_at = excluded.created_at;

-- branches.removeRedirect
delete from branch_redirects
where repository_id = ?
  and name = ?;

-- branches.searchPage
select *
from branches
where repository_id = ?
  and instr(fold(name), fold(?)) > 0
order by committed_at desc, name
limit ? offset ?
-- on PostgreSQL:
select *
from branches
where repository_id = ?
  and strpos(lower(name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0
order by committed_at desc, name
limit ? offset ?;
