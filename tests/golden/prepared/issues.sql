-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- issues.changeState
update issues
set is_closed = ?, closed_at = ?, updated_at = ?
where id = ?
returning *;

-- issues.countComments
update issues
set updated_at = case when ? = 0 then updated_at else cast(? as bigint) end, comments_count = (
    select count(*) as total
    from comments
    where comments.issue_id = issues.id
      and comments.kind in (?, ?))
where id = ?;

-- issues.countOpen
update repositories
set open_issues_count = (
    select count(*) as total
    from issues
    where issues.repository_id = repositories.id
      and issues.is_closed = ?
      and issues.is_pull = ?), open_pulls_count = (
    select count(*) as total
    from issues
    where issues.repository_id = repositories.id
      and issues.is_closed = ?
      and issues.is_pull = ?)
where id = ?;

-- issues.findAssignable
select *
from users
where kind = ?
  and is_active = ?
  and id != ?
  and (exists (
    select 1
    from collaborations
    where collaborations.repository_id = ?
      and collaborations.user_id = users.id
      and collaborations.mode >= ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = ?
      and team_members.user_id = users.id
      and (teams.mode >= ? or (team_units.unit in ('repo.issues', 'repo.pulls') and team_units.mode >= ?))))
order by lower_name;

-- issues.findAssignees
select users.*, issue_assignees.issue_id
from issue_assignees
inner join users on users.id = issue_assignees.user_id
where issue_assignees.issue_id in ?
order by issue_assignees.id;

-- issues.findAttachments
select *
from attachments
where issue_id in ?
  and comment_id = ?
order by id;

-- issues.findById
select *
from issues
where id = ?;

-- issues.findByIds
select *
from issues
where id in ?;

-- issues.findNewest
select *
from issues
where repository_id = ?
  and is_closed = ?
order by number desc
limit ? offset ?;

-- issues.findPinned
select *
from issues
where repository_id = ?
  and is_pull = ?
  and pin_order > ?
order by pin_order, id;

-- issues.findTeamNamed
select *
from teams
where organization_id = ?
  and lower_name = ?;

-- issues.findUsersNamed
select *
from users
where lower_name in ?;

-- issues.insert
insert into issues(repository_id, number, is_pull, author_id, title, content, ref, due_at, created_at, updated_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
returning *;

-- issues.insertTimelineEntry
insert into comments(issue_id, kind, author_id, content, content_version, label_id, milestone_id, old_milestone_id, project_id, old_project_id, assignee_id, assignee_team_id, removed_assignee, old_title, new_title, old_ref, new_ref, ref_repository_id, ref_issue_id, ref_comment_id, ref_action, commit_id, dependent_issue_id, tracked_time_id, review_id, resolver_id, created_at, updated_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
returning *;

-- issues.takeNumber
insert into issue_counters(repository_id, last_number)
values (?, ?) on conflict (repository_id) do update
set last_number = issue_counters.last_number + 1
returning last_number;

-- issues.touch
update issues
set updated_at = ?
where id = ?;
