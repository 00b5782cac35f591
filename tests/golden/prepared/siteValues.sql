-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- siteValues.drop
delete from site_values
where name = ?;

-- siteValues.find
select value
from site_values
where name = ?;

-- siteValues.put
insert into site_values(name, value)
values (?, ?) on conflict (name) do update
set value = excluded.value;

-- siteValues.putFirst
insert into site_values(name, value)
values (?, ?) on conflict do nothing;
