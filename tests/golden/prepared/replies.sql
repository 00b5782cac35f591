-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- replies.count
select count(*) as total
from saved_replies
where user_id = ?;

-- replies.delete
delete from saved_replies
where user_id = ?
  and id = ?;

-- replies.find
select *
from saved_replies
where user_id = ?
order by name, id
limit ? offset ?;

-- replies.findNames
select id, name
from saved_replies
where user_id = ?
order by name, id;

-- replies.findOne
select *
from saved_replies
where user_id = ?
  and id = ?;

-- replies.insert
insert into saved_replies(user_id, name, content)
values (?, ?, ?);

-- replies.update
update saved_replies
set name = ?, content = ?
where user_id = ?
  and id = ?;
