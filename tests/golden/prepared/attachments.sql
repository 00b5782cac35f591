-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- attachments.countDownload
update attachments
set download_count = download_count + ?
where id = ?;

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

-- attachments.findKept
select uuid
from attachments
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
