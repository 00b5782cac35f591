-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- imports.findOwnerOfMail
select user_id
from emails
where lower_email = ?
  and is_activated = ?
limit ?;
