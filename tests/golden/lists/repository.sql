-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /repos/{owner}/{repo}/token-deeds ===

-- without filters
select count(*) as total
from token_deeds
where token_deeds.repository_id = ?;
select token_deeds.*, users.name as user_name
from token_deeds
inner join users on users.id = token_deeds.user_id
where token_deeds.repository_id = ?
order by token_deeds.id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/keys ===

-- without filters
select count(*) as total
from deploy_keys
inner join public_keys on public_keys.id = deploy_keys.key_id
where deploy_keys.repository_id = ?;
select deploy_keys.*, public_keys.content, public_keys.fingerprint
from deploy_keys
inner join public_keys on public_keys.id = deploy_keys.key_id
where deploy_keys.repository_id = ?
order by deploy_keys.id
limit ? offset ?;
-- prepared: repositories.findTransfers

-- key_id=1
select count(*) as total
from deploy_keys
inner join public_keys on public_keys.id = deploy_keys.key_id
where deploy_keys.repository_id = ?
  and deploy_keys.key_id = ?;
select deploy_keys.*, public_keys.content, public_keys.fingerprint
from deploy_keys
inner join public_keys on public_keys.id = deploy_keys.key_id
where deploy_keys.repository_id = ?
  and deploy_keys.key_id = ?
order by deploy_keys.id
limit ? offset ?;

-- fingerprint=a
select count(*) as total
from deploy_keys
inner join public_keys on public_keys.id = deploy_keys.key_id
where deploy_keys.repository_id = ?
  and public_keys.fingerprint = ?;
select deploy_keys.*, public_keys.content, public_keys.fingerprint
from deploy_keys
inner join public_keys on public_keys.id = deploy_keys.key_id
where deploy_keys.repository_id = ?
  and public_keys.fingerprint = ?
order by deploy_keys.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/push_mirrors ===

-- without filters
select *
from push_mirrors
where repository_id = ?
order by id
limit ? offset ?;
select count(*) as total
from push_mirrors
where repository_id = ?;

-- === GET /repos/{owner}/{repo}/import/faults ===

-- without filters
-- prepared: mirrors.findImportOf
select kind, source_key, message
from import_faults
where import_id = ?
order by id
limit ? offset ?;
select count(*) as total
from import_faults
where import_id = ?;

-- === GET /repos/search ===

-- without filters
select cast(coalesce(sum(total), 0) as bigint) + (
    select count(*) as total
    from repositories
    where visible_repositories
      and repositories.id in (
        select id
        from repositories
        where owner_id = ?
        union select repository_id
        from collaborations
        where user_id = ?
        union select repositories.id
        from organization_members join repositories on repositories.owner_id = organization_members.organization_id
        where organization_members.user_id = ?
        union select team_repositories.repository_id
        from team_members join team_repositories on team_repositories.team_id = team_members.team_id
        where team_members.user_id = ?
        union select repository_id
        from repository_transfers
        where recipient_id = ? or recipient_id in (
            select organization_id
            from team_members
            where user_id = ?))
      and repositories.openness > ?) - 0 as total
from repository_totals
where openness <= ?;
select repositories.id
from repositories
where visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- q=a
select count(*) as total
from repositories
where (instr(repositories.lower_name, ?) > 0 or repositories.id in (
    select repository_topics.repository_id
    from topics cross join repository_topics
    where repository_topics.topic_id = topics.id
      and instr(topics.name, ?) > 0))
  and visible_repositories
-- on PostgreSQL:
select count(*) as total
from repositories
where (strpos(repositories.lower_name, ?) > 0 or repositories.id in (
    select repository_topics.repository_id
    from topics cross join repository_topics
    where repository_topics.topic_id = topics.id
      and strpos(topics.name, ?) > 0))
  and visible_repositories;

-- q=a&topic=true
select count(*) as total
from repositories
where repositories.id in (
    select repository_topics.repository_id
    from topics cross join repository_topics
    where repository_topics.topic_id = topics.id
      and topics.name = ?)
  and visible_repositories;

-- q=a&includeDesc=true
select count(*) as total
from repositories
where (instr(repositories.lower_name, ?) > 0 or repositories.id in (
    select repository_topics.repository_id
    from topics cross join repository_topics
    where repository_topics.topic_id = topics.id
      and instr(topics.name, ?) > 0) or instr(fold(repositories.description), fold(?)) > 0)
  and visible_repositories
