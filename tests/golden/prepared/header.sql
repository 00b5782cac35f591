-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- header.news
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
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
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
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
    limit ?) as timer on 1 = 1;

-- header.news.admin
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
    from (
        select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3) then 1 else 0 end as visible
        from notification_totals
        inner join repositories on repositories.id = notification_totals.repository_id
        where notification_totals.user_id = ?
          and notification_totals.total > ?
          and notification_totals.status in ?
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
    where stopwatches.user_id = ?
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3)
    order by stopwatches.created_at desc, issues.id desc
    limit ?) as timer on 1 = 1;

-- header.news.admin.restricted
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
    from (
        select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3) then 1 else 0 end as visible
        from notification_totals
        inner join repositories on repositories.id = notification_totals.repository_id
        where notification_totals.user_id = ?
          and notification_totals.total > ?
          and notification_totals.status in ?
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
    where stopwatches.user_id = ?
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3)
    order by stopwatches.created_at desc, issues.id desc
    limit ?) as timer on 1 = 1;

-- header.news.admin.restricted.withheld
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
    from (
        select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3) then 1 else 0 end as visible
        from notification_totals
        inner join repositories on repositories.id = notification_totals.repository_id
        where notification_totals.user_id = ?
          and notification_totals.total > ?
          and notification_totals.status in ?
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
    where stopwatches.user_id = ?
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3)
    order by stopwatches.created_at desc, issues.id desc
    limit ?) as timer on 1 = 1;

-- header.news.admin.withheld
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
    from (
        select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3) then 1 else 0 end as visible
        from notification_totals
        inner join repositories on repositories.id = notification_totals.repository_id
        where notification_totals.user_id = ?
          and notification_totals.total > ?
          and notification_totals.status in ?
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
    where stopwatches.user_id = ?
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and repositories.owner_id <> -3)
    order by stopwatches.created_at desc, issues.id desc
    limit ?) as timer on 1 = 1;

-- header.news.restricted
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
    from (
        select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and owner.visibility = 'public')) or exists (
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
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
    where stopwatches.user_id = ?
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and owner.visibility = 'public')) or exists (
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
    limit ?) as timer on 1 = 1;

-- header.news.restricted.withheld
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
    from (
        select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and owner.visibility = 'public')) or (exists (
            select 1
            from collaborations
            where collaborations.repository_id = repositories.id
              and collaborations.user_id = ?) and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and not owner.requires_second_factor = 1)) or (exists (
            select 1
            from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
            left join team_units on team_units.team_id = teams.id
            where team_repositories.repository_id = repositories.id
              and team_members.user_id = ?
              and (teams.mode >= 3 or (team_units.mode > 0 and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or team_units.unit = case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end)))) and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and not owner.requires_second_factor = 1)) or (exists (
            select 1
            from repository_transfers
            where repository_transfers.repository_id = repositories.id
              and (repository_transfers.recipient_id = ? or exists (
                select 1
                from team_members join teams on teams.id = team_members.team_id
                where team_members.organization_id = repository_transfers.recipient_id
                  and team_members.user_id = ?
                  and teams.can_create_repositories = 1))) and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or not (exists (
            select 1
            from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
            left join team_units on team_units.team_id = teams.id
            where team_repositories.repository_id = repositories.id
              and team_members.user_id = ?
              and (teams.mode >= 3 or team_units.mode > 0)) and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and not owner.requires_second_factor = 1)))))) then 1 else 0 end as visible
        from notification_totals
        inner join repositories on repositories.id = notification_totals.repository_id
        where notification_totals.user_id = ?
          and notification_totals.total > ?
          and notification_totals.status in ?
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
    where stopwatches.user_id = ?
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and owner.visibility = 'public')) or (exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and not owner.requires_second_factor = 1)) or (exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and not owner.requires_second_factor = 1)) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not (exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)) and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and not owner.requires_second_factor = 1))))))
    order by stopwatches.created_at desc, issues.id desc
    limit ?) as timer on 1 = 1;

-- header.news.withheld
select news.*, timer.since, timer.owner, timer.repository, timer.number, timer.is_pull, timer.title
from (
    select cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint) as unread
    from (
        select repository_id, subject, status, total, case when (case case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and (owner.visibility = 'public' or owner.visibility = 'limited' or (exists (
                select 1
                from organization_members
                where organization_members.organization_id = owner.id
                  and organization_members.user_id = ?) and not owner.requires_second_factor = 1)))) or (exists (
            select 1
            from collaborations
            where collaborations.repository_id = repositories.id
              and collaborations.user_id = ?) and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and not owner.requires_second_factor = 1)) or (exists (
            select 1
            from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
            left join team_units on team_units.team_id = teams.id
            where team_repositories.repository_id = repositories.id
              and team_members.user_id = ?
              and (teams.mode >= 3 or (team_units.mode > 0 and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or team_units.unit = case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end)))) and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and not owner.requires_second_factor = 1)) or (exists (
            select 1
            from repository_transfers
            where repository_transfers.repository_id = repositories.id
              and (repository_transfers.recipient_id = ? or exists (
                select 1
                from team_members join teams on teams.id = team_members.team_id
                where team_members.organization_id = repository_transfers.recipient_id
                  and team_members.user_id = ?
                  and teams.can_create_repositories = 1))) and (case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' when 'run' then 'repo.actions' when 'release' then 'repo.releases' else '' end = '' or not (exists (
            select 1
            from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
            left join team_units on team_units.team_id = teams.id
            where team_repositories.repository_id = repositories.id
              and team_members.user_id = ?
              and (teams.mode >= 3 or team_units.mode > 0)) and exists (
            select 1
            from users as owner
            where owner.id = repositories.owner_id
              and not owner.requires_second_factor = 1)))))) then 1 else 0 end as visible
        from notification_totals
        inner join repositories on repositories.id = notification_totals.repository_id
        where notification_totals.user_id = ?
          and notification_totals.total > ?
          and notification_totals.status in ?
          and notification_totals.subject in ?) as totals) as news
left join (
    select stopwatches.created_at as since, owner.name as owner, repositories.name as repository, issues.number, issues.is_pull, issues.title
    from stopwatches
    inner join issues on issues.id = stopwatches.issue_id
    inner join repositories on repositories.id = issues.repository_id
    inner join users as owner on owner.id = repositories.owner_id
    where stopwatches.user_id = ?
      and (case case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility = 'public' or owner.visibility = 'limited' or (exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?) and not owner.requires_second_factor = 1)))) or (exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and not owner.requires_second_factor = 1)) or (exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and not owner.requires_second_factor = 1)) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not (exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0)) and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and not owner.requires_second_factor = 1))))))
    order by stopwatches.created_at desc, issues.id desc
    limit ?) as timer on 1 = 1;
