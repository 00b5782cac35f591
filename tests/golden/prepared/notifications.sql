-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- notifications.findChoices
select cause, in_list, by_mail
from notification_choices
where user_id = ?;

-- notifications.findSubjects
select issues.id, issues.number, issues.title, issues.is_pull, issues.is_closed, pulls.is_merged, (
    select comments.id
    from comments
    where comments.issue_id = issues.id
      and comments.kind = ?
    order by comments.created_at desc, comments.id desc
    limit ?) as latest_comment_id
from issues
left join pulls on pulls.issue_id = issues.id
where issues.id in ?;

-- notifications.findThread
select *
from notifications
where id = ?;

-- notifications.findUnreadOf
select id
from notifications
where user_id = ?
  and issue_id = ?
  and status = ?;

-- notifications.mailOfIssue
select users.id
from (
    select named.id, max(named.is_direct) as is_direct
    from (
        select direct.id as id, cast(? as text) as cause, 1 as usual, 1 as is_direct
        from users as direct
        where direct.id in ?
        union all select watches.user_id as id, cast(? as text) as cause, 1 as usual, 0 as is_direct
        from watches
        where repository_id = ?
          and mode != ?
          and ? = 1
        union all select issue_watches.user_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from issue_watches
        where issue_id = ?
          and is_watching = ?
          and ? = 1
        union all select issue_assignees.user_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from issue_assignees
        where issue_id = ?
          and ? = 1
        union all select issues.author_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from issues
        where id = ?
          and ? = 1
        union all select distinct comments.author_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from comments
        where issue_id = ?
          and kind in ('comment', 'code', 'review')
          and ? = 1
        union all select reviews.reviewer_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from reviews
        where issue_id = ?
          and state = 'REQUEST_REVIEW'
          and ? = 1) as named
    left join notification_choices as choice on choice.user_id = named.id
      and choice.cause = named.cause
    where coalesce(choice.by_mail, named.usual) = 1
    group by named.id) as told cross join users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id = told.id
  and (users.id <> ? or exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'own'
      and by_mail = 1))
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and not exists (
    select 1
    from notification_levels
    where user_id = users.id
      and repository_id = ?
      and level = 'ignored')
  and (told.is_direct = ? or not exists (
    select issue_watches.user_id
    from issue_watches
    where issue_watches.user_id = users.id
      and issue_watches.issue_id = ?
      and issue_watches.is_watching = ?))
  and (case ? when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
    select 1
    from organization_members
    where organization_members.organization_id = owner.id
      and organization_members.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)))))) or (exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)) or (exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and (? = '' or team_units.unit = ?)))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))
order by users.id;

-- notifications.mailOfOffer
select users.id
from (
    select named.id
    from users as named
    where named.id = ?
    union select team_members.user_id as id
    from team_members
    inner join teams on teams.id = team_members.team_id
    where team_members.organization_id = ?
      and (teams.can_create_repositories = ? or teams.mode >= ?)) as told cross join users
where users.id = told.id
  and users.id != ?
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and not exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'offer'
      and by_mail = 0)
order by users.id;

-- notifications.mailOfRelease
select users.id
from (
    select named.id, max(named.is_direct) as is_direct
    from (
        select watches.user_id as id, cast('release' as text) as cause, 0 as usual, 0 as is_direct
        from watches
        where repository_id = ?
          and mode != ?
        union all select notification_levels.user_id as id, cast('release' as text) as cause, 1 as usual, 0 as is_direct
        from notification_levels
        where repository_id = ?
          and level = ?) as named
    left join notification_choices as choice on choice.user_id = named.id
      and choice.cause = named.cause
    where coalesce(choice.by_mail, named.usual) = 1
    group by named.id) as told cross join users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id = told.id
  and (users.id <> ? or exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'own'
      and by_mail = 1))
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and not exists (
    select 1
    from notification_levels
    where user_id = users.id
      and repository_id = ?
      and level = 'ignored')
  and (case ? when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
    select 1
    from organization_members
    where organization_members.organization_id = owner.id
      and organization_members.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)))))) or (exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)) or (exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and (? = '' or team_units.unit = ?)))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))
order by users.id;

-- notifications.setStatus
update notifications
set status = ?, updated_at = ?
where id in ?;

