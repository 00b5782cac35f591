-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- browse.findBranchAmong
select name
from branches
where repository_id = ?
  and name in ?;

-- browse.findTagAmong
select name
from tags
where repository_id = ?
  and name in ?;
