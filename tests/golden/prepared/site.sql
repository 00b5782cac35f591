-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- site.countPeople
select count(*) as total, count(*) filter(where last_login_at >= ?) as half_year, count(*) filter(where last_login_at >= ?) as month
from users
where kind = ?
  and is_active = ?
  and prohibit_login = ?;
