-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- missing.findBranchNames
select name
from branches
where repository_id = ?;

-- missing.findRepositories
select *
from repositories
where id > ?
order by id
limit ?;
