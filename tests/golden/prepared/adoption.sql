-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- adoption.findAccounts
select lower_name
from users
where lower_name in ?;

-- adoption.findKnown
select users.lower_name as owner, repositories.lower_name as name
from users
inner join repositories on repositories.owner_id = users.id
where users.lower_name in ?
  and repositories.lower_name in ?;
