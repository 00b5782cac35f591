-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- providers.deleteLink
delete from linked_accounts
where user_id = ?
  and id = ?;

-- providers.findLinkClosing
select closed_version
from linked_accounts
where provider = ?
  and subject = ?;

-- providers.findLinked
select users.*, linked_accounts.id as link_id
from linked_accounts
inner join users on users.id = linked_accounts.user_id
where linked_accounts.provider = ?
  and linked_accounts.subject = ?;

-- providers.findLinksOf
select id, provider, subject, label, created_at, last_used_at
from linked_accounts
where user_id = ?
order by id;

-- providers.noteLinkClosing
update linked_accounts
set closed_version = ?
where provider = ?
  and subject = ?;

-- providers.touchLink
update linked_accounts
set last_used_at = ?, label = ?
where id = ?;
