-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- wiki.find
select repository_id
from wikis
where repository_id = ?;

-- wiki.grow
update wikis
set git_size = git_size * ? + ?
where repository_id = ?;

-- wiki.insert
insert into wikis(repository_id, created_at)
values (?, ?) on conflict do nothing;
