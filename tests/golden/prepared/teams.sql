-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- teams.countTeamMembers
select count(*) as total
from team_members
where team_id = ?;

-- teams.countTeamsOfUser
select count(*) as total
from team_members
where user_id = ?;

-- teams.deleteInvitation
delete from team_invitations
where id = ?
  and sent_at = ?;

-- teams.deleteOldInvitations
delete from team_invitations
where expires_at <= ?;

-- teams.findInvitation
select *
from team_invitations
where id = ?;

-- teams.findInvitations
select team_invitations.*, users.name as inviter
from team_invitations
inner join users on users.id = team_invitations.invited_by
where team_id = ?
  and expires_at > ?
order by team_invitations.id desc;

-- teams.findMemberIds
select user_id
from team_members
where team_id = ?;

-- teams.findOrganizationsById
select *
from users
where id in ?;

-- teams.findOwnTeamIds
select team_id
from team_members
where organization_id = ?
  and user_id = ?;

-- teams.findOwnersTeam
select *
from teams
where organization_id = ?
  and mode = ?;

-- teams.findRepositoryIds
select repository_id
from team_repositories
where team_id = ?;

-- teams.findTeamByName
select *
from teams
where organization_id = ?
  and lower_name = ?;

-- teams.findTeamMembers
select users.*
from users
inner join team_members on team_members.user_id = users.id
where team_members.team_id = ?
order by users.full_name, users.lower_name
limit ? offset ?;

-- teams.findTeamRepository
select team_id
from team_repositories
where team_id = ?
  and repository_id = ?;

-- teams.findTeamsOfRepository
select teams.*
from teams
inner join team_repositories on team_repositories.team_id = teams.id
where team_repositories.repository_id = ?
order by case when teams.mode = 4 then 0 else 1 end, teams.lower_name;

-- teams.findTeamsOfUser
select teams.*
from teams
inner join team_members on team_members.team_id = teams.id
where team_members.user_id = ?
order by case when teams.mode = 4 then 0 else 1 end, teams.lower_name, teams.id
limit ? offset ?;

-- teams.findUnits
select *
from team_units
where team_id in ?;
