-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /repos/{owner}/{repo}/labels ===

-- without filters
select count(*) as total
from labels
where repository_id = ?;
select *
from labels
where repository_id = ?
order by name asc, id asc
limit ? offset ?;

-- sort=reversealphabetically
select *
from labels
where repository_id = ?
order by name desc, id desc
limit ? offset ?;

-- sort=mostissues
select *
from labels
where repository_id = ?
order by (
    select count(*) as issues
    from issue_labels
    where issue_labels.label_id = labels.id) desc, name asc, id asc
limit ? offset ?;

-- sort=leastissues
select *
from labels
where repository_id = ?
order by (
    select count(*) as issues
    from issue_labels
    where issue_labels.label_id = labels.id) asc, name asc, id asc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/milestones ===

-- without filters
select count(*) as total
from milestones
where repository_id = ?
  and is_closed = ?;
select *
from milestones
where repository_id = ?
  and is_closed = ?
order by due_at, title, id
limit ? offset ?;

-- state=all
select count(*) as total
from milestones
where repository_id = ?;
select *
from milestones
where repository_id = ?
order by due_at, title, id
limit ? offset ?;

-- name=a
select count(*) as total
from milestones
where repository_id = ?
  and is_closed = ?
  and instr(fold(milestones.title), fold(?)) > 0
-- on PostgreSQL:
select count(*) as total
from milestones
where repository_id = ?
  and is_closed = ?
  and strpos(lower(milestones.title collate "und-x-icu"), lower(? collate "und-x-icu")) > 0;
select *
from milestones
where repository_id = ?
  and is_closed = ?
  and instr(fold(milestones.title), fold(?)) > 0
order by due_at, title, id
limit ? offset ?
-- on PostgreSQL:
select *
from milestones
where repository_id = ?
  and is_closed = ?
  and strpos(lower(milestones.title collate "und-x-icu"), lower(? collate "und-x-icu")) > 0
order by due_at, title, id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/issues/{index}/dependencies ===

-- without filters
-- prepared: dependencies.count
-- prepared: dependencies.find
-- prepared: repositories.findByIds
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues

-- === GET /repos/{owner}/{repo}/issues/{index}/blocks ===

-- without filters
select count(*) as total
from issue_dependencies
inner join issues on issues.id = issue_dependencies.issue_id
inner join repositories on repositories.id = issues.repository_id
where issue_dependencies.dependency_id = ?
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
select issues.*
from issue_dependencies
inner join issues on issues.id = issue_dependencies.issue_id
inner join repositories on repositories.id = issues.repository_id
where issue_dependencies.dependency_id = ?
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
order by case when issues.repository_id = ? then 0 else issues.repository_id end, issues.created_at desc, issues.id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues

-- === GET /repos/{owner}/{repo}/issues/{index}/times ===

-- without filters
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?
order by tracked_times.id
limit ? offset ?;
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues

-- since=2020-02-20T20:20:20Z
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?
  and tracked_times.updated_at > ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?
  and tracked_times.updated_at > ?
order by tracked_times.id
limit ? offset ?;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?
  and tracked_times.updated_at < ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?
  and tracked_times.updated_at < ?
order by tracked_times.id
limit ? offset ?;

-- user=root
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?
  and tracked_times.user_id = ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id = ?
  and tracked_times.user_id = ?
order by tracked_times.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/issues/{index}/subscriptions ===

-- without filters
select count(*) as total
from users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id in (
    select user_id as id
    from issue_watches
    where issue_id = ?
      and is_watching = ?
    union select author_id as id
    from issues
    where id = ?
    union select author_id as id
    from comments
    where issue_id = ?
      and kind in (?, ?, ?)
    union select user_id as id
    from issue_assignees
    where issue_id = ?
    union select reviewer_id as id
    from reviews
    where issue_id = ?
      and state = 'REQUEST_REVIEW'
    union select user_id as id
    from watches
    where repository_id = ?
      and mode <> ?)
  and users.id not in (
    select user_id
    from issue_watches
    where issue_id = ?
      and is_watching = ?)
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and (repositories.has_issues = 1 and repositories.external_tracker_url = '' and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
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
      and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.issues'))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))
  and listed_users;
select users.*
from users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id in (
    select user_id as id
    from issue_watches
    where issue_id = ?
      and is_watching = ?
    union select author_id as id
    from issues
    where id = ?
    union select author_id as id
    from comments
    where issue_id = ?
      and kind in (?, ?, ?)
    union select user_id as id
    from issue_assignees
    where issue_id = ?
    union select reviewer_id as id
    from reviews
    where issue_id = ?
      and state = 'REQUEST_REVIEW'
    union select user_id as id
    from watches
    where repository_id = ?
      and mode <> ?)
  and users.id not in (
    select user_id
    from issue_watches
    where issue_id = ?
      and is_watching = ?)
  and users.kind = ?
  and users.is_active = ?
  and users.prohibit_login = ?
  and (repositories.has_issues = 1 and repositories.external_tracker_url = '' and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
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
      and (teams.mode >= 3 or (team_units.mode > 0 and team_units.unit = 'repo.issues'))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))
  and listed_users
