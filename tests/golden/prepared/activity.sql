-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- activity.closedIssues
select number, title, closed_at as at, count(*) over() as total
from issues
where repository_id = ?
  and is_pull = ?
  and is_closed = ?
  and closed_at >= ?
  and closed_at < ?
order by closed_at desc, number desc
limit ?;

-- activity.findComments
select comments.id, comments.issue_id, comments.author_id, comments.created_at, comments.updated_at, comments.original_author, comments.original_author_id, comments.made_with, comments.content, issues.number, issues.is_pull, issues.repository_id
from comments
inner join issues on issues.id = comments.issue_id
where comments.id in ?;

-- activity.forgetComments
delete from activities
where comment_id in (
    select comments.id
    from comments
    where comments.issue_id = ?)
  and comment_id <> 0;

-- activity.forgetCreation
delete from activities
where repository_id = ?
  and created_at = ?
  and op_type in ('create_issue', 'create_pull_request')
  and substr(content, 1, length(?)) = ?;

-- activity.forgetOld
delete from activities
where id in (
    select activities.id
    from activities
    where activities.created_at < ?
    order by activities.id
    limit ?);

-- activity.mergedPulls
select issues.number, issues.title, pulls.merged_at as at, count(*) over() as total
from pulls
inner join issues on issues.id = pulls.issue_id
where pulls.repository_id = ?
  and pulls.is_merged = ?
  and pulls.merged_at >= ?
  and pulls.merged_at < ?
order by pulls.merged_at desc, issues.number desc
limit ?;

-- activity.opened
select number, title, created_at as at, count(*) over() as total
from issues
where repository_id = ?
  and is_pull = ?
  and created_at >= ?
  and created_at < ?
order by created_at desc, number desc
limit ?;

-- activity.releases
select tag_name as tag, title, created_at as at, count(*) over() as total
from releases
where repository_id = ?
  and is_draft = ?
  and created_at >= ?
  and created_at < ?
order by created_at desc, id desc
limit ?;

-- activity.tell
insert into activities(receiver_id, actor_id, op_type, repository_id, comment_id, ref_name, unit, is_private, is_hidden, content, created_at) select users.id, cast(? as bigint) as actor_id, cast(? as text) as op_type, repositories.id as repository_id, cast(? as bigint) as comment_id, cast(? as text) as ref_name, cast(? as text) as unit, case when repositories.is_private = 1 or owner.visibility = 'private' then 1 else 0 end as is_private, 0 as is_hidden, cast(? as text) as content, cast(? as bigint) as created_at
from users
inner join repositories on repositories.id = ?
inner join users as owner on owner.id = repositories.owner_id
where users.id in (
    select doer.id
    from users as doer
    where doer.id = ?
    union select home.owner_id as id
    from repositories as home
    where home.id = ?
    union select user_id as id
    from watches
    where repository_id = ?
      and mode != ?)
  and (users.id = ? or (owner.kind = ? and users.id = owner.id) or (users.is_active = 1 and users.prohibit_login = 0 and (? = '' or (case ? when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then (repositories.has_issues = 1 and repositories.external_tracker_url = '') when 'repo.pulls' then repositories.has_pull_requests = 1 when 'repo.releases' then repositories.has_releases = 1 when 'repo.wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url = '') when 'repo.ext_wiki' then (repositories.has_wiki = 1 and repositories.external_wiki_url <> '') when 'repo.ext_issues' then (repositories.has_issues = 1 and repositories.external_tracker_url <> '') when 'repo.projects' then repositories.has_projects = 1 when 'repo.packages' then repositories.has_packages = 1 when 'repo.actions' then repositories.has_actions = 1 when '' then 1 = 1 else 1 = 0 end and (users.is_admin <> 1 or repositories.owner_id <> -3) and (repositories.openness = 0 or (users.is_restricted = 0 and repositories.openness = 1) or users.is_admin = 1 or repositories.owner_id = users.id or (repositories.is_private = 0 and (owner.visibility = 'public' or (users.is_restricted = 0 and (owner.visibility = 'limited' or (exists (
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
      and (teams.mode >= 3 or (team_units.mode > 0 and (? = '' or team_units.unit = ?)))) and not (users.lacks_required_factor = 1 and owner.requires_second_factor = 1))))) and exists (
    select 1
    from watches
    where watches.repository_id = repositories.id
      and watches.user_id = users.id
      and watches.mode <> 'declined')))
order by users.id;
