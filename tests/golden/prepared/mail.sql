-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- mail.findComment
select id, content
from comments
where id = ?;

-- mail.findConfirmedAddress
select email
from emails
where user_id = ?
  and is_primary = ?
  and is_activated = ?;
