-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- pulls.count
select count(*) as total
from issues
where repository_id = ?
  and is_pull = ?;

-- pulls.countInState
select count(*) as total
from issues
where repository_id = ?
  and is_pull = ?
  and is_closed = ?;

-- pulls.find
select *
from pulls
where id = ?;

-- pulls.findFork
select *
from repositories
where owner_id = ?
  and (fork_of_id = ? or id = ? or fork_of_id = ?)
order by case when fork_of_id = ? then 0 when id = ? then 1 else 2 end, id
limit ?;

-- pulls.findHeadPusher
select branches.pusher_id
from pulls
inner join branches on branches.repository_id = pulls.head_repository_id
  and branches.name = pulls.head_branch
where pulls.id = ?;

-- pulls.findLastFrom
select head_branch, base_branch, is_merged
from pulls
where repository_id = ?
  and head_repository_id = ?
  and head_branch in ?
order by id;

-- pulls.findMerges
select issue_id, merged_at
from pulls
where issue_id in ?
  and is_merged = ?;

-- pulls.findNamedCommits
select head_id, base_id, merge_base, merge_commit_id
from pulls
where repository_id = ?;

-- pulls.findNewest
select *
from issues
where repository_id = ?
  and is_pull = ?
order by number desc
limit ? offset ?;

-- pulls.findNewestInState
select *
from issues
where repository_id = ?
  and is_pull = ?
  and is_closed = ?
order by number desc
limit ? offset ?;

-- pulls.findNow
select pulls.*, issues.number, issues.is_closed, coalesce(nullif(pulls.stands_on, ''), base.commit_id) as base_tip
from pulls
inner join issues on issues.id = pulls.issue_id
left join branches as base on base.repository_id = pulls.repository_id
  and base.name = pulls.base_branch
where pulls.id = ?;

-- pulls.findOfIssues
select pulls.*, head.commit_id as head_tip, coalesce(nullif(pulls.stands_on, ''), base.commit_id) as base_tip, (
    select count(*)
    from comments
    where comments.issue_id = pulls.issue_id
      and comments.kind = 'review') as reviews_count
from pulls
left join branches as base on base.repository_id = pulls.repository_id
  and base.name = pulls.base_branch
left join branches as head on head.repository_id = pulls.head_repository_id
  and head.name = pulls.head_branch
where pulls.issue_id in ?;

-- pulls.findOpenBetween
select pulls.id, issues.number
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.base_branch = ?
  and pulls.head_repository_id = ?
  and pulls.head_branch = ?
  and issues.is_closed = ?
order by pulls.id desc
limit ?;

-- pulls.findOpenElsewhere
select pulls.*
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.head_repository_id = ?
  and pulls.repository_id != ?
  and issues.is_closed = ?
order by pulls.repository_id, pulls.id;

-- pulls.findOpenFrom
select pulls.*, issues.number
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.head_repository_id = ?
  and pulls.head_branch in ?
  and issues.is_closed = ?
order by pulls.repository_id, pulls.id;

-- pulls.findOpenInto
select pulls.*
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.base_branch in ?
  and issues.is_closed = ?
order by issues.updated_at desc, pulls.id;

-- pulls.findOpenOffer
select pulls.*, issues.number
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.head_repository_id is null
  and pulls.head_branch = ?
  and pulls.is_offered = ?
  and pulls.repository_id = ?
  and pulls.base_branch = ?
  and issues.author_id = ?
  and issues.is_closed = ?
order by pulls.id desc
limit ?;

-- pulls.findRecentlyUpdated
select *
from issues
where repository_id = ?
  and is_pull = ?
order by updated_at desc, number desc
limit ? offset ?;

-- pulls.findUnmergedBetween
select *
from pulls
where repository_id = ?
  and base_branch = ?
  and head_repository_id = ?
  and head_branch = ?
  and is_merged = ?
order by id desc
limit ?;

-- pulls.insert
insert into pulls(issue_id, repository_id, base_branch, head_repository_id, head_branch, is_offered, head_id, base_id, merge_base, mergeability, conflicted_files, additions, deletions, changed_files, commits_ahead, commits_behind, allow_maintainer_edit, is_merged, merged_at, merged_by_id, merge_commit_id, is_merged_manually)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
returning *;

-- pulls.pushedBranches
select recent.name, recent.repository_id, recent.updated_at, recent.repository
from (
    select branches.name, branches.repository_id, branches.commit_id, branches.updated_at, repositories.name as repository
    from branches
    inner join repositories on repositories.id = branches.repository_id
    where branches.pusher_id = ?
      and branches.updated_at >= ?
      and ((repositories.id = ? and branches.name != ?) or (repositories.fork_of_id = ? and repositories.owner_id = ?))
    order by branches.updated_at desc, branches.repository_id, branches.name
    limit 100) as recent
where not exists (
    select main.name
    from branches as main
    where main.repository_id = ?
      and main.name in (?, recent.name)
      and main.commit_id = recent.commit_id
      and (main.name = ? or main.repository_id != recent.repository_id))
  and not exists (
    select pulls.id
    from pulls
    inner join issues on issues.id = pulls.issue_id
    where pulls.repository_id = ?
      and pulls.head_repository_id = recent.repository_id
      and pulls.head_branch = recent.name
      and (issues.is_closed = ? or pulls.head_id = recent.commit_id))
order by recent.updated_at desc, recent.repository_id, recent.name
limit 3;

-- pulls.renameBases
update pulls
set base_branch = ?
where repository_id = ?
  and base_branch = ?
  and is_merged = ?;

-- pulls.renameHeads
update pulls
set head_branch = ?
where head_repository_id = ?
  and head_branch = ?
  and is_merged = ?;

-- pulls.renameTopics
update pulls
set head_branch = cast(? as text) || substr(head_branch, length(cast(? as text)) + 1)
where is_offered = ?
  and substr(head_branch, 1, length(cast(? as text))) = ?
  and issue_id in (
    select id
    from issues
    where author_id = ?
      and is_pull = ?);

-- pulls.replaceHead
update pulls
set head_id = ?, base_id = ?, merge_base = ?, mergeability = ?, conflicted_files = ?, additions = ?, deletions = ?, changed_files = ?, commits_ahead = ?, commits_behind = ?
where id = ?
  and head_id = ?
  and is_merged = ?
returning *;

-- pulls.storeAssessment
update pulls
set base_id = ?, merge_base = ?, mergeability = ?, conflicted_files = ?, additions = ?, deletions = ?, changed_files = ?, commits_ahead = ?, commits_behind = ?
where id = ?
  and head_id = ?
  and base_branch = ?
  and stands_on = ?
returning *;
