-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /users/{username}/tokens ===

-- without filters
-- prepared: authentication.countTokensOf

-- === GET /users/search ===

-- without filters
select count(*) as total
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and true;
select users.*
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and true
order by users.lower_name, users.id
limit ? offset ?;

-- q=a
select count(*) as total
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and (instr(users.lower_name, ?) > 0 or instr(fold(users.full_name), fold(?)) > 0 or ((users.hide_email = ? or users.id = ?) and instr(fold(users.email), fold(?)) > 0))
-- on PostgreSQL:
select count(*) as total
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and (strpos(users.lower_name, ?) > 0 or strpos(lower(users.full_name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or ((users.hide_email = ? or users.id = ?) and strpos(lower(users.email collate "und-x-icu"), lower(? collate "und-x-icu")) > 0));
select users.*
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and (instr(users.lower_name, ?) > 0 or instr(fold(users.full_name), fold(?)) > 0 or ((users.hide_email = ? or users.id = ?) and instr(fold(users.email), fold(?)) > 0))
order by users.lower_name, users.id
limit ? offset ?
-- on PostgreSQL:
select users.*
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and (strpos(users.lower_name, ?) > 0 or strpos(lower(users.full_name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or ((users.hide_email = ? or users.id = ?) and strpos(lower(users.email collate "und-x-icu"), lower(? collate "und-x-icu")) > 0))
order by users.lower_name, users.id
limit ? offset ?;

-- uid=1
select count(*) as total
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and true
  and users.id = ?;
select users.*
from users
where users.kind = ?
  and (users.visibility in (?, ?) or users.id = ?)
  and true
  and users.id = ?
order by users.lower_name, users.id
limit ? offset ?;

-- === GET /user/followers ===

-- without filters
select count(*) as total
from follows
inner join users on users.id = follows.follower_id
where follows.followed_id = ?
  and listed_users
  and users.kind = ?;
select users.*
from follows
inner join users on users.id = follows.follower_id
where follows.followed_id = ?
  and listed_users
  and users.kind = ?
order by follows.created_at, users.id
limit ? offset ?;

-- === GET /user/following ===

-- without filters
select count(*) as total
from follows
inner join users on users.id = follows.followed_id
where follows.follower_id = ?
  and listed_users;
select users.*
from follows
inner join users on users.id = follows.followed_id
where follows.follower_id = ?
  and listed_users
order by follows.created_at, users.id
limit ? offset ?;

-- === GET /users/{username}/followers ===

-- without filters
select count(*) as total
from follows
inner join users on users.id = follows.follower_id
where follows.followed_id = ?
  and listed_users
  and users.kind = ?;
select users.*
from follows
inner join users on users.id = follows.follower_id
where follows.followed_id = ?
  and listed_users
  and users.kind = ?
order by follows.created_at, users.id
limit ? offset ?;

-- === GET /users/{username}/following ===

-- without filters
select count(*) as total
from follows
inner join users on users.id = follows.followed_id
where follows.follower_id = ?
  and listed_users;
select users.*
from follows
inner join users on users.id = follows.followed_id
where follows.follower_id = ?
  and listed_users
order by follows.created_at, users.id
limit ? offset ?;

-- === GET /user/blocks ===

-- without filters
-- prepared: blocks.countBlocked
-- prepared: blocks.findBlocked

-- === GET /user/teams ===

-- without filters
-- prepared: teams.countTeamsOfUser
-- prepared: teams.findTeamsOfUser
-- prepared: teams.findOrganizationsById

-- === GET /user/repos ===

-- without filters
select count(*) as total
from repositories
where visible_repositories
  and (repositories.owner_id = ? or repositories.id in (
    select repository_id
    from collaborations
    where user_id = ?
    union select team_repositories.repository_id
    from team_members join teams on teams.id = team_members.team_id join team_repositories on team_repositories.team_id = teams.id
    where team_members.user_id = ?
      and (teams.mode >= ? or exists (
        select 1
        from team_units
        where team_units.team_id = teams.id
          and team_units.mode > ?))
    union select open.id
    from organization_members join repositories as open on open.owner_id = organization_members.organization_id
    where organization_members.user_id = ?
      and open.is_private = 0));
select repositories.id
from repositories
where visible_repositories
  and (repositories.owner_id = ? or repositories.id in (
    select repository_id
    from collaborations
    where user_id = ?
    union select team_repositories.repository_id
    from team_members join teams on teams.id = team_members.team_id join team_repositories on team_repositories.team_id = teams.id
    where team_members.user_id = ?
      and (teams.mode >= ? or exists (
        select 1
        from team_units
        where team_units.team_id = teams.id
          and team_units.mode > ?))
    union select open.id
    from organization_members join repositories as open on open.owner_id = organization_members.organization_id
    where organization_members.user_id = ?
      and open.is_private = 0))
order by repositories.lower_name, repositories.id
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/repos ===

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

-- === GET /user/starred ===

-- without filters
select count(*) as total
from repositories
where visible_repositories
  and repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?);
select repositories.id
from repositories
where visible_repositories
  and repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/starred ===

-- without filters
select count(*) as total
from repositories
where visible_repositories
  and repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and (repositories.is_private = ? and exists (
    select users.id
    from users
    where users.id = repositories.owner_id
      and users.visibility = ?));
select repositories.id
from repositories
where visible_repositories
  and repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and (repositories.is_private = ? and exists (
    select users.id
    from users
    where users.id = repositories.owner_id
      and users.visibility = ?))
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /user/subscriptions ===

-- without filters
select count(*) as total
from repositories
where visible_repositories
  and repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?);
select repositories.id
from repositories
where visible_repositories
  and repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?)
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/subscriptions ===

-- without filters
select count(*) as total
from repositories
where visible_repositories
  and repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?)
  and (repositories.is_private = ? and exists (
    select users.id
    from users
    where users.id = repositories.owner_id
      and users.visibility = ?));
select repositories.id
from repositories
where visible_repositories
  and repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?)
  and (repositories.is_private = ? and exists (
    select users.id
    from users
    where users.id = repositories.owner_id
      and users.visibility = ?))
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers
