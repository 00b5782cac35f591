-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- authentication.countTokensOf
select count(*) as total
from access_tokens
where user_id = ?;

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
select users.*, access_tokens.id as token_id, access_tokens.scopes as token_scopes, access_tokens.last_used_at as token_last_used_at
from access_tokens
inner join users on users.id = access_tokens.user_id
where access_tokens.digest = ?;

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
where kind = ?
  and (lower_name = ? or id in (
    select user_id
    from emails
    where lower_email = ?
      and is_activated = ?));
