-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- licenses.findRepositories
select id, storage, object_format, default_branch, licenses
from repositories
where id > ?
  and is_empty = ?
order by id
limit ?;

-- licenses.put
update repositories
set licenses = ?
where id = ?
  and licenses = ?;
