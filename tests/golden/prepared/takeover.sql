-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- takeover.findChunks
select chunk, content
from takeover_chunks
where kind = ?
  and chunk >= ?
  and chunk <= ?
order by chunk;

-- takeover.findPulls
select pulls.id, pulls.repository_id, pulls.head_repository_id, pulls.head_branch, pulls.head_id, issues.number, issues.is_closed
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.id > ?
order by pulls.id
limit ?;

-- takeover.findRepository
select storage, object_format
from repositories
where id = ?;

-- takeover.findUncountedPulls
select pulls.id, pulls.merge_base, pulls.head_id
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.id > ?
  and issues.is_closed = ?
  and pulls.base_id = ?
order by pulls.id
limit ?;

-- takeover.putChunk
insert into takeover_chunks(kind, chunk, content)
values (?, ?, ?) on conflict (kind, chunk) do update
set content = excluded.content;

-- takeover.putGitSize
update repositories
set git_size = ?
where id = ?;

-- takeover.removeChunk
delete from takeover_chunks
where kind = ?
  and chunk = ?;
