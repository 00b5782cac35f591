-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /users/{username}/tokens ===

-- without filters
-- prepared: authentication.countTokensOf
select chosen.token_id, owner.name as owner, repositories.name
from access_token_repositories as chosen
inner join repositories on repositories.id = chosen.repository_id
inner join users as owner on owner.id = repositories.owner_id
where chosen.token_id in ?
  and visible_repositories
order by owner.lower_name, repositories.lower_name;

-- === GET /users/{username}/tokens/{token}/deeds ===

-- without filters
select count(*) as total
from token_deeds
where token_deeds.token_id = ?;
select token_deeds.*, users.name as user_name
from token_deeds
inner join users on users.id = token_deeds.user_id
where token_deeds.token_id = ?
order by token_deeds.id desc
limit ? offset ?;

-- === GET /user/applications/oauth2 ===

-- without filters
-- prepared: oauth2.countApplicationsOf
-- prepared: oauth2.findApplicationsOf

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
select person.followers_count - (
    select count(*)
    from users
    where users.visibility in ('limited', 'private')
      and exists (
        select 1
        from follows
        where follows.followed_id = ?
          and follows.follower_id = users.id)
      and not listed_users) as total
from users as person
where person.id = ?;
select users.*
from follows
inner join users on users.id = follows.follower_id
where follows.followed_id = ?
  and listed_users
order by follows.created_at, follows.follower_id
limit ? offset ?;

-- === GET /user/following ===

-- without filters
select person.following_count - (
    select count(*)
    from users
    where users.visibility in ('limited', 'private')
      and exists (
        select 1
        from follows
        where follows.follower_id = ?
          and follows.followed_id = users.id)
      and not listed_users) as total
from users as person
where person.id = ?;
select users.*
from follows
inner join users on users.id = follows.followed_id
where follows.follower_id = ?
  and listed_users
order by follows.created_at, follows.followed_id
limit ? offset ?;

-- === GET /users/{username}/followers ===

-- without filters
select person.followers_count - (
    select count(*)
    from users
    where users.visibility in ('limited', 'private')
      and exists (
        select 1
        from follows
        where follows.followed_id = ?
          and follows.follower_id = users.id)
      and not listed_users) as total
from users as person
where person.id = ?;
select users.*
from follows
inner join users on users.id = follows.follower_id
where follows.followed_id = ?
  and listed_users
order by follows.created_at, follows.follower_id
limit ? offset ?;

-- === GET /users/{username}/following ===

-- without filters
select person.following_count - (
    select count(*)
    from users
    where users.visibility in ('limited', 'private')
      and exists (
        select 1
        from follows
        where follows.follower_id = ?
          and follows.followed_id = users.id)
      and not listed_users) as total
from users as person
where person.id = ?;
select users.*
from follows
inner join users on users.id = follows.followed_id
where follows.follower_id = ?
  and listed_users
order by follows.created_at, follows.followed_id
limit ? offset ?;

-- === GET /user/keys ===

-- without filters
select count(*) as total
from public_keys
where owner_id = ?;
select *
from public_keys
where owner_id = ?
order by id
limit ? offset ?;

-- fingerprint=a
select count(*) as total
from public_keys
where owner_id = ?
  and fingerprint = ?;
select *
from public_keys
where owner_id = ?
  and fingerprint = ?
order by id
limit ? offset ?;

-- === GET /users/{username}/keys ===

-- without filters
select count(*) as total
from public_keys
where owner_id = ?;
select *
from public_keys
where owner_id = ?
order by id
limit ? offset ?;

-- fingerprint=a
select count(*) as total
from public_keys
where owner_id = ?
  and fingerprint = ?;
select *
from public_keys
where owner_id = ?
  and fingerprint = ?
order by id
limit ? offset ?;

-- === GET /user/gpg_keys ===

-- without filters
select count(*) as total
from gpg_keys
where owner_id = ?
  and primary_id is null;
select *
from gpg_keys
where owner_id = ?
  and primary_id is null
order by id
limit ? offset ?;
-- prepared: keys.findSubkeys
-- prepared: keys.findGpgKeyEmails

-- === GET /users/{username}/gpg_keys ===

-- without filters
select count(*) as total
from gpg_keys
where owner_id = ?
  and primary_id is null;
