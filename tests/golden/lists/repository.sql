-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /repos/search ===

-- without filters
select count(*) as total
from repositories
where visible_repositories;
select repositories.id
from repositories
where visible_repositories
order by repositories.lower_name, repositories.id
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- q=a
select count(*) as total
from repositories
where visible_repositories
  and (exists (
    select topics.id
    from repository_topics
    inner join topics on topics.id = repository_topics.topic_id
    where repository_topics.repository_id = repositories.id
      and instr(topics.name, ?) > 0) or instr(repositories.lower_name, ?) > 0)
-- on PostgreSQL:
select count(*) as total
from repositories
where visible_repositories
  and (exists (
    select topics.id
    from repository_topics
    inner join topics on topics.id = repository_topics.topic_id
    where repository_topics.repository_id = repositories.id
      and strpos(topics.name, ?) > 0) or strpos(repositories.lower_name, ?) > 0);

-- q=a&topic=true
select count(*) as total
from repositories
where visible_repositories
  and exists (
    select topics.id
    from repository_topics
    inner join topics on topics.id = repository_topics.topic_id
    where repository_topics.repository_id = repositories.id
      and topics.name = ?);

-- q=a&includeDesc=true
select count(*) as total
from repositories
where visible_repositories
  and (exists (
    select topics.id
    from repository_topics
    inner join topics on topics.id = repository_topics.topic_id
    where repository_topics.repository_id = repositories.id
      and instr(topics.name, ?) > 0) or instr(repositories.lower_name, ?) > 0 or instr(fold(repositories.description), fold(?)) > 0)
-- on PostgreSQL:
select count(*) as total
from repositories
where visible_repositories
  and (exists (
    select topics.id
    from repository_topics
    inner join topics on topics.id = repository_topics.topic_id
    where repository_topics.repository_id = repositories.id
      and strpos(topics.name, ?) > 0) or strpos(repositories.lower_name, ?) > 0 or strpos(lower(repositories.description collate "und-x-icu"), lower(? collate "und-x-icu")) > 0);

-- uid=1
select count(*) as total
from repositories
where visible_repositories
  and (repositories.owner_id = ? or ((repositories.id in (
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
      and open.is_private = 0) and not exists (
    select 1
    from organization_members
    where organization_members.organization_id = repositories.owner_id
      and organization_members.user_id = ?
      and organization_members.is_public = 0)) and exists (
    select users.id
    from users
    where users.id = ?
      and listed_users)));

-- priority_owner_id=1
select repositories.id
from repositories
where visible_repositories
order by case when repositories.owner_id = ? then 0 else 1 end, repositories.lower_name, repositories.id
limit ? offset ?;

-- team_id=1
select count(*) as total
from repositories
where visible_repositories
  and exists (
    select team_repositories.team_id
    from team_repositories
    where team_repositories.repository_id = repositories.id
      and team_repositories.team_id = ?)
  and exists (
    select 1
    from teams join users on users.id = teams.organization_id
    where teams.id = ?
      and (exists (
        select 1
        from team_members as mine join teams as own on own.id = mine.team_id
        where mine.user_id = ?
          and mine.organization_id = teams.organization_id
          and (own.id = teams.id or own.mode >= ?)) or (teams.visibility = 'limited' and exists (
        select 1
        from organization_members as member
        where member.organization_id = teams.organization_id
          and member.user_id = ?)) or (teams.visibility = 'public' and visible_organizations)));

-- starredBy=1
select count(*) as total
from repositories
where visible_repositories
  and repositories.id in (
    select stars.repository_id
    from stars
    where stars.user_id = ?)
  and exists (
    select users.id
    from users
    where users.id = ?
      and listed_users);

-- private=false
select count(*) as total
from repositories
where visible_repositories
  and (repositories.is_private = ? and exists (
    select users.id
    from users
    where users.id = repositories.owner_id
      and users.visibility = ?));
