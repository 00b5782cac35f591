-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- mirrors.advanceImport
update imports
set phase = ?, cursor = ?, progress = ?, waits_until = ?, error = ?, updated_at = ?
where id = ?
  and cursor = ?
  and phase in (?, ?);

-- mirrors.find
select *
from mirrors
where repository_id = ?;

-- mirrors.findDue
select mirrors.repository_id, mirrors.interval
from mirrors
inner join repositories on repositories.id = mirrors.repository_id
where mirrors.next_sync_at > 0
  and mirrors.next_sync_at <= ?
  and repositories.is_mirror = ?
order by mirrors.next_sync_at, mirrors.repository_id
limit ?;

-- mirrors.findDuePush
select id, interval
from push_mirrors
where next_sync_at > 0
  and next_sync_at <= ?
order by next_sync_at, id
limit ?;

-- mirrors.findImport
select *
from imports
where id = ?;

-- mirrors.findImportOf
select *
from imports
where repository_id = ?
order by id desc
limit ?;

-- mirrors.findOnCommit
select id
from push_mirrors
where repository_id = ?
  and sync_on_commit = ?
order by id;

-- mirrors.findPush
select *
from push_mirrors
where id = ?;

-- mirrors.findPushByName
select *
from push_mirrors
where repository_id = ?
  and remote_name = ?;

-- mirrors.findPushMirrors
select *
from push_mirrors
where repository_id = ?
order by id;

-- mirrors.postpone
update mirrors
set next_sync_at = ?
where repository_id = ?
  and interval > ?;

-- mirrors.postponePush
update push_mirrors
set next_sync_at = ?
where id = ?
  and interval > ?;

-- mirrors.putOffImport
update imports
set waits_until = ?, updated_at = ?
where id = ?;

-- mirrors.recordLfsMissing
update mirrors
set lfs_missing = ?
where repository_id = ?;

-- mirrors.recordProgress
update imports
set progress = ?, updated_at = ?
where id = ?
  and phase = ?;

-- mirrors.recordPush
update push_mirrors
set last_sync_at = ?, next_sync_at = case when interval = ? then 0 else ? end, last_error = ?, failures = ?
where id = ?;

-- mirrors.recordSync
update mirrors
set last_sync_at = ?, updated_at = ?, next_sync_at = case when interval = ? then 0 else ? end, last_error = ?, remote_head = ?, failures = ?, lfs_missing = ?
where repository_id = ?;

-- mirrors.removePush
delete from push_mirrors
where repository_id = ?
  and remote_name = ?
returning id;
