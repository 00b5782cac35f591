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
