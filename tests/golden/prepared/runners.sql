-- Made by `npm run golden`; read the difference in review. Placeholders are ?, a list that is bound as one parameter is "in ?",
-- names stand without quotes.

-- runners.noteActive
update runners
set online_at = ?, active_at = ?
where id = ?;

-- runners.noteSeen
update runners
set online_at = ?
where id = ?
  and online_at <= ?;
