-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- secondFactor.enforceDue
update users
set requires_second_factor = ?
where kind = ?
  and requires_second_factor = ?
  and second_factor_due_at > ?
  and second_factor_due_at <= ?;

-- secondFactor.findRequiring
select users.name, users.second_factor_due_at
from organization_members as member
inner join users on users.id = member.organization_id
where member.user_id = ?
  and users.second_factor_due_at > ?
order by users.lower_name;

-- secondFactor.findWhoLacks
select id
from users
where lacks_required_factor = 1
  and id in (
    select user_id
    from organization_members
    where organization_id = ?
    union select collaborations.user_id
    from repositories join collaborations on collaborations.repository_id = repositories.id
    where repositories.owner_id = ?)
  and id > ?
order by id
limit ?;

-- secondFactor.letGoWithout
update users
set second_factor_due_at = ?
where id = ?;

-- secondFactor.lockWhoLacks
select id
from users
where lacks_required_factor = 1
order by id
-- on PostgreSQL:
select id
from users
where lacks_required_factor = 1
order by id for no key update;

-- secondFactor.note
update users
set has_second_factor = case when exists (
    select 1
    from two_factors
    where two_factors.user_id = users.id) or exists (
    select 1
    from passkeys
    where passkeys.user_id = users.id) then 1 else 0 end, lacks_required_factor = 1 - case when exists (
    select 1
    from two_factors
    where two_factors.user_id = users.id) or exists (
    select 1
    from passkeys
    where passkeys.user_id = users.id) then 1 else 0 end
where id = ?;

-- secondFactor.noteAll
update users
set has_second_factor = case when exists (
    select 1
    from two_factors
    where two_factors.user_id = users.id) or exists (
    select 1
    from passkeys
    where passkeys.user_id = users.id) then 1 else 0 end, lacks_required_factor = 1 - case when exists (
    select 1
    from two_factors
    where two_factors.user_id = users.id) or exists (
    select 1
    from passkeys
    where passkeys.user_id = users.id) then 1 else 0 end
where kind = ?
  and has_second_factor != case when exists (
    select 1
    from two_factors
    where two_factors.user_id = users.id) or exists (
    select 1
    from passkeys
    where passkeys.user_id = users.id) then 1 else 0 end;

-- secondFactor.noteGrant
update users
set lacks_required_factor = ?
where id = ?
  and has_second_factor = ?
  and exists (
    select 1
    from users as organization
    where organization.id = ?
      and organization.kind = 'organization'
      and organization.second_factor_due_at > 0);

-- secondFactor.noteGrants
update users
set lacks_required_factor = ?
where has_second_factor = ?
  and id in (
    select user_id
    from organization_members
    where organization_id = ?
    union select collaborations.user_id
    from repositories join collaborations on collaborations.repository_id = repositories.id
    where repositories.owner_id = ?)
  and exists (
    select 1
    from users as organization
    where organization.id = ?
      and organization.kind = 'organization'
      and organization.second_factor_due_at > 0);

-- secondFactor.noteWhoLacks
update users
set lacks_required_factor = case when has_second_factor = 0
  and id in (
    select organization_members.user_id
    from users as organization join organization_members on organization_members.organization_id = organization.id
    where organization.kind = 'organization'
      and organization.second_factor_due_at > 0
    union select collaborations.user_id
    from users as organization join repositories on repositories.owner_id = organization.id join collaborations on collaborations.repository_id = repositories.id
    where organization.kind = 'organization'
      and organization.second_factor_due_at > 0) then 1 else 0 end
where kind = ?
  and lacks_required_factor != case when has_second_factor = 0
  and id in (
    select organization_members.user_id
    from users as organization join organization_members on organization_members.organization_id = organization.id
    where organization.kind = 'organization'
      and organization.second_factor_due_at > 0
    union select collaborations.user_id
    from users as organization join repositories on repositories.owner_id = organization.id join collaborations on collaborations.repository_id = repositories.id
    where organization.kind = 'organization'
      and organization.second_factor_due_at > 0) then 1 else 0 end;
