-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- users.countOtherAdministrators
select count(*) as total
from users
where kind = ?
  and is_admin = ?
  and is_active = ?
  and prohibit_login = ?
  and id != ?;

-- users.deleteSessionsOf
delete from sessions
where user_id = ?;

-- users.dropUnconfirmed
delete from emails
where lower_email = ?
  and is_activated = ?
  and is_primary = ?
  and user_id != ?;

-- users.findAddress
select *
from emails
where lower_email = ?;

-- users.findAddressesOf
select *
from emails
where user_id = ?
order by is_primary desc, id;

-- users.findBadgesBySlug
select *
from badges
where slug in ?;

-- users.findBadgesOf
select badges.*
from user_badges
inner join badges on badges.id = user_badges.badge_id
where user_badges.user_id = ?
order by badges.id;

-- users.findFollow
select created_at
from follows
where follower_id = ?
  and followed_id = ?;

-- users.letAddressCount
update emails
set is_activated = ?
where id = ?;

-- users.letPrimaryAddressCount
update emails
set is_activated = ?
where user_id = ?
  and is_primary = ?;

-- users.renewHash
update users
set password_hash = ?
where id = ?
  and password_hash = ?;
