-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- repositoryRefs.find
select name, object_id
from repository_refs
where stored_repository_id = ?
  and version > ?;

-- repositoryRefs.findNamed
select name, object_id
from repository_refs
where stored_repository_id = ?
  and name in ?;

-- repositoryRefs.remove
delete from repository_refs
where stored_repository_id = ?
  and name in ?;
