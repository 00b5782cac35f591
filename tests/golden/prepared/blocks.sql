-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- blocks.countBlocked
select count(*) as total
from blocks
where blocker_id = ?;

-- blocks.findAllOf
select blocker_id
from blocks
where blocked_id = ?
  and blocker_id in ?;

-- blocks.findBlockOf
select id
from blocks
where blocked_id = ?
  and blocker_id in ?
limit ?;

-- blocks.findBlocked
select users.*, blocks.note
from blocks
inner join users on users.id = blocks.blocked_id
where blocks.blocker_id = ?
order by blocks.id desc
limit ? offset ?;
