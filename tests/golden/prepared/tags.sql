-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- tags.count
select total
from tag_totals
where repository_id = ?;

-- tags.countFound
select count(*) as total
from tags
where repository_id = ?
  and instr(fold(name), fold(?)) > 0
-- on PostgreSQL:
select count(*) as total
from tags
where repository_id = ?
  and strpos(lower(name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0;

-- tags.find
select *
from tags
where repository_id = ?
  and name = ?;

-- tags.findAll
select name, object_id, target_id, message, tagged_at
from tags
where repository_id = ?
order by name;

-- tags.findInTheWay
select name
from tags
where repository_id = ?
  and (name in ? or (name > ? and name < ?))
limit ?;

-- tags.findLastSequence
select max(sequence) as last
from tags
where repository_id = ?
union all select max(sequence) as last
from releases
where repository_id = ?;

-- tags.findObjects
select name, object_id
from tags
where repository_id = ?
  and name in ?;

-- tags.list
select *
from tags
where repository_id = ?
order by tagged_at desc, name
limit ? offset ?;

-- tags.listLast
select *
from tags
where repository_id = ?
order by tagged_at, name desc
limit ? offset ?;

-- tags.remove
delete from tags
where repository_id = ?
  and name in ?;

-- tags.searchPage
select *
from tags
where repository_id = ?
  and instr(fold(name), fold(?)) > 0
order by tagged_at desc, name
limit ? offset ?
-- on PostgreSQL:
select *
from tags
where repository_id = ?
  and strpos(lower(name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0
order by tagged_at desc, name
limit ? offset ?;
