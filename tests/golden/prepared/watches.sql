-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- watches.findWatch
select mode
from watches
where user_id = ?
  and repository_id = ?;
