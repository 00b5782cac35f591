-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- repositoryPacks.find
select packs.id, packs.file, packs.size, packs.content, packs.files, repository_packs.version
from repository_packs
inner join packs on packs.id = repository_packs.pack_id
where stored_repository_id = ?
  and (repository_packs.version > ? or (repository_packs.version = ? and repository_packs.pack_id > ?))
order by repository_packs.version, repository_packs.pack_id
limit ?;

-- repositoryPacks.link
insert into repository_packs(stored_repository_id, pack_id, version)
values (?, ?, ?);

-- repositoryPacks.linkAll
insert into repository_packs(stored_repository_id, pack_id, version) select ? as stored_repository_id, pack_id, 1 as version
from repository_packs
where stored_repository_id = ?;

-- repositoryPacks.sum
select coalesce(sum(packs.size), 0) as size, count(*) as count
from repository_packs
inner join packs on packs.id = repository_packs.pack_id
where stored_repository_id = ?
  and repository_packs.version > ?;

-- repositoryPacks.unlink
delete from repository_packs
where stored_repository_id = ?
  and version <= ?;
