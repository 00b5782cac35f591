-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- === GET /admin/tokens ===

-- without filters
select count(*) as total
from access_tokens
inner join users on users.id = access_tokens.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(access_tokens.name), fold(?)) > 0 or access_tokens.last_eight = ?)
-- on PostgreSQL:
select count(*) as total
from access_tokens
inner join users on users.id = access_tokens.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(access_tokens.name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or access_tokens.last_eight = ?);
select access_tokens.*, users.name as user_name
from access_tokens
inner join users on users.id = access_tokens.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(access_tokens.name), fold(?)) > 0 or access_tokens.last_eight = ?)
order by access_tokens.last_used_at desc, access_tokens.id desc
limit ? offset ?
-- on PostgreSQL:
select access_tokens.*, users.name as user_name
from access_tokens
inner join users on users.id = access_tokens.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(access_tokens.name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or access_tokens.last_eight = ?)
order by access_tokens.last_used_at desc, access_tokens.id desc
limit ? offset ?;
select chosen.token_id, owner.name as owner, repositories.name
from access_token_repositories as chosen
inner join repositories on repositories.id = chosen.repository_id
inner join users as owner on owner.id = repositories.owner_id
where chosen.token_id in ?
  and repositories.owner_id <> -3
order by owner.lower_name, repositories.lower_name;

-- never_expires=true
select count(*) as total
from access_tokens
inner join users on users.id = access_tokens.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(access_tokens.name), fold(?)) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at = ?
-- on PostgreSQL:
select count(*) as total
from access_tokens
inner join users on users.id = access_tokens.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(access_tokens.name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at = ?;
select access_tokens.*, users.name as user_name
from access_tokens
inner join users on users.id = access_tokens.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(access_tokens.name), fold(?)) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at = ?
order by access_tokens.last_used_at desc, access_tokens.id desc
limit ? offset ?
-- on PostgreSQL:
select access_tokens.*, users.name as user_name
from access_tokens
inner join users on users.id = access_tokens.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(access_tokens.name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at = ?
order by access_tokens.last_used_at desc, access_tokens.id desc
limit ? offset ?;

-- never_expires=false
select count(*) as total
from access_tokens
inner join users on users.id = access_tokens.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(access_tokens.name), fold(?)) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at > ?
-- on PostgreSQL:
select count(*) as total
from access_tokens
inner join users on users.id = access_tokens.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(access_tokens.name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at > ?;
select access_tokens.*, users.name as user_name
from access_tokens
inner join users on users.id = access_tokens.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(access_tokens.name), fold(?)) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at > ?
order by access_tokens.last_used_at desc, access_tokens.id desc
limit ? offset ?
-- on PostgreSQL:
select access_tokens.*, users.name as user_name
from access_tokens
inner join users on users.id = access_tokens.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(access_tokens.name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or access_tokens.last_eight = ?)
  and access_tokens.expires_at > ?
order by access_tokens.last_used_at desc, access_tokens.id desc
limit ? offset ?;

-- === GET /admin/users ===

-- without filters
select count(*) as total
from users
where users.kind = ?;
select users.*
from users
where users.kind = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- q=a
select count(*) as total
from users
where users.kind = ?
  and (instr(users.lower_name, ?) > 0 or instr(fold(users.full_name), fold(?)) > 0 or (true and instr(fold(users.email), fold(?)) > 0))