select *
from gpg_keys
where owner_id = ?
  and primary_id is null
order by id
limit ? offset ?;
-- prepared: keys.findSubkeys
-- prepared: keys.findGpgKeyEmails

-- === GET /user/blocks ===

-- without filters
-- prepared: blocks.countBlocked
-- prepared: blocks.findBlocked

-- === GET /user/teams ===

-- without filters
-- prepared: teams.countTeamsOfUser
-- prepared: teams.findTeamsOfUser
-- prepared: teams.findOrganizationsById

-- === GET /user/imports ===

-- without filters
select imports.*, users.name as owner_name, repositories.name as repository_name
from imports
left join repositories on repositories.id = imports.repository_id
  and visible_repositories
left join users on users.id = repositories.owner_id
where doer_id = ?
order by imports.id desc
limit ? offset ?;
select count(*) as total
from imports
where doer_id = ?;

-- === GET /user/repos ===

-- without filters
select count(*) as total
from repositories
where (repositories.owner_id = ? or repositories.id in (
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
    from organization_members cross join users as organization cross join repositories as open
    where organization_members.user_id = ?
      and organization.id = organization_members.organization_id
      and organization.visibility = 'private'
      and open.owner_id = organization.id
      and open.is_private = 0))
  and visible_repositories;
select repositories.id
from repositories
where (repositories.owner_id = ? or repositories.id in (
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
    from organization_members cross join users as organization cross join repositories as open
    where organization_members.user_id = ?
      and organization.id = organization_members.organization_id
      and organization.visibility = 'private'
      and open.owner_id = organization.id
      and open.is_private = 0))
  and visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/repos ===

-- without filters
select count(*) as total
from repositories
where repositories.owner_id = ?
  and visible_repositories;
select repositories.id
from repositories
where repositories.owner_id = ?
  and visible_repositories
order by repositories.updated_at desc, repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/signing_keys ===

-- without filters
-- prepared: signing.findKeptOf

-- === GET /user/starred ===

-- without filters
select count(*) as total
from repositories
where repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and visible_repositories;
select repositories.id
from repositories
where repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and visible_repositories
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/starred ===

-- without filters
select count(*) as total
from repositories
where repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and owner.visibility = 'public'))
  and visible_repositories;
select repositories.id
from repositories
where repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and owner.visibility = 'public'))
  and visible_repositories
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /user/subscriptions ===

-- without filters
select count(*) as total
from repositories
where repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?)
  and visible_repositories;
select repositories.id
from repositories
where repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?)
  and visible_repositories
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/subscriptions ===

-- without filters
select count(*) as total
from repositories
where repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?)
  and (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and owner.visibility = 'public'))
  and visible_repositories;
select repositories.id
from repositories
where repositories.id in (
    select watches.repository_id
    from watches
    where watches.user_id = ?
      and watches.mode != ?)
  and (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and owner.visibility = 'public'))
  and visible_repositories
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /users/{username}/activities/feeds ===

-- without filters
select cast(coalesce(sum(groups.total), 0) as bigint) as total
from (
    select activity_totals.repository_id, activity_totals.unit, sum(activity_totals.total) as total
    from activity_totals
    where (activity_totals.is_hidden = 0 and activity_totals.receiver_id = ?)
    group by activity_totals.repository_id, activity_totals.unit) as groups
where exists (
    select 1
    from repositories
    where repositories.id = groups.repository_id
      and (case groups.unit when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (groups.unit = '' or team_units.unit = groups.unit)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (groups.unit = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))));