-- notifications.tellOfIssue
insert into notifications(user_id, repository_id, subject, issue_id, status, created_at, updated_at) select users.id, repositories.id as repository_id, cast(? as text) as subject, cast(? as bigint) as issue_id, 'unread' as status, cast(? as bigint) as created_at, cast(? as bigint) as updated_at
from (
    select named.id, max(named.is_direct) as is_direct
    from (
        select direct.id as id, cast(? as text) as cause, 1 as usual, 1 as is_direct
        from users as direct
        where direct.id in ?
        union all select watches.user_id as id, cast(? as text) as cause, 1 as usual, 0 as is_direct
        from watches
        where repository_id = ?
          and mode != ?
          and ? = 1
        union all select issue_watches.user_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from issue_watches
        where issue_id = ?
          and is_watching = ?
          and ? = 1
        union all select issue_assignees.user_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from issue_assignees
        where issue_id = ?
          and ? = 1
        union all select issues.author_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from issues
        where id = ?
          and ? = 1
        union all select distinct comments.author_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from comments
        where issue_id = ?
          and kind in ('comment', 'code', 'review')
          and ? = 1
        union all select reviews.reviewer_id as id, cast('participating' as text) as cause, 1 as usual, 0 as is_direct
        from reviews
        where issue_id = ?
          and state = 'REQUEST_REVIEW'
          and ? = 1) as named
    left join notification_choices as choice on choice.user_id = named.id
      and choice.cause = named.cause
    where coalesce(choice.in_list, named.usual) = 1
    group by named.id) as told cross join users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id = told.id
  and (users.id <> ? or exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'own'
      and in_list = 1))
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and not exists (
    select 1
    from notification_levels
    where user_id = users.id
      and repository_id = ?
      and level = 'ignored')
  and (told.is_direct = ? or not exists (
    select issue_watches.user_id
    from issue_watches
    where issue_watches.user_id = users.id
      and issue_watches.issue_id = ?
      and issue_watches.is_watching = ?))
  and (case ? when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
    select 1
    from organization_members
    where organization_members.organization_id = owner.id
      and organization_members.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)))))) or (exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)) or (exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and (? = '' or team_units.unit = ?)))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))
order by users.id on conflict (issue_id, user_id) do update
set status = case when notifications.status = 'pinned' then 'pinned' else 'unread' end, updated_at = excluded.updated_at;

-- notifications.tellOfOffer
insert into notifications(user_id, repository_id, subject, status, created_at, updated_at) select users.id, cast(? as bigint) as repository_id, 'repository' as subject, 'unread' as status, cast(? as bigint) as created_at, cast(? as bigint) as updated_at
from (
    select named.id
    from users as named
    where named.id = ?
    union select team_members.user_id as id
    from team_members
    inner join teams on teams.id = team_members.team_id
    where team_members.organization_id = ?
      and (teams.can_create_repositories = ? or teams.mode >= ?)) as told cross join users
where users.id = told.id
  and users.id != ?
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and not exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'offer'
      and in_list = 0)
order by users.id;

-- notifications.tellOfRelease
insert into notifications(user_id, repository_id, subject, release_id, status, created_at, updated_at) select users.id, repositories.id as repository_id, 'release' as subject, cast(? as bigint) as release_id, 'unread' as status, cast(? as bigint) as created_at, cast(? as bigint) as updated_at
from (
    select named.id, max(named.is_direct) as is_direct
    from (
        select watches.user_id as id, cast('release' as text) as cause, 0 as usual, 0 as is_direct
        from watches
        where repository_id = ?
          and mode != ?
        union all select notification_levels.user_id as id, cast('release' as text) as cause, 1 as usual, 0 as is_direct
        from notification_levels
        where repository_id = ?
          and level = ?) as named
    left join notification_choices as choice on choice.user_id = named.id
      and choice.cause = named.cause
    where coalesce(choice.in_list, named.usual) = 1
    group by named.id) as told cross join users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id = told.id
  and (users.id <> ? or exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'own'
      and in_list = 1))
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and not exists (
    select 1
    from notification_levels
    where user_id = users.id
      and repository_id = ?
      and level = 'ignored')
  and (case ? when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
    select 1
    from organization_members
    where organization_members.organization_id = owner.id
      and organization_members.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)))))) or (exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)) or (exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and (? = '' or team_units.unit = ?)))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))
order by users.id on conflict (release_id, user_id) do nothing;

-- notifications.tellOfRun
insert into notifications(user_id, repository_id, subject, run_id, status, created_at, updated_at) select users.id, repositories.id as repository_id, 'run' as subject, cast(? as bigint) as run_id, 'unread' as status, cast(? as bigint) as created_at, cast(? as bigint) as updated_at
from users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id = ?
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and not exists (
    select 1
    from notification_choices
    where user_id = users.id
      and cause = 'run'
      and in_list = 0)
  and not exists (
    select 1
    from notification_levels
    where user_id = users.id
      and repository_id = ?
      and level = 'ignored')
  and (case ? when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
    select 1
    from organization_members
    where organization_members.organization_id = owner.id
      and organization_members.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)))))) or (exists (
    select 1
    from collaborations
    where collaborations.repository_id = repositories.id
      and collaborations.user_id = users.id) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)) or (exists (
    select 1
    from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
    left join team_units on team_units.team_id = teams.id
    where team_repositories.repository_id = repositories.id
      and team_members.user_id = users.id
      and (teams.mode >= 3 or (team_units.mode > 0 and (? = '' or team_units.unit = ?)))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1)))) on conflict (run_id, user_id) do update
set status = case when notifications.status = 'pinned' then 'pinned' else 'unread' end, updated_at = excluded.updated_at;