-- on PostgreSQL:
select count(*) as total
from users
where users.kind = ?
  and (strpos(users.lower_name, ?) > 0 or strpos(lower(users.full_name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or (true and strpos(lower(users.email collate "und-x-icu"), lower(? collate "und-x-icu")) > 0));
select users.*
from users
where users.kind = ?
  and (instr(users.lower_name, ?) > 0 or instr(fold(users.full_name), fold(?)) > 0 or (true and instr(fold(users.email), fold(?)) > 0))
order by users.lower_name asc, users.id
limit ? offset ?
-- on PostgreSQL:
select users.*
from users
where users.kind = ?
  and (strpos(users.lower_name, ?) > 0 or strpos(lower(users.full_name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or (true and strpos(lower(users.email collate "und-x-icu"), lower(? collate "und-x-icu")) > 0))
order by users.lower_name asc, users.id
limit ? offset ?;

-- source_id=1
select count(*) as total
from users
where users.kind = ?
  and users.source_id = ?;
select users.*
from users
where users.kind = ?
  and users.source_id = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- login_name=a
select count(*) as total
from users
where users.kind = ?
  and users.login_name = ?;
select users.*
from users
where users.kind = ?
  and users.login_name = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- visibility=public
select count(*) as total
from users
where users.kind = ?
  and users.visibility = ?;
select users.*
from users
where users.kind = ?
  and users.visibility = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- is_active=true
select count(*) as total
from users
where users.kind = ?
  and users.is_active = ?;
select users.*
from users
where users.kind = ?
  and users.is_active = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- is_admin=true
select count(*) as total
from users
where users.kind = ?
  and users.is_admin = ?;
select users.*
from users
where users.kind = ?
  and users.is_admin = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- is_restricted=true
select count(*) as total
from users
where users.kind = ?
  and users.is_restricted = ?;
select users.*
from users
where users.kind = ?
  and users.is_restricted = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- is_2fa_enabled=true
select count(*) as total
from users
where users.kind = ?
  and exists (
    select two_factors.user_id
    from two_factors
    where two_factors.user_id = users.id);
select users.*
from users
where users.kind = ?
  and exists (
    select two_factors.user_id
    from two_factors
    where two_factors.user_id = users.id)
order by users.lower_name asc, users.id
limit ? offset ?;

-- is_2fa_enabled=false
select count(*) as total
from users
where users.kind = ?
  and not exists (
    select two_factors.user_id
    from two_factors
    where two_factors.user_id = users.id);
select users.*
from users
where users.kind = ?
  and not exists (
    select two_factors.user_id
    from two_factors
    where two_factors.user_id = users.id)
order by users.lower_name asc, users.id
limit ? offset ?;

-- is_prohibit_login=true
select count(*) as total
from users
where users.kind = ?
  and users.prohibit_login = ?;
select users.*
from users
where users.kind = ?
  and users.prohibit_login = ?
order by users.lower_name asc, users.id
limit ? offset ?;

-- sort=created
select users.*
from users
where users.kind = ?
order by users.created_at asc, users.id
limit ? offset ?;

-- sort=updated
select users.*
from users
where users.kind = ?
order by users.updated_at asc, users.id
limit ? offset ?;

-- sort=id
select users.*
from users
where users.kind = ?
order by users.id asc, users.id
limit ? offset ?;

-- sort=created&order=desc
select users.*
from users
where users.kind = ?
order by users.created_at desc, users.id
limit ? offset ?;

-- === GET /admin/emails ===

-- without filters
select count(*) as total
from emails
inner join users on users.id = emails.user_id;
select emails.email, emails.is_activated, emails.is_primary, emails.user_id, users.name
from emails
inner join users on users.id = emails.user_id
order by emails.lower_email
limit ? offset ?;

-- === GET /admin/emails/search ===

-- without filters
select count(*) as total
from emails
inner join users on users.id = emails.user_id;
select emails.email, emails.is_activated, emails.is_primary, emails.user_id, users.name
from emails
inner join users on users.id = emails.user_id
order by emails.lower_email
limit ? offset ?;

-- q=a
select count(*) as total
from emails
inner join users on users.id = emails.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(users.full_name), fold(?)) > 0 or instr(fold(emails.email), fold(?)) > 0)
-- on PostgreSQL:
select count(*) as total
from emails
inner join users on users.id = emails.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(users.full_name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or strpos(lower(emails.email collate "und-x-icu"), lower(? collate "und-x-icu")) > 0);
select emails.email, emails.is_activated, emails.is_primary, emails.user_id, users.name
from emails
inner join users on users.id = emails.user_id
where (instr(users.lower_name, ?) > 0 or instr(fold(users.full_name), fold(?)) > 0 or instr(fold(emails.email), fold(?)) > 0)
order by emails.lower_email
limit ? offset ?
-- on PostgreSQL:
select emails.email, emails.is_activated, emails.is_primary, emails.user_id, users.name
from emails
inner join users on users.id = emails.user_id
where (strpos(users.lower_name, ?) > 0 or strpos(lower(users.full_name collate "und-x-icu"), lower(? collate "und-x-icu")) > 0 or strpos(lower(emails.email collate "und-x-icu"), lower(? collate "und-x-icu")) > 0)
order by emails.lower_email
limit ? offset ?;

-- === GET /admin/orgs ===

-- without filters
select count(*) as total
from users
where kind = ?
  and 1 = 1;
select *
from users
where kind = ?
  and 1 = 1
order by lower_name
limit ? offset ?;

-- === GET /admin/users/{username}/orgs ===

-- without filters
select count(*) as total
from users
where kind = ?
  and (exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?
      and organization_members.is_public >= ?) and 1 = 1);
select *
from users
where kind = ?
  and (exists (
    select 1
    from organization_members
    where organization_members.organization_id = users.id
      and organization_members.user_id = ?
      and organization_members.is_public >= ?) and 1 = 1)
order by lower_name
limit ? offset ?;

-- === GET /admin/imports/people ===

-- without filters
select imported_people.*, users.name as user_name, (
    select count(*)
    from imported_items
    where imported_items.person_id = imported_people.id
      and imported_items.person_id > 0) + (
    select count(*)
    from imported_reactions
    where imported_reactions.person_id = imported_people.id) as waiting
from imported_people
left join users on users.id = imported_people.user_id
order by imported_people.host, imported_people.login, imported_people.id
limit ? offset ?;
select count(*) as total
from imported_people;

-- q=a
select imported_people.*, users.name as user_name, (
    select count(*)
    from imported_items
    where imported_items.person_id = imported_people.id
      and imported_items.person_id > 0) + (
    select count(*)
    from imported_reactions
    where imported_reactions.person_id = imported_people.id) as waiting
from imported_people
left join users on users.id = imported_people.user_id
where lower(imported_people.login) like ? escape '\'
order by imported_people.host, imported_people.login, imported_people.id
limit ? offset ?;
select count(*) as total
from imported_people
where lower(imported_people.login) like ? escape '\';

-- open=true
select imported_people.*, users.name as user_name, (
    select count(*)
    from imported_items
    where imported_items.person_id = imported_people.id
      and imported_items.person_id > 0) + (
    select count(*)
    from imported_reactions
    where imported_reactions.person_id = imported_people.id) as waiting
from imported_people
left join users on users.id = imported_people.user_id
where imported_people.user_id = ?
order by imported_people.host, imported_people.login, imported_people.id
limit ? offset ?;
select count(*) as total
from imported_people
where imported_people.user_id = ?;

-- === GET /admin/hooks ===

-- without filters
select count(*) as total
from webhooks
where repository_id is null
  and owner_id is null
  and is_system = ?;
select *
from webhooks
where repository_id is null
  and owner_id is null
  and is_system = ?
order by id
limit ? offset ?;

-- type=all
select count(*) as total
from webhooks
where repository_id is null
  and owner_id is null;
select *
from webhooks
where repository_id is null
  and owner_id is null
order by id
limit ? offset ?;

-- === GET /admin/hooks/{id}/deliveries ===

-- without filters
select *
from webhooks
where repository_id is null
  and owner_id is null
  and id = ?;
select count(*) as total
from webhook_deliveries
where webhook_id = ?;
select id, uuid, event, state, attempts, created_at, attempted_at, next_attempt_at, error
from webhook_deliveries
where webhook_id = ?
order by id desc
limit ? offset ?;

-- === GET /admin/actions/runs ===

-- without filters
select count(*) as total
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?);
select action_runs.*
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
order by action_runs.id desc
limit ? offset ?;
-- prepared: repositories.findByIds
-- prepared: repositories.findTransfers
-- prepared: actions.findLastAttempts
-- prepared: actions.findPullsOfBranches