select activities.*
from activities
where (activities.is_hidden = 0 and activities.receiver_id = ?)
  and exists (
    select 1
    from repositories
    where repositories.id = activities.repository_id
      and (case activities.unit when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (activities.unit = '' or team_units.unit = activities.unit)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (activities.unit = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
order by activities.created_at desc, activities.id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: activity.findComments
-- prepared: repositories.findTransfers
-- prepared: attachments.findOfComments

-- only-performed-by=true
select cast(coalesce(sum(groups.total), 0) as bigint) as total
from (
    select activity_totals.repository_id, activity_totals.unit, sum(activity_totals.total) as total
    from activity_totals
    where (activity_totals.is_hidden = 0 and activity_totals.receiver_id = ? and activity_totals.receiver_id = activity_totals.actor_id)
    group by activity_totals.repository_id, activity_totals.unit) as groups
where exists (
    select 1
    from repositories
    where repositories.id = groups.repository_id
      and (case groups.unit when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (groups.unit = '' or team_units.unit = groups.unit)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (groups.unit = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))));
select activities.*
from activities
where (activities.is_hidden = 0 and activities.receiver_id = ? and activities.receiver_id = activities.actor_id)
  and exists (
    select 1
    from repositories
    where repositories.id = activities.repository_id
      and (case activities.unit when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (activities.unit = '' or team_units.unit = activities.unit)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (activities.unit = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
order by activities.created_at desc, activities.id desc
limit ? offset ?;

-- === GET /user/times ===

-- without filters
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and exists (
    select 1
    from issues join repositories on repositories.id = issues.repository_id
    where issues.id = tracked_times.issue_id
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
  and tracked_times.user_id = ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and exists (
    select 1
    from issues join repositories on repositories.id = issues.repository_id
    where issues.id = tracked_times.issue_id
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
  and tracked_times.user_id = ?
order by tracked_times.id
limit ? offset ?;
-- prepared: issues.findByIds
-- prepared: repositories.findByIds
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues

-- since=2020-02-20T20:20:20Z
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and exists (
    select 1
    from issues join repositories on repositories.id = issues.repository_id
    where issues.id = tracked_times.issue_id
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
  and tracked_times.user_id = ?
  and tracked_times.updated_at > ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and exists (
    select 1
    from issues join repositories on repositories.id = issues.repository_id
    where issues.id = tracked_times.issue_id
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
  and tracked_times.user_id = ?
  and tracked_times.updated_at > ?
order by tracked_times.id
limit ? offset ?;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and exists (
    select 1
    from issues join repositories on repositories.id = issues.repository_id
    where issues.id = tracked_times.issue_id
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
  and tracked_times.user_id = ?
  and tracked_times.updated_at < ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and exists (
    select 1
    from issues join repositories on repositories.id = issues.repository_id
    where issues.id = tracked_times.issue_id
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))))
  and tracked_times.user_id = ?
  and tracked_times.updated_at < ?
order by tracked_times.id
limit ? offset ?;

-- === GET /user/stopwatches ===

-- without filters
select count(*) as total
from stopwatches
inner join issues on issues.id = stopwatches.issue_id
inner join repositories on repositories.id = issues.repository_id
inner join users on users.id = repositories.owner_id
where stopwatches.user_id = ?
  and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0))))));
select stopwatches.created_at, issues.number, issues.title, users.name as owner, repositories.name as repository
from stopwatches
inner join issues on issues.id = stopwatches.issue_id
inner join repositories on repositories.id = issues.repository_id
inner join users on users.id = repositories.owner_id
where stopwatches.user_id = ?
  and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0))))))
order by stopwatches.created_at desc, issues.id desc
limit ? offset ?;

-- === GET /user/projects ===

-- without filters
select count(*) as total
from projects
where owner_id = ?
  and is_closed = ?;
select *
from projects
where owner_id = ?
  and is_closed = ?
order by id desc
limit ? offset ?;
select cards.project_id, cards.is_closed, cast(sum(cards.total) as bigint) as total
from project_card_totals as cards
inner join repositories on repositories.id = cards.repository_id
where (case case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0))))))
  and cards.project_id in ?
group by cards.project_id, cards.is_closed;

-- state=all
select count(*) as total
from projects
where owner_id = ?;
select *
from projects
where owner_id = ?
order by id desc
limit ? offset ?;

-- === GET /users/{username}/projects ===

-- without filters
select count(*) as total
from projects
where owner_id = ?
  and is_closed = ?;
select *
from projects
where owner_id = ?
  and is_closed = ?
order by id desc
limit ? offset ?;
select cards.project_id, cards.is_closed, cast(sum(cards.total) as bigint) as total
from project_card_totals as cards
inner join repositories on repositories.id = cards.repository_id
where (case case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0))))))
  and cards.project_id in ?
group by cards.project_id, cards.is_closed;

-- state=all
select count(*) as total
from projects
where owner_id = ?;
select *
from projects
where owner_id = ?
order by id desc
limit ? offset ?;