-- on PostgreSQL:
select count(*) as total
from repositories
where (strpos(repositories.lower_name, ?) > 0 or repositories.id in (
    select repository_topics.repository_id
    from topics cross join repository_topics
    where repository_topics.topic_id = topics.id
      and strpos(topics.name, ?) > 0) or strpos(lower(repositories.description collate "und-x-icu"), lower(? collate "und-x-icu")) > 0)
  and visible_repositories;

-- uid=1
select count(*) as total
from repositories
where (repositories.owner_id = ? or ((repositories.id in (
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
      and open.is_private = 0) and not exists (
    select 1
    from organization_members
    where organization_members.organization_id = repositories.owner_id
      and organization_members.user_id = ?
      and organization_members.is_public = 0)) and exists (
    select users.id
    from users
    where users.id = ?
      and listed_users)))
  and visible_repositories;

-- priority_owner_id=1
select repositories.id
from repositories
where visible_repositories
order by case when repositories.owner_id = ? then 0 else 1 end asc, repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- team_id=1
select count(*) as total
from repositories
where exists (
    select team_repositories.team_id
    from team_repositories
    where team_repositories.repository_id = repositories.id
      and team_repositories.team_id = ?)
  and exists (
    select teams.id
    from teams
    where teams.id = ?
      and visible_teams)
  and visible_repositories;

-- starredBy=1
select count(*) as total
from repositories
where repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and exists (
    select users.id
    from users
    where users.id = ?
      and listed_users)
  and visible_repositories;

-- private=false
select count(*) as total
from repositories
where (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and owner.visibility = 'public'))
  and visible_repositories;
select repositories.id
from repositories
where (repositories.is_private = 0 and exists (
    select 1
    from users as owner
    where owner.id = repositories.owner_id
      and owner.visibility = 'public'))
  and visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- is_private=true
select count(*) as total
from repositories
where repositories.is_private = ?
  and visible_repositories;

-- is_private=false
select repositories.id
from repositories
where repositories.is_private = ?
  and visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- template=true
select count(*) as total
from repositories
where repositories.is_template = ?
  and visible_repositories;

-- template=false
select repositories.id
from repositories
where repositories.is_template = ?
  and visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- archived=true
select count(*) as total
from repositories
where repositories.is_archived = ?
  and visible_repositories;

-- archived=false
select repositories.id
from repositories
where repositories.is_archived = ?
  and visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- mode=fork
select count(*) as total
from repositories
where repositories.fork_of_id is not null
  and visible_repositories;

-- mode=source
select count(*) as total
from repositories
where not repositories.fork_of_id is not null
  and repositories.is_mirror = ?
  and visible_repositories;
select repositories.id
from repositories
where not repositories.fork_of_id is not null
  and repositories.is_mirror = ?
  and visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- mode=mirror
select count(*) as total
from repositories
where repositories.is_mirror = ?
  and visible_repositories;

-- mode=collaborative
select repositories.id
from repositories
where repositories.is_mirror = ?
  and visible_repositories
order by repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- uid=1&exclusive=true
select count(*) as total
from repositories
where repositories.owner_id = ?
  and visible_repositories;

-- sort=alpha
select repositories.id
from repositories
where visible_repositories
order by (
    select lower_name
    from users
    where users.id = repositories.owner_id) asc, repositories.lower_name asc, repositories.id asc
limit ? offset ?;

-- sort=created
select repositories.id
from repositories
where visible_repositories
order by repositories.created_at asc, repositories.id asc
limit ? offset ?;

-- sort=updated
select repositories.id
from repositories
where visible_repositories
order by repositories.updated_at asc, repositories.id asc
limit ? offset ?;

-- sort=size
select repositories.id
from repositories
where visible_repositories
order by (repositories.git_size + repositories.lfs_size) asc, repositories.id asc
limit ? offset ?;

-- sort=git_size
select repositories.id
from repositories
where visible_repositories
order by repositories.git_size asc, repositories.id asc
limit ? offset ?;

-- sort=lfs_size
select repositories.id
from repositories
where visible_repositories
order by repositories.lfs_size asc, repositories.id asc
limit ? offset ?;

-- sort=id
select repositories.id
from repositories
where visible_repositories
order by repositories.id asc
limit ? offset ?;

-- sort=stars
select repositories.id
from repositories
where visible_repositories
order by repositories.stars_count asc, repositories.id asc
limit ? offset ?;

