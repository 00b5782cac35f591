-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- comments.delete
delete from comments
where id = ?;

-- comments.findByIds
select comments.id, comments.issue_id, comments.author_id, comments.created_at, comments.updated_at, comments.original_author, comments.original_author_id, comments.made_with, comments.content
from comments
where comments.id in ?;

-- comments.findLabels
select *
from labels
where id in ?;

-- comments.findOfIssue
select comments.id, comments.issue_id, comments.author_id, comments.created_at, comments.updated_at, comments.original_author, comments.original_author_id, comments.made_with, case when found.so_far <= 4194304 or octet_length(comments.content) <= 4000 then comments.content else substr(comments.content, 1, 1000) || '…' end as content
from (
    select id, sum(octet_length(content)) over(order by created_at, id) as so_far
    from comments
    where issue_id = ?
      and kind = ?
      and updated_at >= ?
      and updated_at <= ?) as found
inner join comments on comments.id = found.id
order by comments.created_at, comments.id;

-- comments.findTimes
select *
from tracked_times
where id in ?;

-- comments.hideActivities
update activities
set is_hidden = ?
where comment_id = ?
  and comment_id <> 0;

-- comments.touch
update comments
set content_version = content_version + ?, updated_at = ?
where id = ?;

-- comments.updateContent
update comments
set content = ?, content_version = content_version + ?, updated_at = ?
where id = ?
returning comments.id, comments.issue_id, comments.author_id, comments.created_at, comments.updated_at, comments.original_author, comments.original_author_id, comments.made_with, comments.content;
