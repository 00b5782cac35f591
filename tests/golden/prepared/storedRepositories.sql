-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- storedRepositories.find
select *
from stored_repositories
where key = ?;

-- storedRepositories.findOrphans
select key
from stored_repositories
where created_at < ?
  and not exists (
    select 1
    from repositories
    where repositories.storage = stored_repositories.key)
  and not exists (
    select 1
    from repositories join wikis on wikis.repository_id = repositories.id
    where repositories.storage = substr(stored_repositories.key, 1, length(stored_repositories.key) - 5))
order by id;

-- storedRepositories.insert
insert into stored_repositories(key, object_format, head, refs_version, removed_version, packs_version, gc_epoch, size, packed_size, packs_count, has_left_behind, aside_since, created_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing
returning id;

-- storedRepositories.lock
select *
from stored_repositories
where key = ?
-- on PostgreSQL:
select *
from stored_repositories
where key = ? for no key update;

-- storedRepositories.putHead
update stored_repositories
set head = ?
where key = ?;

-- storedRepositories.putVersions
update stored_repositories
set refs_version = ?, removed_version = ?, packs_version = ?, gc_epoch = ?, size = ?, packed_size = ?, packs_count = ?, has_left_behind = ?, aside_since = ?
where id = ?;

-- storedRepositories.remove
delete from stored_repositories
where key = ?;
