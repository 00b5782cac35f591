-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- references.findNumbered
select *
from issues
where repository_id = ?
  and number in ?;

-- references.findPeopleNamed
select *
from users
where lower_name in ?
  and kind = ?
  and is_active = ?
  and prohibit_login = ?
order by id;

-- references.findTeamPeople
select users.*
from teams
inner join team_members on team_members.team_id = teams.id
inner join users on users.id = team_members.user_id
where teams.organization_id = ?
  and teams.lower_name in ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and exists (
    select team_repositories.team_id
    from team_repositories
    where team_repositories.team_id = teams.id
      and team_repositories.repository_id = ?)
  and (teams.mode >= ? or exists (
    select team_units.team_id
    from team_units
    where team_units.team_id = teams.id
      and team_units.unit = ?
      and team_units.mode >= ?))
order by users.id;

-- references.findToldCommits
select issue_id, commit_id
from comments
where issue_id in ?
  and kind = ?
  and commit_id in ?;

-- references.findWritten
select id, issue_id, ref_action
from comments
where ref_issue_id = ?
  and coalesce(ref_comment_id, 0) = ?
  and ref_action != ?;
