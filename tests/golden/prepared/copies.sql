-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- copies.findAccount
select *
from users
where id = ?;

-- copies.findAttached
select uuid
from attachments
where repository_id = ?;

-- copies.findLargeFiles
select lfs_objects.oid, lfs_objects.size, lfs_objects.file
from lfs_objects
inner join lfs_links on lfs_links.object_id = lfs_objects.id
where lfs_links.repository_id = ?;

-- copies.findOwned
select id
from repositories
where owner_id = ?
  and lower_name = ?;

-- copies.findRepositoriesOf
select id, name, storage, object_format, default_branch
from repositories
where owner_id = ?
order by id;

-- copies.findRepository
select *
from repositories
where id = ?;

-- copies.findRepositoryNamed
select repositories.id
from repositories
inner join users on users.id = repositories.owner_id
where users.lower_name = ?
  and repositories.lower_name = ?;

-- copies.findTakenUuids
select uuid
from attachments
where uuid in ?;

-- copies.findUsersByNames
select id, lower_name
from users
where lower_name in ?;
