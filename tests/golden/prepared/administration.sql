-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- administration.findNeverActivated
select users.*
from users
inner join emails on emails.user_id = users.id
  and emails.is_primary = ?
where users.id > ?
  and users.kind = ?
  and users.is_active = ?
  and users.created_at < ?
  and emails.is_activated = ?
order by users.id
limit ?;
