-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- lfs.copyLinks
insert into lfs_links(repository_id, object_id, created_at) select cast(? as bigint) as repository_id, object_id, cast(? as bigint) as created_at
from lfs_links
where repository_id = ?;

-- lfs.countSize
update repositories
set lfs_size = (
    select coalesce(sum(lfs_objects.size), 0) as total
    from lfs_links
    inner join lfs_objects on lfs_objects.id = lfs_links.object_id
    where lfs_links.repository_id = repositories.id)
where id = ?;

-- lfs.deleteLock
delete from lfs_locks
where id = ?;

-- lfs.deleteUnlinked
delete from lfs_objects
where id > ?
  and id <= ?
  and linked_at < ?
  and not exists (
    select lfs_links.object_id
    from lfs_links
    where lfs_links.object_id = lfs_objects.id);

-- lfs.findAnyLink
select object_id
from lfs_links
where repository_id = ?
limit ?;

-- lfs.findByStorage
select id, storage
from repositories
where storage in ?;

-- lfs.findKeptFiles
select file
from lfs_objects
where file in ?;

-- lfs.findLastObject
select coalesce(max(id), 0) as last
from lfs_objects;

-- lfs.findLinked
select lfs_objects.*
from lfs_objects
inner join lfs_links on lfs_links.object_id = lfs_objects.id
where lfs_links.repository_id = ?
  and lfs_objects.oid in ?;

-- lfs.findLock
select lfs_locks.*, users.name as owner_name
from lfs_locks
inner join users on users.id = lfs_locks.owner_id
where lfs_locks.repository_id = ?
  and lfs_locks.id = ?;

-- lfs.findLockByPath
select lfs_locks.*, users.name as owner_name
from lfs_locks
inner join users on users.id = lfs_locks.owner_id
where lfs_locks.repository_id = ?
  and lfs_locks.path = ?;

-- lfs.insertLink
insert into lfs_links(repository_id, object_id, created_at)
values (?, ?, ?) on conflict (repository_id, object_id) do nothing;

-- lfs.insertLock
insert into lfs_locks(repository_id, path, owner_id, created_at)
values (?, ?, ?, ?) on conflict (repository_id, path) do nothing;

-- lfs.keepObject
insert into lfs_objects(oid, size, file, created_at, linked_at)
values (?, ?, ?, ?, ?) on conflict (oid) do update
set linked_at = excluded.linked_at
returning *;

-- lfs.touchObjects
update lfs_objects
set linked_at = ?
where id in ?
returning id;