select repositories.id
from repositories
where visible_repositories
  and (repositories.is_private = ? and exists (
    select users.id
    from users
    where users.id = repositories.owner_id
      and users.visibility = ?))
order by repositories.lower_name, repositories.id
limit ? offset ?;

-- is_private=true
select count(*) as total
from repositories
where visible_repositories
  and repositories.is_private = ?;

-- is_private=false
select repositories.id
from repositories
where visible_repositories
  and repositories.is_private = ?
order by repositories.lower_name, repositories.id
limit ? offset ?;

-- template=true
select count(*) as total
from repositories
where visible_repositories
  and repositories.is_template = ?;

-- template=false
select repositories.id
from repositories
where visible_repositories
  and repositories.is_template = ?
order by repositories.lower_name, repositories.id
limit ? offset ?;

-- archived=true
select count(*) as total
from repositories
where visible_repositories
  and repositories.is_archived = ?;

-- archived=false
select repositories.id
from repositories
where visible_repositories
  and repositories.is_archived = ?
order by repositories.lower_name, repositories.id
limit ? offset ?;

-- mode=fork
select count(*) as total
from repositories
where visible_repositories
  and repositories.fork_of_id is not null;

-- mode=source
select count(*) as total
from repositories
where visible_repositories
  and not repositories.fork_of_id is not null
  and repositories.is_mirror = ?;
select repositories.id
from repositories
where visible_repositories
  and not repositories.fork_of_id is not null
  and repositories.is_mirror = ?
order by repositories.lower_name, repositories.id
limit ? offset ?;

-- mode=mirror
select count(*) as total
from repositories
where visible_repositories
  and repositories.is_mirror = ?;

-- mode=collaborative
select repositories.id
from repositories
where visible_repositories
  and repositories.is_mirror = ?
order by repositories.lower_name, repositories.id
limit ? offset ?;

-- uid=1&exclusive=true
select count(*) as total
from repositories
where visible_repositories
  and repositories.owner_id = ?;

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
where visible_repositories
  and repositories.fork_of_id = ?;
select repositories.id
from repositories
where visible_repositories
  and repositories.fork_of_id = ?
order by repositories.id asc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers

-- === GET /repos/{owner}/{repo}/collaborators ===

-- without filters
select count(*) as total
from collaborations
inner join users on users.id = collaborations.user_id
where collaborations.repository_id = ?;
select users.*
from collaborations
inner join users on users.id = collaborations.user_id
where collaborations.repository_id = ?
order by collaborations.created_at, users.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/topics ===

-- === GET /topics/search ===

-- without filters
select count(distinct topics.id) as total
from topics cross join repository_topics
inner join repositories on repositories.id = repository_topics.repository_id
where repository_topics.topic_id = topics.id
  and visible_repositories
  and instr(topics.name, ?) > 0
-- on PostgreSQL:
select count(distinct topics.id) as total
from topics cross join repository_topics
inner join repositories on repositories.id = repository_topics.repository_id
where repository_topics.topic_id = topics.id
  and visible_repositories
  and strpos(topics.name, ?) > 0;
select topics.id, topics.name, topics.created_at, topics.updated_at, count(*) as repositories
from topics cross join repository_topics
inner join repositories on repositories.id = repository_topics.repository_id
where repository_topics.topic_id = topics.id
  and visible_repositories
  and instr(topics.name, ?) > 0
group by topics.id, topics.name, topics.created_at, topics.updated_at
order by repositories desc, topics.name
limit ? offset ?
-- on PostgreSQL:
select topics.id, topics.name, topics.created_at, topics.updated_at, count(*) as repositories
from topics cross join repository_topics
inner join repositories on repositories.id = repository_topics.repository_id
where repository_topics.topic_id = topics.id
  and visible_repositories
  and strpos(topics.name, ?) > 0
group by topics.id, topics.name, topics.created_at, topics.updated_at
order by repositories desc, topics.name
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/stargazers ===

