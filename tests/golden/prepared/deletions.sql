-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- deletions.findCommits
select distinct commit_id
from deletions
where repository_id = ?
  and kind = 'branch';

-- deletions.findContent
select content
from deletions
where id = ?;

-- deletions.findExpired
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where created_at < ?
order by created_at
limit ?;

-- deletions.findFiles
select uuid
from kept_files
where deletion_id = ?;

-- deletions.findKept
select created_at
from deletions
where created_at >= ?
  and kind = ?
  and subject_id = ?;

-- deletions.findLast
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where owner_id = ?
  and actor_id = ?
  and kind = ?
  and created_at >= ?
order by id desc
limit ?;

-- deletions.findOldest
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where owner_id = ?
  and actor_id = ?
  and id <> ?
order by id
limit ?;

-- deletions.findRepositoriesOf
select id
from deletions
where owner_id = ?
  and kind = 'repository';

-- deletions.findRepository
select id
from deletions
where repository_id = ?
  and kind = 'repository';

-- deletions.putContent
update deletions
set content = ?
where id = ?;

-- deletions.take
delete from deletions
where id = ?
returning *;

-- deletions.weigh
select actor_id, sum(row_bytes) as rows, sum(file_bytes) as files
from deletions
where owner_id = ?
group by actor_id;
