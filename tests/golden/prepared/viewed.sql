-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- viewed.find
select path, blob_id
from viewed_files
where user_id = ?
  and pull_id = ?
limit ?;

-- viewed.insert
insert into viewed_files(user_id, pull_id, path, blob_id)
values (?, ?, ?, ?);

-- viewed.remove
delete from viewed_files
where user_id = ?
  and pull_id = ?
  and path = ?;
