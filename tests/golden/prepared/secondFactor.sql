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

-- secondFactor.letGoWithout
update users
set second_factor_due_at = ?
where id = ?;

-- secondFactor.note
update users
set has_second_factor = case when exists (
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
    where passkeys.user_id = users.id) then 1 else 0 end
where kind = ?
  and has_second_factor != case when exists (
    select 1
    from two_factors
    where two_factors.user_id = users.id) or exists (
    select 1
    from passkeys
    where passkeys.user_id = users.id) then 1 else 0 end;
