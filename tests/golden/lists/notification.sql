-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /notifications ===

-- without filters
select subject, status, case when visible = 1 then 0 else repository_id end as hidden_id, cast(sum(total) as bigint) as total
from (
    select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or team_units.unit = case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))) then 1 else 0 end as visible
    from notification_totals
    inner join repositories on repositories.id = notification_totals.repository_id
    where notification_totals.user_id = ?
      and notification_totals.total > ?
      and notification_totals.status in ?
      and notification_totals.subject in ?) as totals
group by subject, status, case when visible = 1 then 0 else repository_id end;
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc
-- on PostgreSQL:
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?
            order by updated_at desc, id desc
            limit ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc;
-- prepared: repositories.findByIds
-- prepared: notifications.findSubjects
-- prepared: repositories.findTransfers

-- since=2020-02-20T20:20:20Z
select count(*) as total
from notifications
where notifications.user_id = ?
  and notifications.status = ?
  and notifications.subject = ?
  and notifications.updated_at > ?;
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?
              and notifications.updated_at > ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc
-- on PostgreSQL:
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?
              and notifications.updated_at > ?
            order by updated_at desc, id desc
            limit ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from notifications
where notifications.user_id = ?
  and notifications.status = ?
  and notifications.subject = ?
  and notifications.updated_at < ?;

-- === GET /repos/{owner}/{repo}/notifications ===

-- without filters
select subject, status, case when visible = 1 then 0 else repository_id end as hidden_id, cast(sum(total) as bigint) as total
from (
    select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or team_units.unit = case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)))))) then 1 else 0 end as visible
    from notification_totals
    inner join repositories on repositories.id = notification_totals.repository_id
    where notification_totals.user_id = ?
      and notification_totals.total > ?
      and notification_totals.status in ?
      and notification_totals.subject in ?
      and notification_totals.repository_id = ?) as totals
group by subject, status, case when visible = 1 then 0 else repository_id end;
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?
              and notifications.repository_id = ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc
-- on PostgreSQL:
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?
              and notifications.repository_id = ?
            order by updated_at desc, id desc
            limit ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc;
-- prepared: repositories.findByIds
-- prepared: notifications.findSubjects
-- prepared: repositories.findTransfers

-- since=2020-02-20T20:20:20Z
select count(*) as total
from notifications
where notifications.user_id = ?
  and notifications.status = ?
  and notifications.subject = ?
  and notifications.repository_id = ?
  and notifications.updated_at > ?;
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?
              and notifications.repository_id = ?
              and notifications.updated_at > ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc
-- on PostgreSQL:
select notifications.*
from (
    select id, updated_at
    from (
        select id, updated_at
        from (
            select notifications.id, notifications.updated_at
            from notifications
            where notifications.user_id = ?
              and notifications.status = ?
              and notifications.subject = ?
              and notifications.repository_id = ?
              and notifications.updated_at > ?
            order by updated_at desc, id desc
            limit ?) as range) as ranges
    order by updated_at desc, id desc
    limit ? offset ?) as found
inner join notifications on notifications.id = found.id
order by found.updated_at desc, found.id desc;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from notifications
where notifications.user_id = ?
  and notifications.status = ?
  and notifications.subject = ?
  and notifications.repository_id = ?
  and notifications.updated_at < ?;
