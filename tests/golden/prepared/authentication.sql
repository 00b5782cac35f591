-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- authentication.countRecoveryCodes
select count(*) as total
from recovery_codes
where user_id = ?;

-- authentication.countTokensOf
select count(*) as total
from access_tokens
where user_id = ?;

-- authentication.countTry
insert into guesses(kind, subject, tries, wait_seconds, tried_at)
values (?, ?, ?, ?, ?) on conflict (kind, subject) do update
set tries = guesses.tries + ?, tried_at = ?, wait_seconds = case when guesses.tries + ? < ? then 0 when guesses.wait_seconds = ? then ? when guesses.wait_seconds * ? > ? then ? else guesses.wait_seconds * ? end
where (guesses.wait_seconds = ? or guesses.tried_at + guesses.wait_seconds <= ?)
returning wait_seconds;

-- authentication.deleteFailures
delete from deeds
where failure_key is not null
  and created_at < ?;

-- authentication.deleteGuesses
delete from guesses
where kind = ?
  and subject = ?;

-- authentication.deleteOldSignInAddresses
delete from sign_in_addresses
where seen_at < ?;

-- authentication.deleteOldTickets
delete from used_tickets
where expires_at <= ?;

-- authentication.deleteRecoveryCode
delete from recovery_codes
where user_id = ?
  and digest = ?;

-- authentication.deleteRecoveryCodes
delete from recovery_codes
where user_id = ?;

-- authentication.deleteRestingGuesses
delete from guesses
where tried_at < ?;

-- authentication.findApplicationToken
select users.*, oauth2_tokens.id as token_id, oauth2_tokens.scopes as token_scopes, oauth2_grants.id as grant_id, oauth2_grants.application_id as application_id, oauth2_grants.last_used_at as grant_last_used_at
from oauth2_tokens
inner join oauth2_authorizations on oauth2_authorizations.id = oauth2_tokens.authorization_id
inner join oauth2_grants on oauth2_grants.id = oauth2_authorizations.grant_id
inner join users on users.id = oauth2_grants.user_id
where oauth2_tokens.digest = ?
  and oauth2_tokens.kind = ?
  and oauth2_tokens.expires_at > ?;

-- authentication.findApplicationTokenById
select users.*, oauth2_tokens.scopes as token_scopes, oauth2_grants.application_id as application_id
from oauth2_tokens
inner join oauth2_authorizations on oauth2_authorizations.id = oauth2_tokens.authorization_id
inner join oauth2_grants on oauth2_grants.id = oauth2_authorizations.grant_id
inner join users on users.id = oauth2_grants.user_id
where oauth2_tokens.id = ?
  and oauth2_tokens.kind = ?
  and oauth2_tokens.expires_at > ?;

-- authentication.findApplicationTokensByIds
select oauth2_tokens.id, oauth2_tokens.scopes, oauth2_grants.user_id, oauth2_grants.application_id
from oauth2_tokens
inner join oauth2_authorizations on oauth2_authorizations.id = oauth2_tokens.authorization_id
inner join oauth2_grants on oauth2_grants.id = oauth2_authorizations.grant_id
where oauth2_tokens.id in ?
  and oauth2_tokens.kind = ?
  and oauth2_tokens.expires_at > ?;

-- authentication.findCallers
select *
from users
where id in ?;

-- authentication.findChosen
select repository_id as id, 0 as is_owner
from access_token_repositories
where token_id = ?
union all select owner_id as id, 1 as is_owner
from access_token_owners
where token_id = ?;

-- authentication.findChosenOfMany
select token_id, repository_id as id, 0 as is_owner
from access_token_repositories
where token_id in ?
union all select token_id, owner_id as id, 1 as is_owner
from access_token_owners
where token_id in ?;

-- authentication.findChosenOwners
select chosen.token_id, owner.name
from access_token_owners as chosen
inner join users as owner on owner.id = chosen.owner_id
where chosen.token_id in ?
order by owner.lower_name;

-- authentication.findExpiringTokens
select *
from access_tokens
where expires_at > 0
  and expires_at > ?
  and expires_at <= ?
  and ((expires_at - 604800 <= ? and expiry_told <= 0) or (expires_at - 86400 <= ? and expiry_told <= 1))
order by id
limit ?;

-- authentication.findGuesses
select tried_at, wait_seconds
from guesses
where kind = ?
  and subject = ?;

-- authentication.findLongExpiredTokens
select id, user_id
from access_tokens
where expires_at > 0
  and expires_at <= ?
order by id
limit ?;

-- authentication.findSignInAddress
select seen_at
from sign_in_addresses
where user_id = ?
  and digest = ?;

-- authentication.findTokenById
select *
from access_tokens
where id = ?;

-- authentication.findTokenByName
select *
from access_tokens
where user_id = ?
  and name = ?;

-- authentication.findTokenOwner
select users.*, access_tokens.id as token_id, access_tokens.scopes as token_scopes, access_tokens.last_used_at as token_last_used_at, access_tokens.is_limited as token_is_limited, access_tokens.expires_at as token_expires_at, access_tokens.name as token_name, access_tokens.is_task as token_is_task, access_tokens.writes as token_writes, access_tokens.branches as token_branches, access_tokens.operations as token_operations
from access_tokens
inner join users on users.id = access_tokens.user_id
where access_tokens.digest = ?;

-- authentication.findTokensByIds
select id, user_id, name, scopes, is_limited, expires_at, is_task, branches, operations, writes
from access_tokens
where id in ?;

-- authentication.findTokensOf
select *
from access_tokens
where user_id = ?
order by id desc
limit ? offset ?;

-- authentication.findTwoFactor
select *
from two_factors
where user_id = ?;

-- authentication.findUserByLogin
select *
from users
where id in (
    select named.id
    from users as named
    where named.lower_name = ?
    union select user_id as id
    from emails
    where lower_email = ?
      and is_activated = ?)
  and kind = ?;

-- authentication.noteExpiryTold
update access_tokens
set expiry_told = ?
where id = ?;

-- authentication.noteFailure
insert into deeds(administrator_id, administrator_name, acting_as, operation, path, status, ip, created_at, account_name, times, failure_key)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (failure_key) do update
set times = deeds.times + ?;

-- authentication.noteTicketUse
insert into used_tickets(id, expires_at)
values (?, ?) on conflict (id) do nothing;

-- authentication.saveSignInAddress
insert into sign_in_addresses(user_id, digest, seen_at)
values (?, ?, ?) on conflict (user_id, digest) do update
set seen_at = ?;

-- authentication.touchGrant
update oauth2_grants
set last_used_at = ?
where id = ?
  and last_used_at <= ?;

-- authentication.trimSignInAddresses
delete from sign_in_addresses
where user_id = ?
  and digest not in (
    select kept.digest
    from sign_in_addresses as kept
    where kept.user_id = ?
    order by kept.seen_at desc, kept.digest
    limit ?);
