-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- issues.changeState
update issues
set is_closed = ?, closed_at = ?, close_reason = ?, duplicate_of_id = ?, updated_at = ?
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

-- issues.countMerged
select count(*) as total
from pulls
where repository_id = ?
  and is_merged = 1;

-- issues.countOpen
update repositories
set open_issues_count = (
    select coalesce(max(total), 0) as total
    from issue_totals
    where issue_totals.repository_id = repositories.id
      and issue_totals.is_closed = ?
      and issue_totals.is_pull = ?), open_pulls_count = (
    select coalesce(max(total), 0) as total
    from issue_totals
    where issue_totals.repository_id = repositories.id
      and issue_totals.is_closed = ?
      and issue_totals.is_pull = ?)
where id = ?;

-- issues.findAssignable
select *
from users
where kind = ?
  and is_active = ?
  and id != ?
  and id in (
    select user_id
    from collaborations
    where repository_id = ?
    union select team_members.user_id
    from team_repositories
    inner join team_members on team_members.team_id = team_repositories.team_id
    where team_repositories.repository_id = ?)
  and (exists (
    select 1
    from collaborations
    where collaborations.repository_id = ?
      and collaborations.user_id = users.id
      and collaborations.mode >= 2) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = ?
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.issues'))) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = ?
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.pulls'))))
order by lower_name;

-- issues.findAssigneeIds
select issue_id, user_id
from issue_assignees
where issue_id in ?
order by id;

-- issues.findAssignees
select users.*, issue_assignees.issue_id
from issue_assignees
inner join users on users.id = issue_assignees.user_id
where issue_assignees.issue_id in ?
order by issue_assignees.issue_id, issue_assignees.id;

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

-- issues.findColumns
select project_cards.project_id, project_columns.title
from project_cards
inner join project_columns on project_columns.id = project_cards.column_id
where project_cards.issue_id = ?;

-- issues.findNewest
select *
from issues
where repository_id = ?
  and is_closed = ?
order by number desc
limit ? offset ?;

-- issues.findParticipants
select users.*
from users
where users.id in (
    select issues.author_id as id
    from issues
    where issues.id = ?
    union select comments.author_id as id
    from comments
    where comments.issue_id = ?
      and comments.kind in (?, ?, ?))
order by case when users.id = (
    select issues.author_id
    from issues
    where issues.id = ?) then 0 else 1 end, users.id
limit ?;

-- issues.findPinned
select *
from issues
where repository_id = ?
  and is_pull = ?
  and pin_order > 0
order by pin_order, id;

-- issues.findRoles
select users.id, case when users.id = ? or (exists (
    select 1
    from organization_members as member
    where member.organization_id = ?
      and member.user_id = users.id
      and (member.is_public = 1 or ? = 1 or exists (
        select 1
        from organization_members as own
        where own.organization_id = ?
          and own.user_id = ?))) and exists (
    select 1
    from team_members join teams on teams.id = team_members.team_id
    where team_members.organization_id = ?
      and team_members.user_id = users.id
      and teams.mode >= 4)) then 'owner' when exists (
    select 1
    from organization_members as member
    where member.organization_id = ?
      and member.user_id = users.id
      and (member.is_public = 1 or ? = 1 or exists (
        select 1
        from organization_members as own
        where own.organization_id = ?
          and own.user_id = ?))) then 'member' when ? <> 0
  and exists (
    select 1
    from collaborations
    where collaborations.repository_id = ?
      and collaborations.user_id = users.id) then 'collaborator' when exists (
    select 1
    from issues join pulls on pulls.issue_id = issues.id
    where issues.repository_id = ?
      and issues.author_id = users.id
      and pulls.is_merged = 1) then 'contributor' when exists (
    select 1
    from issues
    where issues.id = ?
      and issues.author_id = users.id) then 'newcomer' else '' end as role
from users
where users.id in ?;

-- issues.findTeamNamed
select *
from teams
where organization_id = ?
  and lower_name = ?;

-- issues.findTimeSpent
select users.name, sum(tracked_times.seconds) as seconds
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.issue_id = ?
  and tracked_times.is_deleted = ?
group by users.name
order by seconds desc;

-- issues.findUsersNamed
select *
from users
where lower_name in ?;

-- issues.insert
insert into issues(repository_id, number, is_pull, author_id, title, content, ref, due_at, made_with, created_at, updated_at)
values (?, (
    select last_number
    from issue_counters
    where repository_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)
returning *;

-- issues.insertTimelineEntry
insert into comments(issue_id, kind, author_id, content, content_version, label_id, milestone_id, old_milestone_id, project_id, old_project_id, assignee_id, assignee_team_id, removed_assignee, old_title, new_title, old_ref, new_ref, ref_repository_id, ref_issue_id, ref_comment_id, ref_action, commit_id, dependent_issue_id, tracked_time_id, review_id, resolver_id, close_reason, duplicate_of_id, made_with, created_at, updated_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
returning *;

-- issues.takeNumber
insert into issue_counters(repository_id, last_number)
values (?, ?) on conflict (repository_id) do update
set last_number = issue_counters.last_number + 1
returning last_number;

-- issues.touch
update issues
set updated_at = ?
where id = ?
  and repository_id = ?;