-- sort=forks
select repositories.id
from repositories
where visible_repositories
order by repositories.forks_count asc, repositories.id asc
limit ? offset ?;

-- sort=created&order=desc
select repositories.id
from repositories
where visible_repositories
order by repositories.created_at desc, repositories.id asc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/forks ===

-- without filters
select count(*) as total
from repositories
where repositories.fork_of_id = ?
  and visible_repositories;
select repositories.id
from repositories
where repositories.fork_of_id = ?
  and visible_repositories
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /repos/{owner}/{repo}/commits ===

-- without filters
-- prepared: commits.findByAddresses

-- === GET /repos/{owner}/{repo}/branches ===

-- without filters
-- prepared: branches.countAll
-- prepared: branches.findPage
-- prepared: protections.findRules
-- prepared: commits.findByAddresses

-- q=a
-- prepared: branches.searchPage
-- prepared: branches.countFound

-- === GET /repos/{owner}/{repo}/statuses/{sha} ===

-- without filters
select count(*) as total
from commit_statuses
where repository_id = ?
  and commit_id = ?;
select *
from commit_statuses
where repository_id = ?
  and commit_id = ?
order by number desc
limit ? offset ?;

-- sort=oldest
select *
from commit_statuses
where repository_id = ?
  and commit_id = ?
order by number asc
limit ? offset ?;

-- state=pending
select count(*) as total
from commit_statuses
where repository_id = ?
  and commit_id = ?
  and state = ?;
select *
from commit_statuses
where repository_id = ?
  and commit_id = ?
  and state = ?
order by number desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/commits/{ref}/statuses ===

-- without filters
select count(*) as total
from commit_statuses
where repository_id = ?
  and commit_id = ?;
select *
from commit_statuses
where repository_id = ?
  and commit_id = ?
order by number desc
limit ? offset ?;

-- sort=oldest
select *
from commit_statuses
where repository_id = ?
  and commit_id = ?
order by number asc
limit ? offset ?;

-- state=pending
select count(*) as total
from commit_statuses
where repository_id = ?
  and commit_id = ?
  and state = ?;
select *
from commit_statuses
where repository_id = ?
  and commit_id = ?
  and state = ?
order by number desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/commits/{ref}/status ===

-- without filters
-- prepared: statuses.findLatest
-- prepared: repositories.findTransfers

-- === GET /repos/{owner}/{repo}/tags ===

-- without filters
-- prepared: tags.count
-- prepared: tags.list

-- === GET /repos/{owner}/{repo}/releases ===

-- without filters
select *
from releases
where repository_id = ?
order by created_at desc, sequence desc, id desc
limit ? offset ?;
select count(*) as total
from releases
where repository_id = ?;
-- prepared: attachments.findOfReleases

-- draft=true
select *
from releases
where repository_id = ?
  and is_draft = ?
order by created_at desc, sequence desc, id desc
limit ? offset ?;
select count(*) as total
from releases
where repository_id = ?
  and is_draft = ?;

-- pre-release=true
select *
from releases
where repository_id = ?
  and is_prerelease = ?
order by created_at desc, sequence desc, id desc
limit ? offset ?;
select count(*) as total
from releases
where repository_id = ?
  and is_prerelease = ?;

-- === GET /repos/{owner}/{repo}/collaborators ===

-- without filters
select count(*) as total
from collaborations
inner join users on users.id = collaborations.user_id
where collaborations.repository_id = ?;
select users.*, collaborations.mode as granted
from collaborations
inner join users on users.id = collaborations.user_id
where collaborations.repository_id = ?
order by collaborations.created_at, users.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/topics ===

-- === GET /topics/search ===

-- without filters
select count(*) as total
from topics
where instr(topics.name, ?) > 0
  and exists (
    select repository_topics.topic_id
    from repository_topics cross join repositories
    where repository_topics.topic_id = topics.id
      and repositories.id = repository_topics.repository_id
      and visible_repositories)
-- on PostgreSQL:
select count(*) as total
from topics
where strpos(topics.name, ?) > 0
  and exists (
    select repository_topics.topic_id
    from repository_topics cross join repositories
    where repository_topics.topic_id = topics.id
      and repositories.id = repository_topics.repository_id
      and visible_repositories);
select topics.id, topics.name, topics.created_at, topics.updated_at, count(*) as repositories
from topics cross join repository_topics
inner join repositories on repositories.id = repository_topics.repository_id
where instr(topics.name, ?) > 0
  and repository_topics.topic_id = topics.id
  and visible_repositories
