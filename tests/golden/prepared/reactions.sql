-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- reactions.count
select comment_id, content, count(*) as total
from reactions
where issue_id = ?
group by comment_id, content
order by min(id);

-- reactions.deleteAll
delete from reactions
where issue_id = ?
  and comment_id = ?;

-- reactions.deleteOne
delete from reactions
where issue_id = ?
  and comment_id = ?
  and user_id = ?
  and content = ?;

-- reactions.deleteOwn
delete from reactions
where issue_id = ?
  and comment_id = ?
  and user_id = ?;

-- reactions.find
select *
from reactions
where issue_id = ?
  and comment_id = ?
order by id;

-- reactions.findOne
select *
from reactions
where issue_id = ?
  and comment_id = ?
  and user_id = ?
  and content = ?;

-- reactions.findOwn
select comment_id, content
from reactions
where issue_id = ?
  and user_id = ?;

-- reactions.insert
insert into reactions(issue_id, comment_id, user_id, content, created_at)
values (?, ?, ?, ?, ?) on conflict (issue_id, comment_id, user_id, content) do nothing
returning *;
