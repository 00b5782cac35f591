-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- history.countComparisons
select count(*) as total
from branch_comparisons
where repository_id = ?;

-- history.findComparisons
select head_id, ahead, behind
from branch_comparisons
where repository_id = ?
  and base_id = ?
  and head_id in ?;

-- history.findContributions
select repositories.storage, repositories.object_format, repositories.default_branch, branches.commit_id as tip, counted.commit_id, counted.is_whole, counted.authors
from repositories
left join repository_contributions as counted on counted.repository_id = repositories.id
left join branches on branches.repository_id = repositories.id
  and branches.name = repositories.default_branch
where repositories.id = ?;

-- history.findGraphTips
select name, commit_id
from branches
where repository_id = ?
order by committed_at desc, name
limit ?;

-- history.findPlace
select id, storage, object_format, default_branch
from repositories
where id = ?;

-- history.findSeedCommits
select commit_id
from tree_histories
where repository_id = ?
  and path in ?
order by stored_at desc
limit ?;

-- history.findSeeds
select path, commit_id, entries
from tree_histories
where repository_id = ?
  and path in ?
  and commit_id in ?;

-- history.findStoredTrees
select path, tree_id, commit_id
from tree_histories
where repository_id = ?
order by stored_at desc;

-- history.findTips
select commit_id
from branches
where repository_id = ?
order by committed_at desc, name
limit ?;

-- history.findTree
select commit_id, entries
from tree_histories
where repository_id = ?
  and path = ?
  and tree_id = ?;

-- history.pruneTrees
delete from tree_histories
where repository_id = ?
  and stored_at < (
    select newer.stored_at
    from tree_histories as newer
    where newer.repository_id = ?
    order by newer.stored_at desc
    limit ? offset ?);

-- history.putComparison
insert into branch_comparisons(repository_id, base_id, head_id, ahead, behind)
values (?, ?, ?, ?, ?) on conflict (repository_id, base_id, head_id) do nothing;

-- history.putContributions
insert into repository_contributions(repository_id, commit_id, is_whole, authors, counted_at)
values (?, ?, ?, ?, ?) on conflict (repository_id) do update
set commit_id = excluded.commit_id, is_whole = excluded.is_whole, authors = excluded.authors, counted_at = excluded.counted_at;

-- history.putTree
insert into tree_histories(repository_id, path, tree_id, commit_id, entries, stored_at)
values (?, ?, ?, ?, ?, ?) on conflict (repository_id, path, tree_id) do update
set commit_id = excluded.commit_id, entries = excluded.entries, stored_at = excluded.stored_at;

-- history.removeComparisons
delete from branch_comparisons
where repository_id = ?
  and base_id != ?;
