-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- protections.findBranchTips
select name, commit_id
from branches
where repository_id = ?
order by committed_at desc, name;

-- protections.findListed
select listed.*
from branch_protection_lists as listed
inner join branch_protections as rule on rule.id = listed.protection_id
where rule.repository_id = ?
order by listed.user_id, listed.team_id;

-- protections.findMembersOfTeams
select distinct user_id
from team_members
where team_id in ?
  and user_id in ?;

-- protections.findNames
select id, name
from users
where id in ?
order by lower_name;

-- protections.findPeople
select *
from users
where lower_name in ?
  and kind = ?;

-- protections.findReaching
select distinct teams.id
from team_repositories
inner join teams on teams.id = team_repositories.team_id
left join team_units on team_units.team_id = teams.id
  and team_units.unit in (?, ?)
where team_repositories.repository_id = ?
  and teams.id in ?
  and (teams.mode >= ? or team_units.mode >= ?);

-- protections.findRules
select *
from branch_protections
where repository_id = ?
order by priority, id;

-- protections.findTagListed
select listed.*
from tag_protection_lists as listed
inner join tag_protections as rule on rule.id = listed.protection_id
where rule.repository_id = ?
order by listed.user_id, listed.team_id;

-- protections.findTagRules
select *
from tag_protections
where repository_id = ?
order by id;

-- protections.findTeamNames
select id, name
from teams
where id in ?
order by lower_name;

-- protections.findTeams
select id, lower_name, mode
from teams
where organization_id = ?
  and lower_name in ?;

-- protections.findTeamsInRules
select distinct member.team_id
from team_members as member
inner join branch_protection_lists as listed on listed.team_id = member.team_id
inner join branch_protections as rule on rule.id = listed.protection_id
where member.user_id = ?
  and rule.repository_id = ?;

-- protections.findTeamsInTagRules
select distinct member.team_id
from team_members as member
inner join tag_protection_lists as listed on listed.team_id = member.team_id
inner join tag_protections as rule on rule.id = listed.protection_id
where member.user_id = ?
  and rule.repository_id = ?;

-- protections.rename
update branch_protections
set rule_name = ?, updated_at = ?
where repository_id = ?
  and rule_name = ?;