order by users.lower_name, users.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/issues ===

-- without filters
-- prepared: issues.findNewest
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues
-- prepared: milestones.findByIds

-- state=closed
select issue_totals.is_closed, cast(sum(issue_totals.total) as bigint) as total
from issue_totals
inner join repositories on repositories.id = issue_totals.repository_id
where issue_totals.total > ?
  and issue_totals.repository_id = ?
  and issue_totals.is_closed = ?
group by issue_totals.is_closed;

-- state=all
select issue_totals.is_closed, cast(sum(issue_totals.total) as bigint) as total
from issue_totals
inner join repositories on repositories.id = issue_totals.repository_id
where issue_totals.total > ?
  and issue_totals.repository_id = ?
group by issue_totals.is_closed;
select issues.id
from issues
inner join repositories on repositories.id = issues.repository_id
where issues.repository_id = ?
order by issues.number desc
limit ? offset ?;
-- prepared: issues.findByIds

-- type=issues
select issue_totals.is_closed, cast(sum(issue_totals.total) as bigint) as total
from issue_totals
inner join repositories on repositories.id = issue_totals.repository_id
where issue_totals.total > ?
  and issue_totals.repository_id = ?
  and issue_totals.is_pull = ?
  and issue_totals.is_closed = ?
group by issue_totals.is_closed;
select issues.id
from issues
inner join repositories on repositories.id = issues.repository_id
where issues.repository_id = ?
  and issues.is_pull = ?
  and issues.is_closed = ?
order by issues.number desc
limit ? offset ?;

-- q=a
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.number as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.repository_id + 0 = ?
      and issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from (
            select count(*) as number
            from (
                select 1
                from issue_words
                where issue_words match ?
                limit ?)) as texts cross join issue_words as found
        where texts.number < ?
          and found.issue_words match ?
        union all select worded.id
        from (
            select count(*) as number
            from (
                select 1
                from issue_words
                where issue_words match ?
                limit ?)) as texts cross join issues as worded
        where texts.number = ?
          and worded.repository_id = ?
          and worded.id * 2 in (
            select rowid
            from issue_words
            where issue_words match ?)
        union all select placed.issue_id
        from (
            select count(*) as number
            from (
                select 1
                from issue_words
                where issue_words match ?
                limit ?)) as texts cross join placed_comments as placed
        where texts.number = ?
          and placed.repository_id = ?
          and placed.comment_id * 2 + 1 in (
            select rowid
            from issue_words
            where issue_words match ?))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.number as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.repository_id + 0 = ?
      and issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- labels=a
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.number as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.repository_id + 0 = ?
      and issues.is_closed = ?
      and issues.id in (
        select issue_id
        from issue_labels
        where label_id in (
            select id
            from labels
            where repository_id = ?
              and name = ?
            union select id
            from labels
            where organization_id = ?
              and name = ?))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- milestones=a
select id, title
from milestones
where repository_id = ?
  and (milestones.title in ? or milestones.id in ?);
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.number as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.repository_id + 0 = ?
      and issues.is_closed = ?
      and issues.milestone_id in ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- since=2020-02-20T20:20:20Z
select count(*) as total
from issues
inner join repositories on repositories.id = issues.repository_id
where issues.repository_id = ?
  and issues.is_closed = ?
  and issues.updated_at >= ?;
select issues.id
from issues
inner join repositories on repositories.id = issues.repository_id
where issues.repository_id = ?
  and issues.is_closed = ?
  and issues.updated_at >= ?
order by issues.number desc
limit ? offset ?;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from issues
inner join repositories on repositories.id = issues.repository_id
where issues.repository_id = ?
  and issues.is_closed = ?
  and issues.updated_at <= ?;