group by topics.id, topics.name, topics.created_at, topics.updated_at
order by repositories desc, topics.name
limit ? offset ?
-- on PostgreSQL:
select topics.id, topics.name, topics.created_at, topics.updated_at, count(*) as repositories
from topics cross join repository_topics
inner join repositories on repositories.id = repository_topics.repository_id
where strpos(topics.name, ?) > 0
  and repository_topics.topic_id = topics.id
  and visible_repositories
group by topics.id, topics.name, topics.created_at, topics.updated_at
order by repositories desc, topics.name
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/stargazers ===

-- without filters
select stars_count - (
    select count(*)
    from users
    where users.visibility in ('limited', 'private')
      and exists (
        select 1
        from stars
        where stars.repository_id = ?
          and stars.user_id = users.id)
      and not listed_users) as total
from repositories
where id = ?;
select users.*
from stars
inner join users on users.id = stars.user_id
where stars.repository_id = ?
  and listed_users
order by stars.created_at, stars.user_id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/subscribers ===

-- without filters
select watchers_count - (
    select count(*)
    from users
    where users.visibility in ('limited', 'private')
      and exists (
        select 1
        from watches
        where watches.repository_id = ?
          and watches.user_id = users.id
          and watches.mode != 'declined')
      and not listed_users) as total
from repositories
where id = ?;
select users.*
from watches
inner join users on users.id = watches.user_id
where watches.repository_id = ?
  and watches.mode != ?
  and listed_users
order by watches.created_at, watches.user_id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/pulls ===

-- without filters
-- prepared: pulls.count
-- prepared: pulls.findNewest
-- prepared: pulls.findOfIssues
-- prepared: reviews.findLatest
-- prepared: reviews.findRequests
-- prepared: repositories.findTransfers
-- prepared: labels.findOfIssues
-- prepared: issues.findAssignees
-- prepared: milestones.findByIds

-- base_branch=a
select count(*) as total
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
  and exists (
    select pulls.id
    from pulls
    where pulls.issue_id = issues.id
      and pulls.base_branch = ?);

-- state=open
-- prepared: pulls.findNewestInState

-- state=closed
-- prepared: pulls.countInState

-- sort=oldest
select count(*) as total
from issues
where issues.repository_id = ?
  and issues.is_pull = ?;
select issues.id
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
order by issues.number asc
limit ? offset ?;
-- prepared: issues.findByIds

-- sort=recentupdate
-- prepared: pulls.findRecentlyUpdated

-- sort=recentclose
select issues.id
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
order by issues.closed_at desc, issues.number desc
limit ? offset ?;

-- sort=leastupdate
select issues.id
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
order by issues.updated_at asc, issues.number asc
limit ? offset ?;

-- sort=mostcomment
select issues.id
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
order by issues.comments_count desc, issues.number desc
limit ? offset ?;

-- sort=leastcomment
select issues.id
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
order by issues.comments_count asc, issues.number desc
limit ? offset ?;

-- sort=priority
select issues.id
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
order by issues.number desc
limit ? offset ?;

-- milestone=1
select count(*) as total
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
  and issues.milestone_id = ?;

-- poster=root
select count(*) as total
from issues
where issues.repository_id = ?
  and issues.is_pull = ?
  and issues.author_id = ?;

-- === GET /repos/{owner}/{repo}/pulls/{index}/files ===

-- without filters
-- prepared: pulls.findNow

-- === GET /repos/{owner}/{repo}/pulls/{index}/commits ===

-- without filters
-- prepared: pulls.findNow
-- prepared: commits.findByAddresses

-- === GET /repos/{owner}/{repo}/wiki/pages ===

-- without filters
-- prepared: wiki.find

-- === GET /repos/{owner}/{repo}/pulls/{index}/reviews ===

-- without filters
select count(*) as total
from reviews
where issue_id = ?
  and (state != ? or reviewer_id = ?);
select reviews.*, header.id as header_id, header.content, header.made_with, coalesce((
    select count(*) as total
    from review_comments
    where review_comments.review_id = reviews.id), 0) as comments_count
from reviews
left join comments as header on header.review_id = reviews.id
  and header.kind in (?, ?)
where reviews.id in (
    select reviews.id
    from reviews
    where issue_id = ?
      and (state != ? or reviewer_id = ?)
    order by created_at, id
    limit ? offset ?)
