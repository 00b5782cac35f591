-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- watches.findLevelsOf
select repository_id, level
from notification_levels
where user_id = ?
  and repository_id in ?;

-- watches.findWatch
select mode
from watches
where user_id = ?
  and repository_id = ?;

-- watches.findWatchesOf
select repository_id, mode
from watches
where user_id = ?
  and repository_id in ?;

-- watches.forgetLevel
delete from notification_levels
where user_id = ?
  and repository_id = ?;