-- created_by=root
select count(*) as total
from issues
inner join repositories on repositories.id = issues.repository_id
where issues.repository_id = ?
  and issues.is_closed = ?
  and issues.author_id = ?;

-- assigned_by=root
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.number as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.repository_id + 0 = ?
      and issues.is_closed = ?
      and issues.id in (
        select issue_id
        from issue_assignees
        where user_id = ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- mentioned_by=root
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.number as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.repository_id + 0 = ?
      and issues.is_closed = ?
      and issues.id in (
        select issue_id
        from issue_mentions
        where user_id = ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- === GET /repos/issues/search ===

-- without filters
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;
-- prepared: issues.findByIds
-- prepared: repositories.findByIds
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues
-- prepared: milestones.findByIds

-- state=all
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- type=issues
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.is_pull = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.is_pull = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- labels=a
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from labels cross join issue_labels
        where issue_labels.label_id = labels.id
          and labels.name in ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from labels cross join issue_labels
        where issue_labels.label_id = labels.id
          and labels.name in ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- milestones=a
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.milestone_id in (
        select milestones.id
        from milestones
        where fold(milestones.title) in (
            select fold(value)
            from json_each(?)))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.milestone_id in (
        select milestones.id
        from milestones
        where lower(milestones.title collate "und-x-icu") in (
            select lower(given collate "und-x-icu")
            from json_array_elements_text(cast(? as json)) as given))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- since=2020-02-20T20:20:20Z
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and issues.updated_at >= ?
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and issues.updated_at >= ?
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- before=2020-02-20T20:20:20Z
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and issues.updated_at <= ?
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and issues.updated_at <= ?
      and repositories.owner_id + 0 = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- assigned=true
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from issue_assignees
        where user_id = ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from issue_assignees
        where user_id = ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- created=true
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.author_id = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.author_id = ?), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- mentioned=true
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from issue_mentions
        where user_id = ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from issue_mentions
        where user_id = ?)), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- review_requested=true
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from reviews
        where state = 'REQUEST_REVIEW'
          and (reviewer_id = ? or reviewer_team_id in (
            select team_id
            from team_members
            where user_id = ?)))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from reviews
        where state = 'REQUEST_REVIEW'
          and (reviewer_id = ? or reviewer_team_id in (
            select team_id
            from team_members
            where user_id = ?)))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- reviewed=true
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select case when found.rowid % 2 = 0 then found.rowid / 2 else (
            select placed.issue_id
            from placed_comments as placed
            where placed.comment_id = found.rowid / 2) end
        from issue_words as found
        where found.issue_words match ?)
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from reviews
        where reviewer_id = ?
          and state in ('APPROVED', 'COMMENT', 'REQUEST_CHANGES'))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc
-- on PostgreSQL:
with found as materialized(
    select issues.id, issues.repository_id, issues.is_pull, issues.created_at as age
    from issues
    inner join repositories on repositories.id = issues.repository_id
    where issues.is_closed = ?
      and issues.id in (
        select worded.id
        from issues as worded
        where search_words(worded.title || ' ' || worded.content) @@ sought_words(?)
        union all select comments.issue_id
        from comments
        where comments.kind = 'comment'
          and search_words(comments.content) @@ sought_words(?))
      and repositories.owner_id + 0 = ?
      and issues.id in (
        select issue_id
        from reviews
        where reviewer_id = ?
          and state in ('APPROVED', 'COMMENT', 'REQUEST_CHANGES'))), readable as materialized(
    select groups.repository_id, groups.is_pull, groups.total
    from (
        select repository_id, is_pull, count(*) as total
        from found
        group by repository_id, is_pull) as groups
    inner join repositories on repositories.id = groups.repository_id
    where (case case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case groups.is_pull when 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))) select whole.total, page.id
from (
    select cast(coalesce(sum(total), 0) as bigint) as total
    from readable) as whole
left join (
    select found.id, found.age
    from found
    where (found.repository_id, found.is_pull) in (
        select repository_id, is_pull
        from readable)
    order by found.age desc, found.id desc
    limit ? offset ?) as page on true
order by page.age desc, page.id desc;

-- === GET /repos/{owner}/{repo}/held ===

-- without filters
select *
from held_requests
where repository_id = ?
  and state = ?
  and is_pull in (?, ?)
order by id
limit ? offset ?;
select count(*) as total
from held_requests
where repository_id = ?
  and state = ?
  and is_pull in (?, ?);
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds

