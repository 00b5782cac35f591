-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- outbox.findWaiting
select id
from jobs
where kind = ?
  and payload = ?
  and state = ?
limit ?
-- on PostgreSQL:
select id
from jobs
where kind = ?
  and payload = ?
  and state = ?
limit ? for share skip locked;
