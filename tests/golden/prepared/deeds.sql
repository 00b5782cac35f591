-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- deeds.end
update token_deeds
set status = ?, path = ?
where id = ?;

-- deeds.findCommitMark
select token_name
from token_commits
where repository_id = ?
  and commit_id = ?;

-- deeds.forget
delete from token_deeds
where id in (
    select id
    from token_deeds
    where created_at < ?
    limit ?);

-- deeds.giveWriteBack
update access_tokens
set writes_left = writes_left + 1
where id = ?
  and writes_left >= ?
  and writes_left < writes;

-- deeds.insert
insert into token_deeds(token_id, token_name, user_id, repository_id, owner_id, operation, path, status, created_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
returning id;

-- deeds.markCommit
insert into token_commits(repository_id, commit_id, token_name)
values (?, ?, ?) on conflict (repository_id, commit_id) do nothing;

-- deeds.takeWrite
update access_tokens
set writes_left = case when writes_left > 0 then writes_left - 1 else writes_left end
where id = ?
  and writes_left <> ?
  and expires_at > ?;
