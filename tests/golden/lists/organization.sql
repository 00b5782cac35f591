-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /orgs/{org}/token-deeds ===

-- without filters
select count(*) as total
from token_deeds
where token_deeds.owner_id = ?;
select token_deeds.*, users.name as user_name
from token_deeds
inner join users on users.id = token_deeds.user_id
where token_deeds.owner_id = ?
order by token_deeds.id desc
limit ? offset ?;

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
from organization_members as member cross join users
where users.id = member.user_id
  and member.organization_id = ?
  and 1 = 1;
select users.*
from organization_members as member cross join users
where users.id = member.user_id
  and member.organization_id = ?
  and 1 = 1
order by member.user_id
limit ? offset ?;

-- filter=2fa_disabled
select count(*) as total
from organization_members as member cross join users
where users.id = member.user_id
  and member.organization_id = ?
  and 1 = 1
  and users.has_second_factor = ?;
select users.*
from organization_members as member cross join users
where users.id = member.user_id
  and member.organization_id = ?
  and 1 = 1
  and users.has_second_factor = ?
order by member.user_id
limit ? offset ?;

-- === GET /orgs/{org}/public_members ===

-- without filters
select count(*) as total
from organization_members as member cross join users
where users.id = member.user_id
  and member.organization_id = ?
  and (member.is_public = 1 and listed_users);
select users.*
from organization_members as member cross join users
where users.id = member.user_id
  and member.organization_id = ?
  and (member.is_public = 1 and listed_users)
order by member.user_id
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
  and visible_teams;
select *
from teams
where organization_id = ?
  and visible_teams
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?;
-- prepared: teams.findUnits

-- === GET /orgs/{org}/teams/search ===

-- without filters
select count(*) as total
from teams
where organization_id = ?
  and visible_teams;
select *
from teams
where organization_id = ?
  and visible_teams
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?;
-- prepared: teams.findUnits

-- q=a
select count(*) as total
from teams
where organization_id = ?
  and visible_teams
  and (instr(teams.lower_name, ?) > 0 or instr(fold(teams.description), fold(?)) > 0)
-- on PostgreSQL:
select count(*) as total
from teams
where organization_id = ?
  and visible_teams
  and (strpos(teams.lower_name, ?) > 0 or strpos(lower(teams.description collate "und-x-icu"), lower(? collate "und-x-icu")) > 0);
select *
from teams
where organization_id = ?
  and visible_teams
  and (instr(teams.lower_name, ?) > 0 or instr(fold(teams.description), fold(?)) > 0)
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?
-- on PostgreSQL:
select *
from teams
where organization_id = ?
  and visible_teams
  and (strpos(teams.lower_name, ?) > 0 or strpos(lower(teams.description collate "und-x-icu"), lower(? collate "und-x-icu")) > 0)
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?;

-- q=a&include_desc=false
select count(*) as total
from teams
where organization_id = ?
  and visible_teams
  and instr(teams.lower_name, ?) > 0
-- on PostgreSQL:
select count(*) as total
from teams
where organization_id = ?
  and visible_teams
  and strpos(teams.lower_name, ?) > 0;
select *
from teams
where organization_id = ?
  and visible_teams
  and instr(teams.lower_name, ?) > 0
order by case when teams.mode = 4 then 0 else 1 end, lower_name
limit ? offset ?
-- on PostgreSQL:
select *
from teams
where organization_id = ?
  and visible_teams
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

-- === GET /orgs/{org}/activities/feeds ===