-- event=a
select count(*) as total
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.event = ?;
select action_runs.*
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.event = ?
order by action_runs.id desc
limit ? offset ?;

-- branch=a
select count(*) as total
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.ref = ?;
select action_runs.*
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.ref = ?
order by action_runs.id desc
limit ? offset ?;

-- actor=a
select count(*) as total
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?);
select action_runs.*
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.actor_id in (
    select users.id
    from users
    where users.lower_name = ?)
order by action_runs.id desc
limit ? offset ?;

-- head_sha=a
select count(*) as total
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.commit_id = ?;
select action_runs.*
from action_runs
where action_runs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
  and action_runs.commit_id = ?
order by action_runs.id desc
limit ? offset ?;

-- === GET /admin/actions/jobs ===

-- without filters
select count(*) as total
from action_jobs
where action_jobs.repository_id not in (
    select id
    from repositories
    where owner_id = ?);
select *
from action_jobs
where action_jobs.repository_id not in (
    select id
    from repositories
    where owner_id = ?)
order by id asc
limit ? offset ?;
-- prepared: actions.findRunsByIds
-- prepared: repositories.findByIds
-- prepared: repositories.findUsersByIds

-- === GET /admin/cron ===

-- without filters
-- prepared: schedule.list

-- === GET /admin/audit ===

-- without filters
select count(*) as total
from deeds;
select *
from deeds
order by id desc
limit ? offset ?;

-- administrator=a
select count(*) as total
from deeds
where administrator_name = ?;
select *
from deeds
where administrator_name = ?
order by id desc
limit ? offset ?;

-- operation=a
select count(*) as total
from deeds
where operation = ?;
select *
from deeds
where operation = ?
order by id desc
limit ? offset ?;

-- account=a
select count(*) as total
from deeds
where account_name = ?;
select *
from deeds
where account_name = ?
order by id desc
limit ? offset ?;

-- since=2020-02-20T20:20:20Z
select count(*) as total
from deeds
where created_at >= ?;
select *
from deeds
where created_at >= ?
order by id desc
limit ? offset ?;

-- before=2020-02-20T20:20:20Z
select count(*) as total
from deeds
where created_at <= ?;
select *
from deeds
where created_at <= ?
order by id desc
limit ? offset ?;

-- === GET /admin/unadopted ===

-- without filters
-- prepared: adoption.findAccounts
-- prepared: adoption.findKnown

-- === GET /admin/deleted ===

-- without filters
select count(*) as total
from deletions
where created_at >= ?;
select id, kind, owner_id, repository_id, issue_id, subject_id, number, name, author_id, actor_id, commit_id, row_bytes, file_bytes, created_at
from deletions
where created_at >= ?
order by id desc
limit ? offset ?;
-- prepared: repositories.findUsersByIds
