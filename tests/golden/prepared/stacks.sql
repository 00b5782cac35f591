-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- stacks.addVersion
insert into pull_versions(pull_id, number, head_id, base_id, pusher_id, created_at) select pulls.id, coalesce((
    select max(number)
    from pull_versions
    where pull_id = pulls.id), 0) + 1 as number, pulls.head_id, pulls.merge_base, cast(? as bigint) as pusher_id, cast(? as bigint) as created_at
from pulls
where pulls.issue_id = ?;

-- stacks.countVersions
select count(*) as total
from pull_versions
where pull_id = ?;

-- stacks.findBranchBelow
select pulls.*, issues.number, issues.title, issues.is_closed, issues.author_id, stacked_changes.change_id, stacked_changes.below_id, stacked_changes.note
from pulls
inner join issues on issues.id = pulls.issue_id
left join stacked_changes on stacked_changes.pull_id = pulls.id
where pulls.repository_id = ?
  and pulls.head_repository_id = ?
  and pulls.head_branch = ?
  and issues.is_closed = ?
order by pulls.id desc
limit ?;

-- stacks.findBranchesAbove
select pulls.*, issues.number, issues.title, issues.is_closed, issues.author_id, stacked_changes.change_id, stacked_changes.below_id, stacked_changes.note
from pulls
inner join issues on issues.id = pulls.issue_id
left join stacked_changes on stacked_changes.pull_id = pulls.id
where pulls.repository_id = ?
  and pulls.base_branch in ?
  and issues.is_closed = ?
order by pulls.id
limit ?;

-- stacks.findByIdentity
select pulls.*, issues.number, issues.title, issues.content, issues.is_closed
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.head_repository_id is null
  and pulls.head_branch = ?
  and pulls.is_offered = ?
  and pulls.repository_id = ?
  and pulls.base_branch = ?
  and issues.author_id = ?
order by issues.is_closed, pulls.id desc
limit ?;

-- stacks.findChangesAbove
select pulls.*, issues.number, issues.title, issues.is_closed, issues.author_id, stacked_changes.change_id, stacked_changes.below_id, stacked_changes.note
from pulls
inner join issues on issues.id = pulls.issue_id
left join stacked_changes on stacked_changes.pull_id = pulls.id
where pulls.id in (
    select above.pull_id
    from stacked_changes as above
    where above.below_id in ?)
  and issues.is_closed = ?
order by pulls.id
limit ?;

-- stacks.findChangesAt
select pulls.id, pulls.head_id, issues.number
from pulls
inner join issues on issues.id = pulls.issue_id
inner join stacked_changes on stacked_changes.pull_id = pulls.id
where pulls.repository_id = ?
  and pulls.base_branch = ?
  and pulls.head_id in ?
  and issues.is_closed = ?
order by pulls.id;

-- stacks.findMembers
select pulls.*, issues.number, issues.title, issues.is_closed, issues.author_id, stacked_changes.change_id, stacked_changes.below_id, stacked_changes.note
from pulls
inner join issues on issues.id = pulls.issue_id
left join stacked_changes on stacked_changes.pull_id = pulls.id
where pulls.id in ?;

-- stacks.findVersion
select *
from pull_versions
where pull_id = ?
  and number = ?;

-- stacks.findVersionCommits
select pull_versions.head_id, pull_versions.base_id, pulls.stands_on
from pull_versions
inner join pulls on pulls.id = pull_versions.pull_id
inner join stacked_changes on stacked_changes.pull_id = pulls.id
where pulls.repository_id = ?;

-- stacks.findVersions
select *
from pull_versions
where pull_id = ?
order by number desc
limit ? offset ?;

-- stacks.insertChange
insert into stacked_changes(pull_id, change_id, below_id, note)
values (?, ?, ?, ?) on conflict (pull_id) do update
set change_id = ?, below_id = ?, note = ?;

-- stacks.setNote
update stacked_changes
set note = ?
where pull_id = ?;
