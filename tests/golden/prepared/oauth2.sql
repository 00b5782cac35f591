-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- oauth2.allowDevice
update oauth2_device_codes
set grant_id = ?, signed_in_at = ?
where id = ?
  and grant_id is null
  and is_denied = ?;

-- oauth2.countApplicationsOf
select count(*) as total
from oauth2_applications
where owner_id = ?;

-- oauth2.countDeviceCodes
select count(*) as total, count(case when network = ? then 1 end) as here
from oauth2_device_codes
where expires_at > ?;

-- oauth2.deleteAuthorization
delete from oauth2_authorizations
where id = ?;

-- oauth2.deleteDeviceCode
delete from oauth2_device_codes
where id = ?;

-- oauth2.deleteGrant
delete from oauth2_grants
where id = ?
  and user_id = ?;

-- oauth2.deleteOldAuthorizations
delete from oauth2_authorizations
where id in (
    select old.id
    from oauth2_authorizations as old
    where old.expires_at <= ?
    limit ?);

-- oauth2.deleteOldDeviceCodes
delete from oauth2_device_codes
where id in (
    select old.id
    from oauth2_device_codes as old
    where old.expires_at <= ?
    limit ?);

-- oauth2.deleteOldTokens
delete from oauth2_tokens
where id in (
    select old.id
    from oauth2_tokens as old
    where old.expires_at <= ?
    limit ?);

-- oauth2.deleteToken
delete from oauth2_tokens
where id = ?;

-- oauth2.denyDevice
update oauth2_device_codes
set is_denied = ?
where id = ?
  and grant_id is null
  and is_denied = ?;

-- oauth2.findApplicationByClient
select *
from oauth2_applications
where client_id = ?;

-- oauth2.findApplicationOf
select *
from oauth2_applications
where id = ?
  and owner_id = ?;

-- oauth2.findApplicationsOf
select *
from oauth2_applications
where owner_id = ?
order by id desc
limit ? offset ?;

-- oauth2.findCode
select oauth2_authorizations.*, oauth2_grants.application_id, oauth2_grants.user_id
from oauth2_authorizations
inner join oauth2_grants on oauth2_grants.id = oauth2_authorizations.grant_id
where oauth2_authorizations.code_digest = ?;

-- oauth2.findDeviceCode
select oauth2_device_codes.*, oauth2_grants.user_id
from oauth2_device_codes
left join oauth2_grants on oauth2_grants.id = oauth2_device_codes.grant_id
where oauth2_device_codes.device_digest = ?;

-- oauth2.findGrant
select *
from oauth2_grants
where user_id = ?
  and application_id = ?;

-- oauth2.findGrantById
select *
from oauth2_grants
where id = ?;

-- oauth2.findGrantsOf
select oauth2_grants.*, oauth2_applications.name as application_name, owners.name as owner_name
from oauth2_grants
inner join oauth2_applications on oauth2_applications.id = oauth2_grants.application_id
left join users as owners on owners.id = oauth2_applications.owner_id
where oauth2_grants.user_id = ?
order by oauth2_grants.application_id desc
limit ?;

-- oauth2.findGroupsOf
select users.name as organization, users.visibility, teams.lower_name as team
from organization_members
inner join users on users.id = organization_members.organization_id
left join team_members on team_members.organization_id = organization_members.organization_id
  and team_members.user_id = organization_members.user_id
left join teams on teams.id = team_members.team_id
where organization_members.user_id = ?
order by users.lower_name, teams.lower_name;

-- oauth2.findKey
select *
from oauth2_keys
where purpose = ?;

-- oauth2.findTokenWithGrant
select oauth2_tokens.*, oauth2_grants.application_id, oauth2_grants.user_id, oauth2_authorizations.scopes as granted_scopes, oauth2_authorizations.nonce, oauth2_authorizations.signed_in_at
from oauth2_tokens
inner join oauth2_authorizations on oauth2_authorizations.id = oauth2_tokens.authorization_id
inner join oauth2_grants on oauth2_grants.id = oauth2_authorizations.grant_id
where oauth2_tokens.digest = ?;

-- oauth2.findTypedCode
select oauth2_device_codes.id, application_id, scopes, network, oauth2_device_codes.created_at, name, owner_id
from oauth2_device_codes
inner join oauth2_applications on oauth2_applications.id = oauth2_device_codes.application_id
where expires_at > ?
  and grant_id is null
  and is_denied = ?
  and user_digest = ?;

-- oauth2.findWaitingCode
select oauth2_device_codes.id, application_id, scopes, network, oauth2_device_codes.created_at, name, owner_id
from oauth2_device_codes
inner join oauth2_applications on oauth2_applications.id = oauth2_device_codes.application_id
where expires_at > ?
  and grant_id is null
  and is_denied = ?
  and oauth2_device_codes.id = ?;

-- oauth2.markCodeUsed
update oauth2_authorizations
set code_used_at = ?, expires_at = ?
where id = ?
  and code_used_at = ?;

-- oauth2.markTokenUsed
update oauth2_tokens
set used_at = ?
where id = ?
  and used_at = ?;

-- oauth2.noteDevicePoll
update oauth2_device_codes
set polled_at = ?, interval_seconds = ?
where id = ?;

-- oauth2.prolongAuthorization
update oauth2_authorizations
set expires_at = ?
where id = ?;

-- oauth2.renewSecretDigest
update oauth2_applications
set secret_digest = ?
where id = ?
  and secret_digest = ?;
