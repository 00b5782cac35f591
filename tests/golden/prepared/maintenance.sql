-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- maintenance.findPlace
select storage, object_format
from repositories
where id = ?;

-- maintenance.findPlaces
select repositories.id, repositories.storage, repositories.object_format, repositories.name, users.name as owner_name
from repositories
inner join users on users.id = repositories.owner_id
where repositories.id > ?
  and repositories.is_empty = ?
order by repositories.id
limit ?;

-- maintenance.findWikiPlaces
select repositories.id, repositories.storage, repositories.object_format, repositories.name, users.name as owner_name
from wikis
inner join repositories on repositories.id = wikis.repository_id
inner join users on users.id = repositories.owner_id
where wikis.repository_id > ?
order by wikis.repository_id
limit ?;

-- maintenance.putSize
update repositories
set git_size = ?
where id = ?;

-- maintenance.putWikiSize
update wikis
set git_size = ?
where repository_id = ?;
