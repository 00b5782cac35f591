-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- repositoryRefs.find
select name, object_id
from repository_refs
where stored_repository_id = ?
  and version > ?;

-- repositoryRefs.findNamed
select repository_refs.name, repository_refs.object_id
from stored_repositories
inner join repository_refs on repository_refs.stored_repository_id = stored_repositories.id
where stored_repositories.key = ?
  and repository_refs.name in ?;

-- repositoryRefs.put
insert into repository_refs(stored_repository_id, name, object_id, version)
values (?, ?, ?, ?) on conflict (stored_repository_id, name) do update
set object_id = excluded.object_id, version = excluded.version;

-- repositoryRefs.remove
delete from repository_refs
where stored_repository_id = ?
  and name in ?;