order by reviews.created_at, reviews.id;
-- prepared: repositories.findUsersByIds

-- === GET /repos/{owner}/{repo}/pulls/{index}/versions ===

-- without filters
-- prepared: stacks.findVersions
-- prepared: stacks.countVersions

-- === GET /repos/{owner}/{repo}/merge_queues/{branch} ===

-- without filters
-- prepared: protections.findRules
-- prepared: protections.findListed
-- prepared: queue.findOfBranch
-- prepared: queue.findOpenTrial
select count(*) as total
from merge_queue_entries as entry
where entry.queue_id = ?;
select entry.*, issues.number, issues.title
from merge_queue_entries as entry
inner join pulls on pulls.id = entry.pull_id
inner join issues on issues.id = pulls.issue_id
where entry.queue_id = ?
order by entry.priority desc, entry.id
limit ? offset ?;
-- prepared: queue.findEndedTrials
-- prepared: statuses.findLatest
-- prepared: repositories.findUsersByIds

-- === GET /repos/{owner}/{repo}/activities/feeds ===

-- without filters
select cast(coalesce(sum(groups.total), 0) as bigint) as total
from (
    select activity_totals.repository_id, activity_totals.unit, sum(activity_totals.total) as total
    from activity_totals
    where (activity_totals.is_hidden = 0 and activity_totals.repository_id = ? and activity_totals.receiver_id = activity_totals.actor_id and (activity_totals.actor_id = ? or exists (
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
where (activities.is_hidden = 0 and activities.repository_id = ? and activities.receiver_id = activities.actor_id and (activities.actor_id = ? or exists (
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

-- === GET /repos/{owner}/{repo}/times ===

-- without filters
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?);
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
order by tracked_times.id
limit ? offset ?;
-- prepared: issues.findByIds
-- prepared: labels.findOfIssues
-- prepared: issues.findAssigneeIds
-- prepared: issues.findAttachments
-- prepared: projects.findOfIssues

-- since=2020-02-20T20:20:20Z
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.updated_at > ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.updated_at > ?
order by tracked_times.id
limit ? offset ?;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.updated_at < ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.updated_at < ?
order by tracked_times.id
limit ? offset ?;

-- user=root
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.user_id = ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.user_id = ?
order by tracked_times.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/projects ===

-- without filters
select count(*) as total
from projects
where repository_id = ?
  and is_closed = ?;
select *
from projects
where repository_id = ?
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
where repository_id = ?;
select *
from projects
where repository_id = ?
order by id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/projects/{id}/columns ===

-- without filters
-- prepared: projects.find
-- prepared: projects.findColumns

-- === GET /repos/{owner}/{repo}/projects/{id}/columns/{column_id}/issues ===

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

-- === GET /repos/{owner}/{repo}/hooks ===

-- without filters
select count(*) as total
from webhooks
where repository_id = ?;
select *
from webhooks
where repository_id = ?
order by id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/hooks/{id}/deliveries ===

-- without filters
select *
from webhooks
where repository_id = ?
  and id = ?;
select count(*) as total
from webhook_deliveries
where webhook_id = ?;
select id, uuid, event, state, attempts, created_at, attempted_at, next_attempt_at, error
from webhook_deliveries
where webhook_id = ?
order by id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/actions/runs ===

-- without filters
select count(*) as total
from action_runs
where action_runs.repository_id = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
order by action_runs.id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers
-- prepared: actions.findLastAttempts
-- prepared: actions.findPullsOfBranches

-- event=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.event = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.event = ?
order by action_runs.id desc
limit ? offset ?;

-- branch=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.ref = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.ref = ?
order by action_runs.id desc
limit ? offset ?;

-- actor=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?);
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?)
order by action_runs.id desc
limit ? offset ?;

-- head_sha=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.commit_id = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.commit_id = ?
order by action_runs.id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/actions/jobs ===

-- without filters
select count(*) as total
from action_jobs
where repository_id = ?;
select *
from action_jobs
where repository_id = ?
order by id asc
limit ? offset ?;
-- prepared: actions.findRunsByIds
-- prepared: repositories.findByIds

-- === GET /repos/{owner}/{repo}/actions/runs/{run}/jobs ===

-- without filters
-- prepared: actions.findRun
select count(*) as total
from action_jobs
where run_id = ?
  and attempt = ?;
select *
from action_jobs
where run_id = ?
  and attempt = ?
order by id asc
limit ? offset ?;
-- prepared: actions.findRunsByIds
-- prepared: repositories.findByIds

-- === GET /repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}/jobs ===

-- without filters
-- prepared: actions.findRun
-- prepared: actions.findAttempt
select count(*) as total
from action_jobs
where run_id = ?
  and attempt = ?;
select *
from action_jobs
where run_id = ?
  and attempt = ?
order by id asc
limit ? offset ?;
-- prepared: actions.findRunsByIds
-- prepared: repositories.findByIds

-- === GET /repos/{owner}/{repo}/actions/tasks ===

-- without filters
select count(*) as total
from action_tasks
where action_tasks.repository_id = ?;
select action_tasks.*, action_jobs.name, action_runs.id as run_id, action_runs.number as run_number, action_runs.ref, action_runs.commit_id, action_runs.event, action_runs.title, action_runs.workflow
from action_tasks
inner join action_jobs on action_jobs.id = action_tasks.job_id
inner join action_runs on action_runs.id = action_jobs.run_id
where action_tasks.repository_id = ?
order by action_tasks.id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/actions/artifacts ===

-- without filters
select count(*) as total
from action_artifacts
where repository_id = ?;
select *
from action_artifacts
where repository_id = ?
order by id desc
limit ? offset ?;
-- prepared: actions.findRunsByIds
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers
-- prepared: actions.findLastAttempts

-- name=a
select count(*) as total
from action_artifacts
where repository_id = ?
  and name = ?;
select *
from action_artifacts
where repository_id = ?
  and name = ?
order by id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/actions/runs/{run}/artifacts ===

-- without filters
-- prepared: actions.findRun
select count(*) as total
from action_artifacts
where repository_id = ?
  and run_id = ?;
select *
from action_artifacts
where repository_id = ?
  and run_id = ?
order by id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers
-- prepared: actions.findLastAttempts

-- name=a
select count(*) as total
from action_artifacts
where repository_id = ?
  and run_id = ?
  and name = ?;
select *
from action_artifacts
where repository_id = ?
  and run_id = ?
  and name = ?
order by id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs ===

-- without filters
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.workflow = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.workflow = ?
order by action_runs.id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers
-- prepared: actions.findLastAttempts
-- prepared: actions.findPullsOfBranches

-- event=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.event = ?
  and action_runs.workflow = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.event = ?
  and action_runs.workflow = ?
order by action_runs.id desc
limit ? offset ?;

-- branch=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.ref = ?
  and action_runs.workflow = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.ref = ?
  and action_runs.workflow = ?
order by action_runs.id desc
limit ? offset ?;

-- actor=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?)
  and action_runs.workflow = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?)
  and action_runs.workflow = ?
order by action_runs.id desc
limit ? offset ?;

-- head_sha=a
select count(*) as total
from action_runs
where action_runs.repository_id = ?
  and action_runs.commit_id = ?
  and action_runs.workflow = ?;
select action_runs.*
from action_runs
where action_runs.repository_id = ?
  and action_runs.commit_id = ?
  and action_runs.workflow = ?
order by action_runs.id desc
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/actions/secrets ===

-- without filters
select count(*) as total
from action_secrets
where action_secrets.repository_id = ?;
select name, description, created_at
from action_secrets
where action_secrets.repository_id = ?
order by name
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/actions/variables ===

-- without filters
select count(*) as total
from action_variables
where action_variables.repository_id = ?;
select *
from action_variables
where action_variables.repository_id = ?
order by name
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/deleted ===

-- without filters
select count(*) as total
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and (kind in (?, ?, ?, ?, ?, ?, ?) or (kind = ? and author_id = ? and actor_id = ?));
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and (kind in (?, ?, ?, ?, ?, ?, ?) or (kind = ? and author_id = ? and actor_id = ?))
order by id desc
limit ? offset ?;

-- kind=issue
select count(*) as total
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and kind in (?);
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and kind in (?)
order by id desc
limit ? offset ?;

-- kind=comment
select count(*) as total
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and (kind in (?) or (kind = ? and author_id = ? and actor_id = ?));
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and (kind in (?) or (kind = ? and author_id = ? and actor_id = ?))
order by id desc
limit ? offset ?;

-- kind=repository
select count(*) as total
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and 1 = 0;
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where created_at >= ?
  and repository_id = ?
  and kind <> ?
  and 1 = 0
order by id desc
limit ? offset ?;