-- === GET /user/held ===

-- without filters
select held_requests.*
from held_requests
inner join repositories on repositories.id = held_requests.repository_id
where held_requests.author_id = ?
  and visible_repositories
order by held_requests.id desc
limit ? offset ?;
select count(*) as total
from held_requests
inner join repositories on repositories.id = held_requests.repository_id
where held_requests.author_id = ?
  and visible_repositories;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds

-- === GET /repos/{owner}/{repo}/issues/comments ===

-- without filters
select cast(coalesce(sum(total), 0) as bigint) as total
from comment_totals
where repository_id = ?;
select comments.id, comments.issue_id, comments.author_id, comments.created_at, comments.updated_at, comments.original_author, comments.original_author_id, comments.made_with, comments.content, issues.number, issues.is_pull
from comments
inner join issues on issues.id = comments.issue_id
where comments.id in (
    select placed_comments.comment_id
    from placed_comments
    where placed_comments.repository_id = ?
    order by placed_comments.created_at, placed_comments.comment_id
    limit ? offset ?)
order by comments.created_at, comments.id;
-- prepared: attachments.findOfComments
-- prepared: repositories.findUsersByIds

-- since=2020-02-20T20:20:20Z
select count(*) as total
from placed_comments
inner join comments as dated on dated.id = placed_comments.comment_id
where placed_comments.repository_id = ?
  and dated.updated_at >= ?
  and dated.updated_at <= ?;
select comments.id, comments.issue_id, comments.author_id, comments.created_at, comments.updated_at, comments.original_author, comments.original_author_id, comments.made_with, comments.content, issues.number, issues.is_pull
from comments
inner join issues on issues.id = comments.issue_id
where comments.id in (
    select placed_comments.comment_id
    from placed_comments
    inner join comments as dated on dated.id = placed_comments.comment_id
    where placed_comments.repository_id = ?
      and dated.updated_at >= ?
      and dated.updated_at <= ?
    order by placed_comments.created_at, placed_comments.comment_id
    limit ? offset ?)
order by comments.created_at, comments.id;

-- === GET /repos/{owner}/{repo}/issues/{index}/timeline ===

-- without filters
select count(*) as total
from comments
where comments.issue_id = ?
  and comments.kind not in (?, ?, ?)
  and comments.updated_at >= ?
  and comments.updated_at <= ?
  and (comments.ref_issue_id is null or exists (
    select 1
    from issues as other join repositories on repositories.id = other.repository_id
    where other.id = comments.ref_issue_id
      and (case case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))))
  and (comments.dependent_issue_id is null or exists (
    select 1
    from issues as other join repositories on repositories.id = other.repository_id
    where other.id = comments.dependent_issue_id
      and (case case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))));
select comments.*
from comments
where comments.issue_id = ?
  and comments.kind not in (?, ?, ?)
  and comments.updated_at >= ?
  and comments.updated_at <= ?
  and (comments.ref_issue_id is null or exists (
    select 1
    from issues as other join repositories on repositories.id = other.repository_id
    where other.id = comments.ref_issue_id
      and (case case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))))
  and (comments.dependent_issue_id is null or exists (
    select 1
    from issues as other join repositories on repositories.id = other.repository_id
    where other.id = comments.dependent_issue_id
      and (case case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (repositories.openness = 0 or repositories.openness = 1 or repositories.owner_id = ? or (repositories.is_private = 0 and exists (
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
          and (teams.mode >= 3 or (team_units.mode > 0 and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or team_units.unit = case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end)))) or (exists (
        select 1
        from repository_transfers
        where repository_transfers.repository_id = repositories.id
          and (repository_transfers.recipient_id = ? or exists (
            select 1
            from team_members join teams on teams.id = team_members.team_id
            where team_members.organization_id = repository_transfers.recipient_id
              and team_members.user_id = ?
              and teams.can_create_repositories = 1))) and (case when other.is_pull = 1 then 'repo.pulls' else 'repo.issues' end = '' or not exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= 3 or team_units.mode > 0))))))))
order by comments.created_at, comments.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/issues/{index}/reactions ===

-- without filters
select count(*) as total
from reactions
where issue_id = ?
  and comment_id = ?;
select *
from reactions
where issue_id = ?
  and comment_id = ?
order by id
limit ? offset ?;
-- prepared: repositories.findUsersByIds