-- === GET /user/projects/{id}/columns ===

-- without filters
-- prepared: projects.find
-- prepared: projects.findColumns

-- === GET /user/projects/{id}/columns/{column_id}/issues ===

-- without filters
-- prepared: projects.findColumnInPlace
select cards.repository_id, cards.is_pull, cast(sum(cards.total) as bigint) as total
from project_card_totals as cards
inner join repositories on repositories.id = cards.repository_id
where (case case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0))))))
  and cards.project_id = ?
  and cards.column_id = ?
group by cards.repository_id, cards.is_pull;
-- prepared: projects.findIssuesOfColumn
-- prepared: repositories.findByIds
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues
select id
from projects
where projects.id in ?
  and ((projects.repository_id is null and exists (
    select 1
    from users as owner
    where owner.id = projects.owner_id
      and (owner.id = ? or owner.visibility = 'public' or (owner.visibility = 'limited' and owner.kind = 'person') or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        left join team_units on team_units.team_id = teams.id
        where team_members.organization_id = owner.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.projects')))))) or exists (
    select 1
    from repositories
    where repositories.id = projects.repository_id
      and (repositories.projects_mode <> 'owner' and repositories.has_projects = 1 and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.projects'))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))));
select cards.project_id, cards.is_closed, cast(sum(cards.total) as bigint) as total
from project_card_totals as cards
inner join repositories on repositories.id = cards.repository_id
where (case case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and (owner.visibility = 'public' or owner.visibility = 'limited' or exists (
        select 1
        from organization_members
        where organization_members.organization_id = owner.id
          and organization_members.user_id = ?)))) or exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = ?) or exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or (team_units.mode > 0 and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
    select 1
    from repository_transfers
    where repository_transfers.repository_id = repositories.id
      and (repository_transfers.recipient_id = ? or exists (
        select 1
        from team_members join teams on teams.id = team_members.team_id
        where team_members.organization_id = repository_transfers.recipient_id
          and team_members.user_id = ?
          and teams.can_create_repositories = 1))) and (case cards.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = ?
      and (teams.mode >= 3 or team_units.mode > 0))))))
  and cards.project_id in ?
group by cards.project_id, cards.is_closed;

-- === GET /user/hooks ===

-- without filters
select count(*) as total
from webhooks
where owner_id = ?;
select *
from webhooks
where owner_id = ?
order by id
limit ? offset ?;

-- === GET /user/hooks/{id}/deliveries ===

-- without filters
select *
from webhooks
where owner_id = ?
  and id = ?;
select count(*) as total
from webhook_deliveries
where webhook_id = ?;
select id, uuid, event, state, attempts, created_at, attempted_at, next_attempt_at, error
from webhook_deliveries
where webhook_id = ?
order by id desc
limit ? offset ?;

-- === GET /user/actions/runs ===

-- without filters
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?);
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
order by action_runs.id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers
-- prepared: actions.findLastAttempts
-- prepared: actions.findPullsOfBranches

-- event=a
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.event = ?;
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.event = ?
order by action_runs.id desc
limit ? offset ?;

-- branch=a
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.ref = ?;
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.ref = ?
order by action_runs.id desc
limit ? offset ?;

-- actor=a
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?);
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?)
order by action_runs.id desc
limit ? offset ?;

-- head_sha=a
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.commit_id = ?;
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
  and action_runs.commit_id = ?
order by action_runs.id desc
limit ? offset ?;

-- === GET /user/actions/jobs ===

-- without filters
select count(*) as total
from action_jobs
where repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?);
select *
from action_jobs
where repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?)
order by id asc
limit ? offset ?;
-- prepared: actions.findRunsByIds
-- prepared: repositories.findByIds

-- === GET /user/actions/variables ===

-- without filters
select count(*) as total
from action_variables
where action_variables.owner_id = ?;
select *
from action_variables
where action_variables.owner_id = ?
order by name
limit ? offset ?;

-- === GET /user/deleted ===

-- without filters
select count(*) as total
from deletions
where created_at >= ?
  and owner_id = ?
  and (kind = ? or repository_id is null);
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where created_at >= ?
  and owner_id = ?
  and (kind = ? or repository_id is null)
order by id desc
limit ? offset ?;
