-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- transport.countBranches
update repositories
set branches_count = coalesce((
    select total
    from branch_totals
    where branch_totals.repository_id = repositories.id), 0)
where id = ?;

-- transport.findBranchNames
select name
from branches
where repository_id = ?
  and name in ?;

-- transport.findOwner
select users.*
from repositories
inner join users on users.id = repositories.owner_id
where repositories.id = ?;

-- transport.findRepository
select repositories.*, owner.name as owner_name
from repositories
inner join users as owner on owner.id = repositories.owner_id
where repositories.id = ?;

-- transport.findTurns
select branch, holder
from branch_turns
where repository_id = ?
  and ends_at > ?;

-- transport.putBranch
insert into branches(repository_id, name, commit_id, is_told, commit_message, author_name, author_email, authored_at, author_offset, committer_name, committer_email, committed_at, pusher_id, updated_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (repository_id, name) do update
set commit_id = excluded.commit_id, is_told = excluded.is_told, commit_message = excluded.commit_message, author_name = excluded.author_name, author_email = excluded.author_email, authored_at = excluded.authored_at, author_offset = excluded.author_offset, committer_name = excluded.committer_name, committer_email = excluded.committer_email, committed_at = excluded.committed_at, pusher_id = excluded.pusher_id, updated_at = excluded.updated_at;

-- transport.releaseTurn
delete from branch_turns
where repository_id = ?
  and branch = ?
  and holder = ?;

-- transport.removeBranches
delete from branches
where repository_id = ?
  and name in ?;

-- transport.settleRepository
update repositories
set default_branch = ?, is_empty = case when branches_count = 0 then 1 else 0 end, git_size = git_size * ? + ?, updated_at = updated_at
where id = ?
returning *;

-- transport.takeTurn
insert into branch_turns(repository_id, branch, holder, ends_at)
values (?, ?, ?, ?) on conflict (repository_id, branch) do update
set holder = excluded.holder, ends_at = excluded.ends_at
where branch_turns.ends_at <= ?;

-- transport.touchRepository
update repositories
set updated_at = ?
where id = ?
returning *;
