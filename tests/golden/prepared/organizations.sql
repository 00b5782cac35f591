-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- organizations.findMember
select is_public
from organization_members
where organization_id = ?
  and user_id = ?;

-- organizations.findMemberships
select member.user_id, member.is_public, case when exists (
    select 1
    from team_members join teams on teams.id = team_members.team_id
    where team_members.organization_id = member.organization_id
      and team_members.user_id = member.user_id
      and teams.mode >= 4) then 1 else 0 end as is_owner, (
    select users.has_second_factor
    from users
    where users.id = member.user_id) as has_second_factor
from organization_members as member
where member.organization_id = ?
  and member.user_id in ?;

-- organizations.findOwned
select id
from repositories
where owner_id = ?
order by id;

-- organizations.findToCreateIn
select *
from users
where kind = ?
  and exists (
    select teams.id
    from team_members
    inner join teams on teams.id = team_members.team_id
    where team_members.organization_id = users.id
      and team_members.user_id = ?
      and (teams.mode >= 4 or teams.can_create_repositories = 1))
order by lower_name
limit ?;