-- without filters
select cast(coalesce(sum(groups.total), 0) as bigint) as total
from (
    select activity_totals.repository_id, activity_totals.unit, sum(activity_totals.total) as total
    from activity_totals
    where (activity_totals.is_hidden = 0 and activity_totals.receiver_id = ? and (activity_totals.actor_id = ? or exists (
        select 1
        from users as doer
        where doer.id = activity_totals.actor_id
          and doer.hide_activity = 0
          and doer.visibility in ('public', 'limited'))))
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
where (activities.is_hidden = 0 and activities.receiver_id = ? and (activities.actor_id = ? or exists (
    select 1
    from users as doer
    where doer.id = activities.actor_id
      and doer.hide_activity = 0
      and doer.visibility in ('public', 'limited'))))
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

-- === GET /teams/{id}/activities/feeds ===

-- without filters
select cast(coalesce(sum(groups.total), 0) as bigint) as total
from (
    select activity_totals.repository_id, activity_totals.unit, sum(activity_totals.total) as total
    from activity_totals
    where (activity_totals.is_hidden = 0 and activity_totals.receiver_id = ? and activity_totals.repository_id in (
        select repository_id
        from team_repositories
        where team_id = ?) and (activity_totals.actor_id = ? or exists (
        select 1
        from users as doer
        where doer.id = activity_totals.actor_id
          and doer.hide_activity = 0
          and doer.visibility in ('public', 'limited'))))
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
where (activities.is_hidden = 0 and activities.receiver_id = ? and activities.repository_id in (
    select repository_id
    from team_repositories
    where team_id = ?) and (activities.actor_id = ? or exists (
    select 1
    from users as doer
    where doer.id = activities.actor_id
      and doer.hide_activity = 0
      and doer.visibility in ('public', 'limited'))))
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

-- === GET /orgs/{org}/projects ===

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

-- === GET /orgs/{org}/projects/{id}/columns ===

-- without filters
-- prepared: projects.find
-- prepared: projects.findColumns

-- === GET /orgs/{org}/projects/{id}/columns/{column_id}/issues ===

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

-- === GET /orgs/{org}/hooks ===

-- without filters
select count(*) as total
from webhooks
where owner_id = ?;
select *
from webhooks
where owner_id = ?
order by id
limit ? offset ?;

-- === GET /orgs/{org}/hooks/{id}/deliveries ===

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

-- === GET /orgs/{org}/actions/runs ===

-- without filters
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions);
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
order by action_runs.id desc
limit ? offset ?;
select repositories.id
from repositories
where repositories.id in ?
  and readable_pulls;
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
    where repositories.owner_id = ?
      and readable_actions)
  and action_runs.event = ?;
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
  and action_runs.event = ?
order by action_runs.id desc
limit ? offset ?;

-- branch=a
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
  and action_runs.ref = ?;
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
  and action_runs.ref = ?
order by action_runs.id desc
limit ? offset ?;

-- actor=a
select count(*) as total
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?);
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
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
    where repositories.owner_id = ?
      and readable_actions)
  and action_runs.commit_id = ?;
select action_runs.*
from action_runs
where action_runs.repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
  and action_runs.commit_id = ?
order by action_runs.id desc
limit ? offset ?;

-- === GET /orgs/{org}/actions/jobs ===

-- without filters
select count(*) as total
from action_jobs
where repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions);
select *
from action_jobs
where repository_id in (
    select repositories.id
    from repositories
    where repositories.owner_id = ?
      and readable_actions)
order by id asc
limit ? offset ?;
-- prepared: actions.findRunsByIds
-- prepared: repositories.findByIds

-- === GET /orgs/{org}/actions/secrets ===

-- without filters
select count(*) as total
from action_secrets
where action_secrets.owner_id = ?;
select name, description, created_at
from action_secrets
where action_secrets.owner_id = ?
order by name
limit ? offset ?;

-- === GET /orgs/{org}/actions/variables ===

-- without filters
select count(*) as total
from action_variables
where action_variables.owner_id = ?;
select *
from action_variables
where action_variables.owner_id = ?
order by name
limit ? offset ?;

-- === GET /orgs/{org}/deleted ===

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

-- === GET /orgs/{org}/audit ===

-- without filters
select count(*) as total
from audit_entries
where organization_id = ?;
select *
from audit_entries
where organization_id = ?
order by id desc
limit ? offset ?;

-- actor=a
select count(*) as total
from audit_entries
where organization_id = ?
  and actor_name = ?;
select *
from audit_entries
where organization_id = ?
  and actor_name = ?
order by id desc
limit ? offset ?;

-- kind=a
select count(*) as total
from audit_entries
where organization_id = ?
  and kind > ?
  and kind < ?;
select *
from audit_entries
where organization_id = ?
  and kind > ?
  and kind < ?
order by id desc
limit ? offset ?;

-- repository=a
select count(*) as total
from audit_entries
where organization_id = ?
  and repository_name = ?;
select *
from audit_entries
where organization_id = ?
  and repository_name = ?
order by id desc
limit ? offset ?;

-- since=2020-02-20T20:20:20Z
select count(*) as total
from audit_entries
where organization_id = ?
  and created_at >= ?;
select *
from audit_entries
where organization_id = ?
  and created_at >= ?
order by id desc
limit ? offset ?;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from audit_entries
where organization_id = ?
  and created_at <= ?;
select *
from audit_entries
where organization_id = ?
  and created_at <= ?
order by id desc
limit ? offset ?;
