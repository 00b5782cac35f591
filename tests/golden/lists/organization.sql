-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /orgs ===

-- without filters
select count(*) as total
from users
where kind = ?
  and visible_organizations;
select *
from users
where kind = ?
  and visible_organizations
order by lower_name
limit ? offset ?;

-- === GET /user/orgs ===

-- without filters
select count(*) as total
from users
where kind = ?
  and (exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?
      and organization_members.is_public >= ?) and visible_organizations);
select *
from users
where kind = ?
  and (exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?
      and organization_members.is_public >= ?) and visible_organizations)
order by lower_name
limit ? offset ?;

-- === GET /users/{username}/orgs ===

-- without filters
select count(*) as total
from users
where kind = ?
  and (exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?
      and organization_members.is_public >= ?) and visible_organizations);
select *
from users
where kind = ?
  and (exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?
      and organization_members.is_public >= ?) and visible_organizations)
order by lower_name
limit ? offset ?;

-- === GET /orgs/{org}/members ===

-- without filters
select count(*) as total
from organization_members as member
inner join users on users.id = member.user_id
where member.organization_id = ?
  and 1 = 1;
select users.*
from organization_members as member
inner join users on users.id = member.user_id
where member.organization_id = ?
  and 1 = 1
order by users.id
limit ? offset ?;

-- === GET /orgs/{org}/public_members ===

-- without filters
select count(*) as total
from organization_members as member
inner join users on users.id = member.user_id
where member.organization_id = ?
  and (member.is_public = 1 and listed_users);
select users.*
from organization_members as member
inner join users on users.id = member.user_id
where member.organization_id = ?
  and (member.is_public = 1 and listed_users)
order by users.id
limit ? offset ?;

-- === GET /orgs/{org}/blocks ===

-- without filters
-- prepared: blocks.countBlocked
-- prepared: blocks.findBlocked

-- === GET /orgs/{org}/teams ===

-- without filters
select count(*) as total
from teams
where organization_id = ?
  and 1 = 1;
select *
from teams
where organization_id = ?
  and 1 = 1
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?;
-- prepared: teams.findUnits

-- === GET /orgs/{org}/teams/search ===

-- without filters
select count(*) as total
from teams
where organization_id = ?
  and 1 = 1;
select *
from teams
where organization_id = ?
  and 1 = 1
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?;
-- prepared: teams.findUnits

-- q=a
select count(*) as total
from teams
where organization_id = ?
  and 1 = 1
  and (instr(teams.lower_name, ?) > 0 or instr(fold(teams.description), fold(?)) > 0)
-- on PostgreSQL:
select count(*) as total
from teams
where organization_id = ?
  and 1 = 1
  and (strpos(teams.lower_name, ?) > 0 or strpos(lower(teams.description collate "und-x-icu"), lower(? collate "und-x-icu")) > 0);
select *
from teams
where organization_id = ?
  and 1 = 1
  and (instr(teams.lower_name, ?) > 0 or instr(fold(teams.description), fold(?)) > 0)
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?
-- on PostgreSQL:
select *
from teams
where organization_id = ?
  and 1 = 1
  and (strpos(teams.lower_name, ?) > 0 or strpos(lower(teams.description collate "und-x-icu"), lower(? collate "und-x-icu")) > 0)
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?;

-- q=a&include_desc=false
select count(*) as total
from teams
where organization_id = ?
  and 1 = 1
  and instr(teams.lower_name, ?) > 0
-- on PostgreSQL:
select count(*) as total
from teams
where organization_id = ?
  and 1 = 1
  and strpos(teams.lower_name, ?) > 0;
select *
from teams
where organization_id = ?
  and 1 = 1
  and instr(teams.lower_name, ?) > 0
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?
-- on PostgreSQL:
select *
from teams
where organization_id = ?
  and 1 = 1
  and strpos(teams.lower_name, ?) > 0
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?;

-- === GET /teams/{id}/members ===

-- without filters
-- prepared: teams.countTeamMembers
-- prepared: teams.findTeamMembers

-- === GET /teams/{id}/repos ===

-- without filters
select count(*) as total
from repositories
inner join team_repositories on team_repositories.repository_id = repositories.id
where team_repositories.team_id = ?
  and visible_repositories;
select repositories.*
from repositories
inner join team_repositories on team_repositories.repository_id = repositories.id
where team_repositories.team_id = ?
  and visible_repositories
order by repositories.lower_name
limit ? offset ?;
-- prepared: repositories.findTransfers

-- === GET /orgs/{org}/repos ===

-- without filters
select count(*) as total
from repositories
where visible_repositories
  and repositories.owner_id = ?;
select repositories.id
from repositories
where visible_repositories
  and repositories.owner_id = ?
order by repositories.updated_at desc, repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers

-- === GET /orgs/{org}/labels ===

-- without filters
select count(*) as total
from labels
where organization_id = ?;
select *
from labels
where organization_id = ?
order by name asc, id asc
limit ? offset ?;

-- sort=reversealphabetically
select *
from labels
where organization_id = ?
order by name desc, id desc
limit ? offset ?;

-- sort=mostissues
select *
from labels
where organization_id = ?
order by (
    select count(*) as issues
    from issue_labels
    where issue_labels.label_id = labels.id) desc, name asc, id asc
limit ? offset ?;

-- sort=leastissues
select *
from labels
where organization_id = ?
order by (
    select count(*) as issues
    from issue_labels
    where issue_labels.label_id = labels.id) asc, name asc, id asc
limit ? offset ?;
