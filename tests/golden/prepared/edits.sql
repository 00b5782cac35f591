-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- edits.empty
update text_versions
set content = ?, deleted_by = ?, deleted_at = ?
where id = ?
  and deleted_at = ?;

-- edits.fill
update text_versions
set content = ?
where id = ?;

-- edits.findEdited
select distinct comment_id
from text_versions
where issue_id = ?;

-- edits.findSizes
select id, number, length(content) as size
from text_versions
where issue_id = ?
  and comment_id is not distinct from ?
order by number desc;

-- edits.findVersions
select *
from text_versions
where issue_id = ?
  and comment_id is not distinct from ?
order by number desc;

-- edits.insert
insert into text_versions(issue_id, comment_id, number, content, author_id, written_at)
values (?, ?, ?, ?, ?, ?);