-- without filters
select count(*) as total
from stars
inner join users on users.id = stars.user_id
where stars.repository_id = ?
  and listed_users;
select users.*
from stars
inner join users on users.id = stars.user_id
where stars.repository_id = ?
  and listed_users
order by stars.created_at, users.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/subscribers ===

-- without filters
select count(*) as total
from watches
inner join users on users.id = watches.user_id
where watches.repository_id = ?
  and watches.mode != ?
  and listed_users;
select users.*
from watches
inner join users on users.id = watches.user_id
where watches.repository_id = ?
  and watches.mode != ?
  and listed_users
order by watches.created_at, users.id
limit ? offset ?;

-- === GET /repos/{owner}/{repo}/activities/feeds ===

-- without filters
select cast(coalesce(sum(activity_totals.total), 0) as bigint) as total
from activity_totals
where (activity_totals.is_hidden = 0 and activity_totals.repository_id = ? and activity_totals.receiver_id = activity_totals.actor_id and (activity_totals.actor_id = ? or exists (
    select 1
    from users as doer
    where doer.id = activity_totals.actor_id
      and doer.hide_activity = 0
      and doer.visibility in ('public', 'limited'))) and exists (
    select 1
    from repositories
    where repositories.id = activity_totals.repository_id
      and (case activity_totals.unit when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then repositories.has_issues = 1 and repositories.external_tracker_url = '' when 'repo.pulls' then repositories.has_pull_requests = 1 else 1 = 1 end and (repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility in ('public', 'limited') or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or (exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= ? or (team_units.mode > ? and (activity_totals.unit = '' or team_units.unit = activity_totals.unit)))) or (exists (
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
          and (teams.mode >= ? or (team_units.mode > ?)))))))));
select activities.*
from activities
where (activities.is_hidden = 0 and activities.repository_id = ? and activities.receiver_id = activities.actor_id and (activities.actor_id = ? or exists (
    select 1
    from users as doer
    where doer.id = activities.actor_id
      and doer.hide_activity = 0
      and doer.visibility in ('public', 'limited'))) and exists (
    select 1
    from repositories
    where repositories.id = activities.repository_id
      and (case activities.unit when 'repo.code' then repositories.has_code = 1 when 'repo.issues' then repositories.has_issues = 1 and repositories.external_tracker_url = '' when 'repo.pulls' then repositories.has_pull_requests = 1 else 1 = 1 end and (repositories.owner_id = ? or (repositories.is_private = 0 and exists (
        select 1
        from users as owner
        where owner.id = repositories.owner_id
          and (owner.visibility in ('public', 'limited') or exists (
            select 1
            from organization_members
            where organization_members.organization_id = owner.id
              and organization_members.user_id = ?)))) or (exists (
        select 1
        from collaborations
        where collaborations.repository_id = repositories.id
          and collaborations.user_id = ?) or exists (
        select 1
        from team_repositories join team_members on team_members.team_id = team_repositories.team_id join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = repositories.id
          and team_members.user_id = ?
          and (teams.mode >= ? or (team_units.mode > ? and (activities.unit = '' or team_units.unit = activities.unit)))) or (exists (
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
          and (teams.mode >= ? or (team_units.mode > ?)))))))))
order by activities.created_at desc, activities.id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds
-- prepared: repositories.findTransfers
-- prepared: activity.findComments

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
-- prepared: issues.findAssignees
-- prepared: issues.findAttachments

-- since=2020-02-20T20:20:20Z
select count(*) as total
from tracked_times
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.created_at >= ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.created_at >= ?
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
  and tracked_times.created_at <= ?;
select tracked_times.*, users.name as user_name
from tracked_times
left join users on users.id = tracked_times.user_id
where tracked_times.is_deleted = ?
  and tracked_times.issue_id in (
    select id
    from issues
    where repository_id = ?)
  and tracked_times.created_at <= ?
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
