-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- attachments.bindNamed
update attachments
set issue_id = ?, comment_id = ?
where uuid in ?
  and repository_id = ?
  and uploader_id = ?
  and issue_id is null
  and release_id is null
returning *;

-- attachments.countDownload
update attachments
set download_count = download_count + ?
where id = ?;

-- attachments.deleteForgotten
delete from attachments
where id in ?
  and issue_id is null
  and release_id is null
returning uuid;

-- attachments.find
select *
from attachments
where issue_id = ?
  and comment_id = ?
order by id;

-- attachments.findByUuid
select *
from attachments
where uuid = ?;

-- attachments.findForgotten
select attachments.id
from attachments
where issue_id is null
  and release_id is null
  and created_at < ?
  and attachments.id > ?
  and not exists (
    select comments.id
    from comments
    where comments.author_id = attachments.uploader_id
      and comments.kind in (?, ?)
      and instr(comments.content, attachments.uuid) > 0)
order by attachments.id
limit ?
-- on PostgreSQL:
select attachments.id
from attachments
where issue_id is null
  and release_id is null
  and created_at < ?
  and attachments.id > ?
  and not exists (
    select comments.id
    from comments
    where comments.author_id = attachments.uploader_id
      and comments.kind in (?, ?)
      and strpos(comments.content, attachments.uuid) > 0)
order by attachments.id
limit ?;

-- attachments.findKept
select uuid
from attachments
where uuid in ?
union select uuid
from kept_files
where uuid in ?;

-- attachments.findOfComments
select *
from attachments
where issue_id in ?
  and comment_id in ?
order by id;

-- attachments.findOfReleases
select *
from attachments
where release_id in ?
order by id;

-- attachments.findOne
select *
from attachments
where id = ?
  and issue_id = ?
  and comment_id = ?;

-- attachments.findOneOfRelease
select *
from attachments
where id = ?
  and release_id = ?;

-- attachments.insert
insert into attachments(uuid, repository_id, issue_id, comment_id, release_id, uploader_id, name, size, created_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning *;

-- attachments.sumUnbound
select count(*) as files, cast(coalesce(sum(size), 0) as bigint) as bytes
from attachments
where uploader_id = ?
  and issue_id is null
  and release_id is null;
