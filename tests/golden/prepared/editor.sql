-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- editor.findFork
select id, name, default_branch
from repositories
where owner_id = ?
  and fork_of_id = ?;
